// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_MAKE_HEAT_H_
#define COOLSPAN_THERMAL_MAKE_HEAT_H_

#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "core/heat_matrix.h"
#include "thermal/matrix_entry.h"

namespace coolspan {

// D from its entries (row: receiver, column: emitter, K/W; 0 where there is
// none), dense or sparse, whichever takes less memory.
// Errors: those of SparseMatrix::Create.
absl::StatusOr<std::shared_ptr<const HeatMatrix>> MakeHeat(
    ZoneId zones, std::span<const MatrixEntry> entries);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_MAKE_HEAT_H_
