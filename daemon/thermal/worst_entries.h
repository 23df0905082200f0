// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_WORST_ENTRIES_H_
#define COOLSPAN_THERMAL_WORST_ENTRIES_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "thermal/recirculation.h"

namespace coolspan {

// The least entries of a matrix that comes row by row.
class WorstEntries {
 public:
  void AddRow(ZoneId row, std::span<const double> entries) {
    for (std::size_t column = 0; column < entries.size(); ++column) {
      const double value = entries[column];
      if (value < -Recirculation::kRounding) ++negative_;
      if (least_.size() == Recirculation::kWorst &&
          value >= least_.back().value) {
        continue;
      }
      const auto at = std::find_if(
          least_.begin(), least_.end(),
          [value](const auto& entry) { return value < entry.value; });
      least_.insert(at, {row, static_cast<ZoneId>(column), value});
      if (least_.size() > Recirculation::kWorst) least_.pop_back();
    }
  }
  void MoveInto(Recirculation& found) {
    found.least = std::move(least_);
    found.negative = negative_;
  }

 private:
  std::vector<Recirculation::Entry> least_;
  std::size_t negative_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_WORST_ENTRIES_H_
