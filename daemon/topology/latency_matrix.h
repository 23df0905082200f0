// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_LATENCY_MATRIX_H_
#define COOLSPAN_TOPOLOGY_LATENCY_MATRIX_H_

#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/types.h"

namespace coolspan {

// H of joint-bqp-task-mapping, section 4.2, as measured: latency between nodes
// in any unit. Equation 9 uses x^T H x alone, which depends on H_ij + H_ji, so
// both directions are replaced by their mean. Immutable.
class LatencyMatrix {
 public:
  // Sums over all pairs of nodes stay accurate up to this latency.
  static constexpr double kMax = 1e9;

  // rows: nodes x nodes, row by row. Errors: INVALID_ARGUMENT for a wrong
  // number of entries or one outside [0, kMax].
  static absl::StatusOr<std::shared_ptr<const LatencyMatrix>> Create(
      NodeCount nodes, std::vector<float> rows);

  NodeCount node_count() const { return nodes_; }
  // Between two nodes; 0 from a node to itself.
  double Between(NodeId a, NodeId b) const { return RowOf(a)[b]; }
  std::span<const float> RowOf(NodeId node) const {
    return {&rows_[std::size_t{node} * nodes_], nodes_};
  }
  // The diagonal entry of the matrix.
  double WithItself(NodeId node) const { return with_itself_[node]; }
  // Between different nodes; 0 on a machine of one node.
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
