// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/map_planes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace coolspan {
namespace {

std::vector<Cell> CellOfNode(const Occupancy& occupancy) {
  std::vector<Cell> cells(occupancy.node_count, kFreeCell);
  for (std::size_t job = 0; job < occupancy.jobs.size(); ++job) {
    for (const NodeId node : occupancy.jobs[job].nodes) {
      if (node >= cells.size()) continue;
      cells[node] =
          cells[node] == kFreeCell ? static_cast<Cell>(job) : kSharedCell;
    }
  }
  for (const NodeId node : occupancy.unavailable) {
    if (node < cells.size() && cells[node] == kFreeCell) {
      cells[node] = kUnavailableCell;
    }
  }
  return cells;
}

Plane Strip(std::vector<Cell> cells, unsigned width) {
  Plane plane;
  plane.width = std::max(1U, width);
  plane.height =
      (static_cast<unsigned>(cells.size()) + plane.width - 1) / plane.width;
  plane.cells = std::move(cells);
  plane.cells.resize(std::size_t{plane.width} * plane.height, kNoCell);
  return plane;
}

// nodes_per_vertex cells for each vertex, in vertex order.
std::vector<Cell> SpreadOverVertices(const std::vector<Cell>& cell_of_node,
                                     const Grid& grid) {
  const std::size_t each = grid.nodes_per_vertex;
  std::vector<Cell> cells;
  cells.reserve(grid.VertexCount() * each);
  auto node = cell_of_node.begin();
  for (const NodeCount nodes : grid.NodesOfVertices()) {
    for (std::size_t i = 0; i < each; ++i) {
      const bool empty = i >= nodes || node == cell_of_node.end();
      cells.push_back(empty ? kNoCell : *node++);
    }
  }
  return cells;
}

// The title of a plane, as in "z=1", "z=1 w=0" or "z=1 w=0 v=2 u=0".
std::string PlaneTitle(const Grid& grid, std::size_t index) {
  static constexpr char kAxes[] = "zwvu";
  std::string title;
  for (std::size_t d = 2; d < grid.dims.size(); ++d) {
    title += fmt::format("{}{}={}", title.empty() ? "" : " ", kAxes[d - 2],
                         index % grid.dims[d]);
    index /= grid.dims[d];
  }
  return title;
}

}  // namespace

std::vector<Plane> PlanesOf(const Occupancy& occupancy, unsigned strip_width) {
  std::vector<Cell> cell_of_node = CellOfNode(occupancy);
  if (!occupancy.grid.has_value() || occupancy.grid->dims.size() < 2) {
    return {Strip(std::move(cell_of_node), strip_width)};
  }
  const Grid& grid = *occupancy.grid;
  const std::vector<Cell> cells = SpreadOverVertices(cell_of_node, grid);
  const unsigned width = grid.dims[0] * grid.nodes_per_vertex;
  const unsigned height = grid.dims[1];
  const std::size_t area = std::size_t{width} * height;
  std::vector<Plane> planes;
  for (std::size_t start = 0; start < cells.size(); start += area) {
    const auto first = cells.begin() + static_cast<std::ptrdiff_t>(start);
    planes.push_back(
        {PlaneTitle(grid, planes.size()), width, height,
         std::vector<Cell>(first, first + static_cast<std::ptrdiff_t>(area))});
  }
  return planes;
}

Plane ScaledDown(const Plane& plane, unsigned factor) {
  if (factor <= 1) return plane;
  Plane small;
  small.title = plane.title;
  small.width = (plane.width + factor - 1) / factor;
  small.height = (plane.height + factor - 1) / factor;
  for (unsigned top = 0; top < plane.height; top += factor) {
    for (unsigned left = 0; left < plane.width; left += factor) {
      std::map<Cell, unsigned> count;
      for (unsigned y = top; y < std::min(top + factor, plane.height); ++y) {
        for (unsigned x = left; x < std::min(left + factor, plane.width); ++x) {
          const Cell cell = plane.At(x, y);
          if (cell != kNoCell) ++count[cell];
        }
      }
      const auto most = std::max_element(
          count.begin(), count.end(),
          [](const auto& a, const auto& b) { return a.second < b.second; });
      small.cells.push_back(most == count.end() ? kNoCell : most->first);
    }
  }
  return small;
}

}  // namespace coolspan
