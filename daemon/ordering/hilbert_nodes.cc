// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "ordering/curves.h"
#include "ordering/hilbert.h"
#include "ordering/ordering_cost.h"

namespace coolspan {
namespace {

// Vertices of all curves tried, in total: about a tenth of a second.
constexpr std::uint64_t kMaxTried = std::uint64_t{1} << 18;

// The curve with permuted axes, some of them mirrored.
class OrientedCurves {
 public:
  explicit OrientedCurves(const Grid& grid)
      : grid_(grid), axes_(grid.dims.size()) {
    std::iota(axes_.begin(), axes_.end(), std::size_t{0});
  }

  // False after the last.
  bool NextAxes() { return std::next_permutation(axes_.begin(), axes_.end()); }

  void Walk() {
    std::vector<std::uint32_t> dims;
    std::vector<bool> wrap;
    for (const std::size_t axis : axes_) {
      dims.push_back(grid_.dims[axis]);
      wrap.push_back(grid_.wrap[axis]);
    }
    walk_ = HilbertOrder(dims, wrap);
  }

  // mirrored: bit i for axis i of the grid.
  std::vector<VertexId> Vertices(std::uint32_t mirrored) const {
    std::vector<VertexId> vertices;
    vertices.reserve(walk_.size());
    std::array<std::uint32_t, 6> at{};
    const std::span<std::uint32_t> coordinates(at.data(), axes_.size());
    for (std::uint32_t rest : walk_) {
      for (const std::size_t axis : axes_) {
        const std::uint32_t extent = grid_.dims[axis];
        const std::uint32_t x = rest % extent;
        rest /= extent;
        at[axis] = (mirrored >> axis & 1U) != 0 ? extent - 1 - x : x;
      }
      vertices.push_back(grid_.VertexAt(coordinates));
    }
    return vertices;
  }

 private:
  const Grid& grid_;
  std::vector<std::size_t> axes_;
  std::vector<std::uint32_t> walk_;
};

// HilbertOrder ignores holes and mostly ignores rings, so on machines with them
// the orientation with the lowest locality cost is chosen, within kMaxTried;
// large machines hardly gain from it.
std::vector<NodeId> BestOrientation(const Topology& topology,
                                    const Grid& grid) {
  const std::uint32_t mirrors =
      grid.holes.empty() ? 1U : 1U << grid.dims.size();
  std::uint64_t tried = 0;
  std::vector<NodeId> best;
  double best_cost = 0;
  OrientedCurves curves(grid);
  do {
    curves.Walk();
    for (std::uint32_t mirrored = 0; mirrored < mirrors; ++mirrored) {
      std::vector<NodeId> nodes =
          NodesOfVertices(topology, curves.Vertices(mirrored));
      const double cost = MeasureOrdering(topology, nodes).locality_cost;
      if (best.empty() || cost < best_cost) {
        best = std::move(nodes);
        best_cost = cost;
      }
      tried += 2 * std::uint64_t{topology.vertex_count()};
      if (tried > kMaxTried) return best;
    }
  } while (curves.NextAxes());
  return best;
}

}  // namespace

absl::StatusOr<OrderedNodes> HilbertNodes(const Machine& machine,
                                          std::string_view /*argument*/) {
  const Topology& topology = machine.topology();
  const Grid* grid = topology.grid();
  if (grid == nullptr) {
    return absl::InvalidArgumentError("hilbert needs a mesh or torus");
  }
  const bool plain =
      grid->holes.empty() && std::none_of(grid->wrap.begin(), grid->wrap.end(),
                                          [](bool wrapped) { return wrapped; });
  if (plain) return NodesOfVertices(topology, HilbertOrder(grid->dims));
  return BestOrientation(topology, *grid);
}

}  // namespace coolspan
