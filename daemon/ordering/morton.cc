// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "ordering/curves.h"

namespace coolspan {
namespace {

// Halves a block with a power of two as its side along every axis and visits
// the parts in row-major order, x fastest. That is the order of the interleaved
// bits of the coordinates, without the codes outside the mesh.
class MortonWalk {
 public:
  explicit MortonWalk(const Grid& grid) : grid_(grid) {
    vertices_.reserve(grid.VertexCount());
  }

  std::vector<VertexId> Vertices() && {
    std::uint32_t widest = 1;
    for (const std::uint32_t extent : grid_.dims) {
      widest = std::max(widest, extent);
    }
    Walk(std::bit_ceil(widest));
    return std::move(vertices_);
  }

 private:
  // The part inside the mesh of the block of this side at low_.
  void Walk(std::uint32_t side) {
    const std::size_t dimensions = grid_.dims.size();
    for (std::size_t i = 0; i < dimensions; ++i) {
      if (low_[i] >= grid_.dims[i]) return;
    }
    if (side == 1) {
      vertices_.push_back(grid_.VertexAt({low_.data(), dimensions}));
      return;
    }
    const std::array<std::uint32_t, 6> corner = low_;
    for (std::uint32_t part = 0; part < 1U << dimensions; ++part) {
      for (std::size_t i = 0; i < dimensions; ++i) {
        low_[i] = corner[i] + ((part >> i & 1U) != 0 ? side / 2 : 0);
      }
      Walk(side / 2);
    }
    low_ = corner;
  }

  const Grid& grid_;
  std::array<std::uint32_t, 6> low_{};
  std::vector<VertexId> vertices_;
};

}  // namespace

absl::StatusOr<OrderedNodes> MortonNodes(const Machine& machine,
                                         std::string_view /*argument*/) {
  const Grid* grid = machine.topology().grid();
  if (grid == nullptr) {
    return absl::InvalidArgumentError("morton needs a mesh or torus");
  }
  return NodesOfVertices(machine.topology(), MortonWalk(*grid).Vertices());
}

}  // namespace coolspan
