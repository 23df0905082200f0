// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_COUNTING_TOPOLOGY_H_
#define COOLSPAN_TESTS_COUNTING_TOPOLOGY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/topology.h"
#include "topology/graph.h"

namespace coolspan {

// Counts the calls of VertexDistance.
class CountingTopology final : public Topology {
 public:
  explicit CountingTopology(std::shared_ptr<const Topology> network)
      : network_(std::move(network)) {}

  std::uint64_t asked() const { return asked_; }

  std::string_view kind() const override { return network_->kind(); }
  NodeCount node_count() const override { return network_->node_count(); }
  VertexId vertex_count() const override { return network_->vertex_count(); }
  VertexId VertexOf(NodeId node) const override {
    return network_->VertexOf(node);
  }
  NodeRange NodesAt(VertexId vertex) const override {
    return network_->NodesAt(vertex);
  }
  Hops VertexDistance(VertexId a, VertexId b) const override {
    ++asked_;
    return network_->VertexDistance(a, b);
  }
  void AppendNeighbours(VertexId vertex,
                        std::vector<VertexId>& out) const override {
    network_->AppendNeighbours(vertex, out);
  }
  std::uint64_t PairwiseTotal(std::span<const NodeId> nodes) const override {
    return network_->PairwiseTotal(nodes);
  }

 private:
  std::shared_ptr<const Topology> network_;
  mutable std::uint64_t asked_ = 0;
};

// One switch with nodes that are vertices of their own.
inline std::shared_ptr<const Topology> StarOf(NodeCount nodes) {
  GraphPlan star;
  star.nodes_at.assign(nodes, 1);
  star.nodes_at.push_back(0);
  for (VertexId v = 0; v < nodes; ++v) star.links.emplace_back(v, nodes);
  return MakeGraph(star, [](VertexId v) { return std::to_string(v); }).value();
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_COUNTING_TOPOLOGY_H_
