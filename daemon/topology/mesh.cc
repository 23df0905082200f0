// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/mesh.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topology/nodes_by_vertex.h"

namespace coolspan {
namespace {

constexpr std::size_t kMaxDimensions = 6;
constexpr std::uint32_t kNoWrap = std::numeric_limits<std::uint32_t>::max();

class Mesh final : public Topology {
 public:
  explicit Mesh(Grid grid);

  std::string_view kind() const override { return torus_ ? "torus" : "mesh"; }
  NodeCount node_count() const override { return node_count_; }
  VertexId vertex_count() const override { return vertex_count_; }
  VertexId VertexOf(NodeId node) const override {
    if (uneven_.has_value()) return uneven_->VertexOf(node);
    return nodes_per_vertex_ == 1 ? node : node / nodes_per_vertex_;
  }
  NodeRange NodesAt(VertexId vertex) const override {
    if (uneven_.has_value()) return uneven_->At(vertex);
    return {vertex * nodes_per_vertex_, nodes_per_vertex_};
  }
  Hops VertexDistance(VertexId a, VertexId b) const override;
  void AppendNeighbours(VertexId vertex,
                        std::vector<VertexId>& out) const override;
  std::uint64_t PairwiseTotal(std::span<const NodeId> nodes) const override;
  const Grid* grid() const override { return &grid_; }

 private:
  std::uint64_t TotalAlong(std::size_t dimension,
                           std::span<const NodeId> nodes) const;
  std::uint32_t Coordinate(VertexId vertex, std::size_t dimension) const {
    return coordinates_[vertex * grid_.dims.size() + dimension];
  }

  Grid grid_;
  bool torus_ = false;
  NodeCount nodes_per_vertex_;
  VertexId vertex_count_ = 1;
  NodeCount node_count_ = 0;
  std::uint64_t extents_sum_ = 0;
  // The extent if the dimension wraps, else kNoWrap, so that the distance
  // around is never the shorter one.
  std::vector<std::uint32_t> ring_;
  std::vector<std::uint32_t> coordinates_;  // by vertex, then dimension
  // Set if not all vertices have nodes_per_vertex nodes.
  std::optional<NodesByVertex> uneven_;
};

Mesh::Mesh(Grid grid)
    : grid_(std::move(grid)), nodes_per_vertex_(grid_.nodes_per_vertex) {
  const std::size_t dimensions = grid_.dims.size();
  for (std::size_t i = 0; i < dimensions; ++i) {
    vertex_count_ *= grid_.dims[i];
    extents_sum_ += grid_.dims[i];
    torus_ = torus_ || grid_.wrap[i];
    ring_.push_back(grid_.wrap[i] ? grid_.dims[i] : kNoWrap);
  }
  coordinates_.resize(vertex_count_ * dimensions);
  std::vector<std::uint32_t> at(dimensions, 0);
  for (VertexId v = 0; v < vertex_count_; ++v) {
    std::copy(at.begin(), at.end(), &coordinates_[v * dimensions]);
    for (std::size_t i = 0; i < dimensions && ++at[i] == grid_.dims[i]; ++i) {
      at[i] = 0;
    }
  }
  node_count_ = vertex_count_ * nodes_per_vertex_;
  if (grid_.holes.empty() && grid_.short_vertices.empty()) return;
  uneven_.emplace(grid_.NodesOfVertices());
  node_count_ = uneven_->node_count();
}

Hops Mesh::VertexDistance(VertexId a, VertexId b) const {
  Hops hops = 0;
  for (std::size_t i = 0; i < ring_.size(); ++i) {
    const std::uint32_t x = Coordinate(a, i);
    const std::uint32_t y = Coordinate(b, i);
    const std::uint32_t straight = x < y ? y - x : x - y;
    hops += std::min(straight, ring_[i] - straight);
  }
  return hops;
}

void Mesh::AppendNeighbours(VertexId vertex, std::vector<VertexId>& out) const {
  VertexId stride = 1;
  for (std::size_t i = 0; i < ring_.size(); ++i) {
    const std::uint32_t extent = grid_.dims[i];
    const std::uint32_t x = Coordinate(vertex, i);
    const VertexId around = (extent - 1) * stride;
    if (x > 0) {
      out.push_back(vertex - stride);
    } else if (grid_.wrap[i] && extent > 2) {
      out.push_back(vertex + around);
    }
    if (x + 1 < extent) {
      out.push_back(vertex + stride);
    } else if (grid_.wrap[i] && extent > 2) {
      out.push_back(vertex - around);
    }
    stride *= extent;
  }
}

std::uint64_t Mesh::PairwiseTotal(std::span<const NodeId> nodes) const {
  const std::uint64_t k = nodes.size();
  std::uint64_t total = 0;
  if (k * k / 2 < k + extents_sum_) {
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = i + 1; j < k; ++j) {
        total += Distance(nodes[i], nodes[j]);
      }
    }
    return total;
  }
  for (std::size_t i = 0; i < ring_.size(); ++i) {
    if (grid_.dims[i] > 1) total += TotalAlong(i, nodes);
  }
  return total;
}

