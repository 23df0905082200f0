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

// Collects the smallest entries of a matrix, row by row.
class WorstEntries {
 public:
  void AddRow(ZoneId row, std::span<const double> entries) {
    for (std::size_t column = 0; column < entries.size(); ++column) {
      const double value = entries[column];
      if (value < -Recirculation::kRounding) ++negative_;
      if (smallest_.size() == Recirculation::kWorst &&
          value >= smallest_.back().value) {
        continue;
      }
      const auto at = std::find_if(
          smallest_.begin(), smallest_.end(),
          [value](const auto& entry) { return value < entry.value; });
      smallest_.insert(at, {row, static_cast<ZoneId>(column), value});
      if (smallest_.size() > Recirculation::kWorst) smallest_.pop_back();
    }
  }
  void MoveInto(Recirculation& found) {
    found.smallest = std::move(smallest_);
    found.negative = negative_;
  }

 private:
  std::vector<Recirculation::Entry> smallest_;
  std::size_t negative_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_WORST_ENTRIES_H_
