// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/compact_boxes.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace coolspan {
namespace {

// Mean distance of two random places among `extent` consecutive ones.
double MeanDistance(const Grid& grid, std::size_t dimension,
                    std::uint32_t extent) {
  double sum = 0;
  for (std::uint32_t apart = 1; apart < extent; ++apart) {
    const std::uint32_t hops =
        grid.wrap[dimension] ? std::min(apart, grid.dims[dimension] - apart)
                             : apart;
    sum += 2.0 * (extent - apart) * hops;
  }
  return sum / extent / extent;
}

class BoxSearch {
 public:
  BoxSearch(const Grid& grid, std::uint64_t vertices)
      : grid_(grid), vertices_(vertices), extents_(grid.dims.size(), 1) {
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      means_.emplace_back();
      const auto longest = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(grid.dims[d], vertices));
      // Boxes with longer sides are not compact; bounds the size of the tables.
      constexpr std::uint32_t kLongest = 4096;
      for (std::uint32_t e = 0; e <= std::min(longest, kLongest); ++e) {
        means_[d].push_back(e == 0 ? 0 : MeanDistance(grid, d, e));
      }
      later_volume_.push_back(1);
    }
    for (std::size_t d = grid.dims.size(); d-- > 1;) {
      later_volume_[d - 1] = later_volume_[d] * grid.dims[d];
    }
  }

  std::vector<std::pair<double, std::vector<std::uint32_t>>> Find() {
    Extend(0, vertices_, 0);
    return std::move(found_);
  }

 private:
  // left: minimum product of the sides still to choose.
  void Extend(std::size_t dimension, std::uint64_t left, double mean) {
    const std::size_t dimensions = extents_.size();
    const std::uint64_t longest = std::min<std::uint64_t>(
        grid_.dims[dimension], means_[dimension].size() - 1);
    const std::uint64_t shortest =
        (left + later_volume_[dimension] - 1) / later_volume_[dimension];
    if (dimension + 1 == dimensions) {
      if (left > longest) return;
      extents_[dimension] = static_cast<std::uint32_t>(left);
      found_.emplace_back(mean + means_[dimension][left], extents_);
      return;
    }
    const double even =
        std::pow(static_cast<double>(left),
                 1.0 / static_cast<double>(dimensions - dimension));
    const std::uint64_t from =
        std::max(shortest, static_cast<std::uint64_t>(even / 2));
    const std::uint64_t to = std::min(
        longest, std::max(shortest, static_cast<std::uint64_t>(2 * even) + 2));
    for (std::uint64_t extent = std::max<std::uint64_t>(1, from); extent <= to;
         ++extent) {
      extents_[dimension] = static_cast<std::uint32_t>(extent);
      Extend(dimension + 1, (left + extent - 1) / extent,
             mean + means_[dimension][extent]);
    }
  }

  const Grid& grid_;
  std::uint64_t vertices_;
  std::vector<std::uint32_t> extents_;
  std::vector<std::vector<double>> means_;  // by dimension and extent
  // By dimension: product of the grid's extents in later dimensions.
  std::vector<std::uint64_t> later_volume_;
  std::vector<std::pair<double, std::vector<std::uint32_t>>> found_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> CompactBoxes(const Grid& grid,
                                                     std::uint64_t vertices,
                                                     std::size_t max_count) {
  auto found = BoxSearch(grid, vertices).Find();
  std::sort(found.begin(), found.end());
  std::vector<std::vector<std::uint32_t>> boxes;
  for (auto& [mean, extents] : found) {
    if (boxes.size() == max_count) break;
    boxes.push_back(std::move(extents));
  }
  return boxes;
}

std::vector<VertexId> BoxAround(const Grid& grid, VertexId centre,
                                const std::vector<std::uint32_t>& extents) {
  const std::size_t dimensions = extents.size();
  std::vector<std::uint32_t> low(dimensions);
  grid.CoordinatesOf(centre, low);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::uint32_t before = (extents[d] - 1) / 2;
    if (grid.wrap[d]) {
      low[d] = (low[d] + grid.dims[d] - before) % grid.dims[d];
    } else {
      low[d] = std::min(low[d] < before ? 0 : low[d] - before,
                        grid.dims[d] - extents[d]);
    }
  }
  std::vector<VertexId> vertices;
  std::vector<std::uint32_t> step(dimensions, 0);
  std::vector<std::uint32_t> at(dimensions);
  std::size_t carried = 0;
  while (carried < dimensions) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      at[d] = (low[d] + step[d]) % grid.dims[d];
    }
    vertices.push_back(grid.VertexAt(at));
    for (carried = 0; carried < dimensions; ++carried) {
      if (++step[carried] < extents[carried]) break;
      step[carried] = 0;
    }
  }
  return vertices;
}

}  // namespace coolspan