// The distance of a pair is the number of cuts that separate it, so the sum
// over pairs is a sum over cuts of (nodes on one side) * (nodes on the other).
// A line of n places has n - 1 cuts between neighbours. A ring of n places is
// cut into an arc of floor(n / 2) places and the rest; the n arcs separate a
// pair at distance h 2h times. With an even n an arc and its complement are the
// same cut, so half of them are enough.
std::uint64_t Mesh::TotalAlong(std::size_t dimension,
                               std::span<const NodeId> nodes) const {
  const std::uint32_t extent = grid_.dims[dimension];
  absl::InlinedVector<std::uint32_t, 128> nodes_at(extent, 0);
  for (const NodeId node : nodes) {
    ++nodes_at[Coordinate(VertexOf(node), dimension)];
  }
  const std::uint64_t k = nodes.size();
  std::uint64_t total = 0;
  std::uint64_t inside = 0;
  if (!grid_.wrap[dimension]) {
    for (const std::uint32_t count : nodes_at) {
      inside += count;
      total += inside * (k - inside);
    }
    return total;
  }
  const std::uint32_t arc = extent / 2;
  for (std::uint32_t x = 0; x < arc; ++x) inside += nodes_at[x];
  const std::uint32_t arcs = extent % 2 == 0 ? arc : extent;
  for (std::uint32_t x = 0; x < arcs; ++x) {
    total += inside * (k - inside);
    const std::uint32_t next = x + arc;
    inside += nodes_at[next < extent ? next : next - extent];
    inside -= nodes_at[x];
  }
  return extent % 2 == 0 ? total : total / 2;
}

absl::Status CheckExtents(const Grid& grid) {
  if (grid.dims.empty() || grid.dims.size() > kMaxDimensions) {
    return absl::InvalidArgumentError(
        absl::StrCat("dims has ", grid.dims.size(), " entries (expected 1 to ",
                     kMaxDimensions, ")"));
  }
  if (grid.wrap.size() != grid.dims.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("wrap has ", grid.wrap.size(), " entries (expected ",
                     grid.dims.size(), ", as many as dims)"));
  }
  if (grid.nodes_per_vertex == 0) {
    return absl::InvalidArgumentError(
        "nodes_per_vertex is 0 (expected at least 1)");
  }
  std::uint64_t vertices = 1;
  for (std::size_t i = 0; i < grid.dims.size(); ++i) {
    if (grid.dims[i] == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("dims[", i, "] is 0 (expected at least 1)"));
    }
    vertices *= grid.dims[i];
    if (vertices > kMaxVertices) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the product of dims is more than ", kMaxVertices, " vertices"));
    }
  }
  if (vertices * grid.nodes_per_vertex > kMaxVertices) {
    return absl::InvalidArgumentError(
        absl::StrCat(vertices, " vertices of ", grid.nodes_per_vertex,
                     " nodes are more than ", kMaxVertices, " nodes"));
  }
  return absl::OkStatus();
}

// REQUIRES sorted holes and checked extents.
absl::Status CheckHoles(const Grid& grid) {
  VertexId vertices = 1;
  for (const std::uint32_t extent : grid.dims) vertices *= extent;
  for (std::size_t i = 0; i < grid.holes.size(); ++i) {
    if (grid.holes[i] >= vertices) {
      return absl::InvalidArgumentError(absl::StrCat(
          "hole ", grid.holes[i], " is outside the mesh (expected 0 to ",
          vertices - 1, ")"));
    }
    if (i > 0 && grid.holes[i] == grid.holes[i - 1]) {
      return absl::InvalidArgumentError(
          absl::StrCat("hole ", grid.holes[i], " is listed twice"));
    }
  }
  if (grid.holes.size() == vertices) {
    return absl::InvalidArgumentError(
        "every vertex is a hole (expected at least one node)");
  }
  return absl::OkStatus();
}

// REQUIRES checked holes, and short vertices sorted.
absl::Status CheckShortVertices(const Grid& grid) {
  const VertexId vertices = grid.VertexCount();
  VertexId next = 0;
  for (const auto& [vertex, nodes] : grid.short_vertices) {
    if (vertex >= vertices || vertex < next) {
      return absl::InvalidArgumentError(absl::StrCat(
          "short vertex ", vertex,
          vertex < next ? " is listed twice" : " is outside the mesh"));
    }
    next = vertex + 1;
    if (nodes == 0 || nodes >= grid.nodes_per_vertex) {
      return absl::InvalidArgumentError(
          absl::StrCat("short vertex ", vertex, " has ", nodes,
                       " nodes (expected at least 1 and fewer than ",
                       grid.nodes_per_vertex, ")"));
    }
    if (std::binary_search(grid.holes.begin(), grid.holes.end(), vertex)) {
      return absl::InvalidArgumentError(
          absl::StrCat("vertex ", vertex,
                       " is both a hole and a short vertex (expected one)"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Topology>> MakeMesh(Grid grid) {
  if (const absl::Status status = CheckExtents(grid); !status.ok()) {
    return status;
  }
  std::sort(grid.holes.begin(), grid.holes.end());
  if (const absl::Status status = CheckHoles(grid); !status.ok()) {
    return status;
  }
  std::sort(grid.short_vertices.begin(), grid.short_vertices.end(),
            [](const Grid::ShortVertex& a, const Grid::ShortVertex& b) {
              return a.vertex < b.vertex;
            });
  if (const absl::Status status = CheckShortVertices(grid); !status.ok()) {
    return status;
  }
  return std::make_shared<const Mesh>(std::move(grid));
}

}  // namespace coolspan
