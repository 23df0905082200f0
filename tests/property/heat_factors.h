// SPDX-License-Identifier: GPL-3.0-or-later
// Random factors of D, and D by its definition.
#ifndef COOLSPAN_TESTS_PROPERTY_HEAT_FACTORS_H_
#define COOLSPAN_TESTS_PROPERTY_HEAT_FACTORS_H_

#include <random>
#include <vector>

#include "thermal/low_rank_heat.h"

namespace coolspan {

// Entries from 0 to most in random places, one in so many.
inline std::vector<MatrixEntry> RandomEntries(std::uint32_t rows,
                                              std::uint32_t columns,
                                              unsigned one_in, double most,
                                              std::minstd_rand& random) {
  std::uniform_real_distribution<double> value(0, most);
  std::vector<MatrixEntry> entries;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < columns; ++column) {
      if (random() % one_in == 0)
        entries.push_back({row, column, value(random)});
    }
  }
  return entries;
}

inline LowRankHeat::Factors RandomFactors(ZoneId zones, std::uint32_t cells,
                                          std::minstd_rand& random) {
  LowRankHeat::Factors factors;
  factors.zones = zones;
  factors.cells = cells;
  factors.near = RandomEntries(zones, zones, 5, 1e-3, random);
  factors.draw = RandomEntries(zones, cells, 2, 3, random);
  factors.flow = RandomEntries(cells, cells, 2, 1e-4, random);
  factors.emit = RandomEntries(cells, zones, 2, 0.7, random);
  return factors;
}

// near + draw * flow * emit, row after row.
inline std::vector<double> NaiveHeat(const LowRankHeat::Factors& factors) {
  const std::size_t zones = factors.zones;
  std::vector<double> heat(zones * zones, 0.0);
  for (const MatrixEntry& entry : factors.near) {
    heat[entry.row * zones + entry.column] += entry.value;
  }
  for (const MatrixEntry& draw : factors.draw) {
    for (const MatrixEntry& flow : factors.flow) {
      if (flow.row != draw.column) continue;
      for (const MatrixEntry& emit : factors.emit) {
        if (emit.row != flow.column) continue;
        heat[draw.row * zones + emit.column] +=
            draw.value * flow.value * emit.value;
      }
    }
  }
  return heat;
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_PROPERTY_HEAT_FACTORS_H_
