// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/node_pairs.h"

#include <algorithm>
#include <limits>

namespace coolspan {

NodePairs::NodePairs(const Topology& topology, const Neighbours& neighbours)
    : node_count_(topology.node_count()),
      hops_(std::size_t{node_count_} * node_count_) {
  constexpr Hops kMaxHops = std::numeric_limits<std::uint16_t>::max();
  for (NodeId a = 0; a < node_count_; ++a) {
    for (NodeId b = 0; b < node_count_; ++b) {
      hops_[std::size_t{a} * node_count_ + b] = static_cast<std::uint16_t>(
          std::min(topology.Distance(a, b), kMaxHops));
    }
  }
  std::vector<std::vector<VertexId>> behind(neighbours.switch_count());
  for (VertexId v = 0; v < topology.vertex_count(); ++v) {
    for (const std::uint32_t s : neighbours.Switches(v)) behind[s].push_back(v);
  }
  const auto add = [&](VertexId vertex, NodeId but, double weight) {
    const Topology::NodeRange there = topology.NodesAt(vertex);
    for (NodeId node = there.first; node < there.first + there.count; ++node) {
      if (node == but) continue;
      neighbours_.push_back({node, static_cast<float>(weight)});
    }
  };
  for (NodeId node = 0; node < node_count_; ++node) {
    const VertexId vertex = topology.VertexOf(node);
    add(vertex, node, neighbours.own_weight(vertex));
    for (const VertexId beside : neighbours.Beside(vertex)) {
      add(beside, node, neighbours.beside_weight());
    }
    for (const std::uint32_t s : neighbours.Switches(vertex)) {
      for (const VertexId other : behind[s]) {
        if (other != vertex) add(other, node, neighbours.switch_weight(s));
      }
    }
    first_.push_back(neighbours_.size());
  }
}

std::vector<double> NodePairs::CompactMeans() const {
  // By node: the sum of the distances to the set.
  std::vector<std::uint64_t> sums(node_count_, 0);
  const auto add = [&](NodeId node) {
    const std::span<const std::uint16_t> hops = HopsFrom(node);
    for (NodeId other = 0; other < node_count_; ++other) {
      sums[other] += hops[other];
    }
  };
  for (NodeId node = 0; node < node_count_; ++node) add(node);
  auto next = static_cast<NodeId>(std::min_element(sums.begin(), sums.end()) -
                                  sums.begin());
  std::fill(sums.begin(), sums.end(), 0);
  std::vector<std::uint8_t> chosen(node_count_, 0);
  std::vector<double> means = {1};
  std::uint64_t total = 0;
  for (NodeCount n = 1; n <= node_count_; ++n) {
    chosen[next] = 1;
    total += sums[next];
    add(next);
    const double pairs = static_cast<double>(n) * (n - 1) / 2;
    means.push_back(total > 0 ? static_cast<double>(total) / pairs : 1);
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (NodeId node = 0; node < node_count_; ++node) {
      if (chosen[node] != 0 || sums[node] >= least) continue;
      least = sums[node];
      next = node;
    }
  }
  return means;
}

}  // namespace coolspan
