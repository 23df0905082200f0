// SPDX-License-Identifier: GPL-3.0-or-later
#include "absl/status/status.h"
#include "ordering/curves.h"

namespace coolspan {
namespace {

// The reflected mixed-radix Gray code: at the end of a dimension the next one
// takes a step and the direction reverses.
std::vector<VertexId> SnakeVertices(std::span<const std::uint32_t> dims) {
  VertexId count = 1;
  for (const std::uint32_t extent : dims) count *= extent;
  std::vector<VertexId> vertices;
  vertices.reserve(count);
  std::vector<std::uint32_t> at(dims.size(), 0);
  std::vector<bool> back(dims.size(), false);
  VertexId vertex = 0;
  while (true) {
    vertices.push_back(vertex);
    VertexId stride = 1;
    std::size_t i = 0;
    while (i < dims.size() && at[i] == (back[i] ? 0 : dims[i] - 1)) {
      back[i] = !back[i];
      stride *= dims[i];
      ++i;
    }
    if (i == dims.size()) return vertices;
    if (back[i]) {
      --at[i];
      vertex -= stride;
    } else {
      ++at[i];
      vertex += stride;
    }
  }
}

}  // namespace

absl::StatusOr<OrderedNodes> SnakeNodes(const Machine& machine,
                                        std::string_view /*argument*/) {
  const Grid* grid = machine.topology().grid();
  if (grid == nullptr) {
    return absl::InvalidArgumentError("snake needs a mesh or torus");
  }
  return NodesOfVertices(machine.topology(), SnakeVertices(grid->dims));
}

}  // namespace coolspan
