// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/graph.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topology/adjacency.h"
#include "topology/hop_table.h"
#include "topology/nodes_by_vertex.h"

namespace coolspan {
namespace {

// A vertex with two links and more is its own anchor; that of a vertex with one
// link is its neighbour. Only anchors are in the hop table.
struct Anchor {
  VertexId at;  // place in the table
  Hops beside;  // hops to the anchor: 0 or 1
};

struct Anchors {
  std::vector<Anchor> of;           // by vertex
  std::vector<VertexId> vertex_at;  // by place in the table
};

// Of two vertices linked only to each other, one is an anchor.
Anchors FindAnchors(const Adjacency& graph) {
  const auto is_beside = [&graph](VertexId v) {
    if (graph.Of(v).size() != 1) return false;
    const VertexId other = graph.Of(v).front();
    return graph.Of(other).size() > 1 || other < v;
  };
  Anchors anchors;
  anchors.of.resize(graph.vertex_count());
  for (VertexId v = 0; v < graph.vertex_count(); ++v) {
    if (is_beside(v)) continue;
    anchors.of[v] = {static_cast<VertexId>(anchors.vertex_at.size()), 0};
    anchors.vertex_at.push_back(v);
  }
  for (VertexId v = 0; v < graph.vertex_count(); ++v) {
    if (is_beside(v)) anchors.of[v] = {anchors.of[graph.Of(v).front()].at, 1};
  }
  return anchors;
}

// The subgraph of the anchors.
Adjacency AnchorGraph(const Adjacency& graph, const Anchors& anchors) {
  std::vector<std::pair<VertexId, VertexId>> links;
  for (const VertexId v : anchors.vertex_at) {
    for (const VertexId other : graph.Of(v)) {
      if (other < v && anchors.of[other].beside == 0) {
        links.emplace_back(anchors.of[v].at, anchors.of[other].at);
      }
    }
  }
  return {static_cast<VertexId>(anchors.vertex_at.size()), links};
}

class Graph final : public UnevenTopology {
 public:
  Graph(const GraphPlan& plan, Adjacency adjacency, std::vector<Anchor> anchors,
        HopTable hops)
      : UnevenTopology(plan.nodes_at),
        kind_(plan.kind),
        adjacency_(std::move(adjacency)),
        anchors_(std::move(anchors)),
        hops_(std::move(hops)) {}

  std::string_view kind() const override { return kind_; }
  Hops VertexDistance(VertexId a, VertexId b) const override {
    if (a == b) return 0;
    return hops_.At(anchors_[a].at, anchors_[b].at) + anchors_[a].beside +
           anchors_[b].beside;
  }
  void AppendNeighbours(VertexId vertex,
                        std::vector<VertexId>& out) const override {
    const std::span<const VertexId> others = adjacency_.Of(vertex);
    out.insert(out.end(), others.begin(), others.end());
  }
  std::uint64_t PairwiseTotal(std::span<const NodeId> nodes) const override;

 private:
  std::string_view kind_;
  Adjacency adjacency_;
  std::vector<Anchor> anchors_;
  HopTable hops_;
};

// d(a, b) = beside(a) + table(anchor(a), anchor(b)) + beside(b) for a != b,
// summed over pairs: first the beside hops, then the table.
std::uint64_t Graph::PairwiseTotal(std::span<const NodeId> nodes) const {
  std::uint64_t total = 0;
  std::vector<VertexShare> at_anchor;
  for (const VertexShare& share : SharesOf(*this, nodes)) {
    const Anchor anchor = anchors_[share.vertex];
    at_anchor.push_back({anchor.at, share.nodes});
    total += anchor.beside * share.nodes * (nodes.size() - share.nodes);
  }
  MergeShares(at_anchor);
  return total + PairwiseTotalOfShares(
                     at_anchor,
                     [this](VertexId a, VertexId b) { return hops_.At(a, b); });
}

// Two vertices that are not connected, with nodes if there are such.
std::optional<std::pair<VertexId, VertexId>> FindApart(
    const Adjacency& graph, const std::vector<NodeCount>& nodes_at) {
  const auto has_nodes = [](NodeCount count) { return count > 0; };
  const auto start = static_cast<VertexId>(
      std::find_if(nodes_at.begin(), nodes_at.end(), has_nodes) -
      nodes_at.begin());
  const std::vector<Hops> hops = HopsFrom(graph, start);
  std::optional<VertexId> apart;
  for (VertexId v = 0; v < hops.size(); ++v) {
    if (hops[v] != kApart) continue;
    if (nodes_at[v] > 0) return std::pair(start, v);
    if (!apart) apart = v;
  }
  if (!apart) return std::nullopt;
  return std::pair(start, *apart);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Topology>> MakeGraph(
    GraphPlan plan, absl::FunctionRef<std::string(VertexId)> name_of) {
  const absl::Status size =
      CheckSize(plan.nodes_at.size(),
                std::accumulate(plan.nodes_at.begin(), plan.nodes_at.end(),
                                std::uint64_t{0}));
  if (!size.ok()) return size;
  Adjacency graph(static_cast<VertexId>(plan.nodes_at.size()), plan.links);
  if (const auto apart = FindApart(graph, plan.nodes_at)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no path leads from ", name_of(apart->first), " to ",
        name_of(apart->second), " (expected a connected network)"));
  }
  Anchors anchors = FindAnchors(graph);
  if (anchors.vertex_at.size() > kMaxTableVertices) {
    return absl::InvalidArgumentError(
        absl::StrCat(anchors.vertex_at.size(),
                     " vertices have two links or more (expected "
                     "at most ",
                     kMaxTableVertices, ", the size of the hop table)"));
  }
  HopTable hops = AllHops(AnchorGraph(graph, anchors));
  return std::make_shared<const Graph>(plan, std::move(graph),
                                       std::move(anchors.of), std::move(hops));
}

}  // namespace coolspan
