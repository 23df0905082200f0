// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/optimal/grid_cuts.h"

#include <algorithm>

namespace coolspan {

GridCuts::GridCuts(const Grid& grid, const VertexPool& pool) {
  std::vector<std::uint32_t> coordinates(grid.dims.size());
  std::vector<std::vector<std::uint32_t>> columns(grid.dims.size());
  for (const VertexId vertex : pool.vertices) {
    grid.CoordinatesOf(vertex, coordinates);
    for (std::size_t d = 0; d < coordinates.size(); ++d) {
      columns[d].push_back(coordinates[d]);
    }
  }
  std::vector<std::size_t> used;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    std::vector<std::uint32_t> distinct = columns[d];
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()),
                   distinct.end());
    if (distinct.size() < 2) continue;
    used.push_back(d);
    const std::uint32_t extent = grid.dims[d];
    if (grid.wrap[d]) {
      const std::size_t arc = extent / 2;
      const std::size_t cuts = extent % 2 == 0 ? arc : extent;
      axes_.push_back({true, extent, weights_.size(), cuts, arc});
      weights_.insert(weights_.end(), cuts, extent % 2 == 0 ? 2 : 1);
      continue;
    }
    axes_.push_back(
        {false, distinct.size(), weights_.size(), distinct.size() - 1, 0});
    for (std::size_t i = 1; i < distinct.size(); ++i) {
      weights_.push_back(2 * std::int64_t{distinct[i] - distinct[i - 1]});
    }
    for (std::uint32_t& x : columns[d]) {
      x = static_cast<std::uint32_t>(
          std::lower_bound(distinct.begin(), distinct.end(), x) -
          distinct.begin());
    }
  }
  positions_.reserve(pool.size() * used.size());
  for (std::size_t i = 0; i < pool.size(); ++i) {
    for (const std::size_t d : used) positions_.push_back(columns[d][i]);
  }
}

void GridCuts::SumOverCuts(
    std::span<const std::int64_t> by_cut,
    std::vector<std::vector<std::int64_t>>& by_position) const {
  by_position.resize(axes_.size());
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Axis& axis = axes_[a];
    std::vector<std::int64_t>& at = by_position[a];
    at.assign(axis.positions, 0);
    if (!axis.ring) {
      for (std::size_t i = axis.cuts; i-- > 0;) {
        at[i] = at[i + 1] + by_cut[axis.first_cut + i];
      }
      continue;
    }
    // Cut i contains positions i to i + arc - 1, so position x is in the cuts
    // x - arc + 1 to x.
    const auto of_cut = [&](std::size_t i) {
      return i < axis.cuts ? by_cut[axis.first_cut + i] : 0;
    };
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < axis.arc; ++i) {
      sum += of_cut((axis.positions - i) % axis.positions);
    }
    for (std::size_t x = 0; x < axis.positions; ++x) {
      at[x] = sum;
      const std::size_t next = (x + 1) % axis.positions;
      sum += of_cut(next);
      sum -= of_cut((x + 1 + axis.positions - axis.arc) % axis.positions);
    }
  }
}

}  // namespace coolspan
