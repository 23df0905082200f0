// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_LATENCY_MATRIX_H_
#define COOLSPAN_TOPOLOGY_LATENCY_MATRIX_H_

#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/types.h"

namespace coolspan {

// H of joint-bqp-task-mapping, section 4.2, as measured: how long a message
// takes between two nodes, in any unit. Only sums over both directions of a
// pair count in equation 9, so the two are made their mean. Immutable.
class LatencyMatrix {
 public:
  // Sums of so long ones over all pairs of nodes still have some digits.
  static constexpr double kMax = 1e9;

  // rows: nodes x nodes, row after row. Errors: INVALID_ARGUMENT for another
  // number of entries and one that is not from 0 to kMax.
  static absl::StatusOr<std::shared_ptr<const LatencyMatrix>> Create(
      NodeCount nodes, std::vector<float> rows);

  NodeCount node_count() const { return nodes_; }
  // Between two nodes; 0 from a node to itself.
  double Between(NodeId a, NodeId b) const { return RowOf(a)[b]; }
  std::span<const float> RowOf(NodeId node) const {
    return {&rows_[std::size_t{node} * nodes_], nodes_};
  }
  // What the matrix says of a node to itself.
  double WithItself(NodeId node) const { return with_itself_[node]; }
  // Of different nodes; 0 where there is but one.
  double shortest() const { return shortest_; }
  double longest() const { return longest_; }

 private:
  LatencyMatrix(NodeCount nodes, std::vector<float> rows);

  NodeCount nodes_;
  std::vector<float> rows_;
  std::vector<float> with_itself_;
  double shortest_ = 0;
  double longest_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_LATENCY_MATRIX_H_
