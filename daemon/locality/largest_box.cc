// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/largest_box.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace coolspan {
namespace {

using Cells = std::vector<std::uint8_t>;

struct Axis {
  std::size_t extent = 1;
  bool wraps = false;
};

class FreeBoxSearch {
 public:
  explicit FreeBoxSearch(const Grid& grid) {
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      if (grid.dims[d] > 1) axes_.push_back({grid.dims[d], grid.wrap[d]});
    }
    axes_.resize(std::max<std::size_t>(axes_.size(), 2));
  }

  std::uint64_t Largest(const Cells& free) {
    SearchRanges(axes_.size(), free, 1);
    return largest_;
  }

 private:
  // Boxes of the cells of the first `dims` dimensions; each cell stands for
  // `depth` vertices along the others.
  void SearchRanges(std::size_t dims, const Cells& cells, std::uint64_t depth) {
    if (dims == 2) {
      SearchPlane(cells, depth);
      return;
    }
    const Axis& axis = axes_[dims - 1];
    const std::size_t layer = cells.size() / axis.extent;
    Cells common;
    for (std::size_t start = 0; start < axis.extent; ++start) {
      common.assign(layer, 1);
      const std::size_t longest =
          axis.wraps ? axis.extent : axis.extent - start;
      for (std::size_t length = 1; length <= longest; ++length) {
        const std::size_t at = (start + length - 1) % axis.extent * layer;
        for (std::size_t i = 0; i < layer; ++i) common[i] &= cells[at + i];
        const auto count =
            std::accumulate(common.begin(), common.end(), std::uint64_t{0});
        if (count * longest * depth <= largest_) break;
        if (count * length * depth > largest_) {
          SearchRanges(dims - 1, common, depth * length);
        }
      }
    }
  }

  // Each row ends the rectangles of a histogram: for each column the number of
  // free cells upwards. A wrapped dimension is passed twice.
  void SearchPlane(const Cells& cells, std::uint64_t depth) {
    const std::size_t width = axes_[0].extent;
    const std::size_t rows = axes_[1].extent * (axes_[1].wraps ? 2 : 1);
    heights_.assign(width, 0);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t begin = row % axes_[1].extent * width;
      for (std::size_t x = 0; x < width; ++x) {
        heights_[x] = cells[begin + x] != 0 ? heights_[x] + 1 : 0;
      }
      SearchHistogram(depth);
    }
  }

  void SearchHistogram(std::uint64_t depth) {
    const std::size_t width = axes_[0].extent;
    const std::size_t columns = width * (axes_[0].wraps ? 2 : 1);
    steps_.clear();
    for (std::size_t x = 0; x <= columns; ++x) {
      const std::size_t height =
          x == columns ? 0 : std::min(heights_[x % width], axes_[1].extent);
      std::size_t from = x;
      while (!steps_.empty() && steps_.back().second >= height) {
        from = steps_.back().first;
        const std::size_t wide = std::min(x - from, width);
        largest_ = std::max(largest_, depth * wide * steps_.back().second);
        steps_.pop_back();
      }
      if (height > 0) steps_.emplace_back(from, height);
    }
  }

  std::vector<Axis> axes_;
  std::uint64_t largest_ = 0;
  std::vector<std::size_t> heights_;
  // First column and height of the rectangles that are not yet closed.
  std::vector<std::pair<std::size_t, std::size_t>> steps_;
};

}  // namespace

std::uint64_t LargestFreeBox(const Grid& grid,
                             const std::vector<std::uint8_t>& free) {
  return FreeBoxSearch(grid).Largest(free);
}

std::uint64_t LargestFreeBox(const Topology& topology,
                             std::span<const NodeCount> free_at) {
  Cells cells(free_at.size());
  for (VertexId v = 0; v < cells.size(); ++v) {
    const NodeCount nodes = topology.NodesAt(v).count;
    cells[v] = nodes > 0 && free_at[v] == nodes ? 1 : 0;
  }
  return LargestFreeBox(*topology.grid(), cells);
}

}  // namespace coolspan
