// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_USABLE_UNITS_H_
#define COOLSPAN_CORE_USABLE_UNITS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/types.h"

namespace coolspan {

// What a job can use of a node, in the measure of its demand (with Slurm:
// CPUs), of which each unit of the ledger (a core) has per_held, at least 1.
struct UsableUnits {
  Units units = 0;
  Units per_held = 1;

  // At most what `free` units of the ledger have.
  Units Within(Units free) const {
    return static_cast<Units>(
        std::min<std::uint64_t>(units, std::uint64_t{free} * per_held));
  }
  // The units of the ledger that hold this many.
  Units Held(Units used) const {
    return static_cast<Units>((std::uint64_t{used} + per_held - 1) / per_held);
  }
};

using UsableByNode = std::vector<UsableUnits>;  // by NodeId

}  // namespace coolspan

#endif  // COOLSPAN_CORE_USABLE_UNITS_H_
