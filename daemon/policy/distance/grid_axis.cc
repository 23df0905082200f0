// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/grid_axis.h"

#include <cstddef>

namespace coolspan {

std::vector<GridAxis> AxesOf(const Grid& grid,
                             const std::vector<std::uint32_t>& shape) {
  std::vector<GridAxis> axes;
  VertexId stride = 1;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    const std::uint32_t extent = grid.dims[d];
    const std::uint32_t inside =
        d < shape.size() ? std::clamp<std::uint32_t>(shape[d], 1, extent) : 1;
    axes.push_back(
        {extent, grid.wrap[d], stride, (inside - 1) / 2, inside / 2});
    stride *= extent;
  }
  return axes;
}

}  // namespace coolspan
