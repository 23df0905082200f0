// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_NODE_PAIRS_H_
#define COOLSPAN_POLICY_STREAM_NODE_PAIRS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/topology.h"
#include "core/types.h"
#include "policy/stream/neighbours.h"

namespace coolspan {

// Hop distances between all nodes of a machine of moderate size, and its pairs
// of neighbouring nodes with their weights. Made once for a machine. Immutable,
// thread-safe.
class NodePairs {
 public:
  // A table of distances of 2 MiB.
  static constexpr NodeCount kMaxNodes = 1024;

  // REQUIRES at most kMaxNodes nodes.
  NodePairs(const Topology& topology, const Neighbours& neighbours);

  NodeCount node_count() const { return node_count_; }
  // By NodeId.
  std::span<const std::uint16_t> HopsFrom(NodeId node) const {
    return std::span(hops_).subspan(std::size_t{node} * node_count_,
                                    node_count_);
  }
  // By number of nodes, from 0: the mean pairwise distance of a set that grows
  // from the node in the middle, each time by the nearest one; 1 instead of 0.
  std::vector<double> CompactMeans() const;
  // Entries of NeighboursOf over all nodes.
  std::size_t neighbour_count() const { return neighbours_.size(); }
  struct Neighbour {
    NodeId node = 0;
    float weight = 0;
  };
  std::span<const Neighbour> NeighboursOf(NodeId node) const {
    return std::span(neighbours_)
        .subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  NodeCount node_count_;
  std::vector<std::uint16_t> hops_;  // row-major
  std::vector<std::size_t> first_ = {0};
  std::vector<Neighbour> neighbours_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_NODE_PAIRS_H_
