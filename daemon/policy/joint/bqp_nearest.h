// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_JOINT_BQP_NEAREST_H_
#define COOLSPAN_POLICY_JOINT_BQP_NEAREST_H_

#include <cstdint>
#include <vector>

#include "policy/joint/bqp_problem.h"

namespace coolspan {

// Sums of the latencies from a node of a site to its k nearest other nodes:
// lower bounds of its latencies to k other nodes of any choice. Keeps scratch
// memory; not thread-safe.
class BqpNearest {
 public:
  explicit BqpNearest(const BqpProblem& problem);

  // The sum to the `nearest` nearest nodes. REQUIRES that many other nodes.
  double SumOf(std::uint32_t site, NodeCount nearest) {
    return SumsOf(site, nearest).back();
  }
  // The sums to the 0, 1, 2, ... `nearest` nearest nodes. Valid until the next
  // call.
  const std::vector<double>& SumsOf(std::uint32_t site, NodeCount nearest);
  // A lower bound of SumOf for every site, computed without reading the sites.
  double MinSum(NodeCount nearest) const;
  // Budget units of one sum.
  std::uint64_t work() const { return problem_.sites.size(); }

 private:
  void CountByHops(std::uint32_t site);
  void CountAlongAxes(std::uint32_t site, const GridTable& grid);
  void SumMeasured(std::uint32_t site, NodeCount nearest);

  const BqpProblem& problem_;
  NodeCount max_at_a_place_ = 0;
  std::vector<NodeCount> nodes_at_hops_;  // by hop distance
  std::vector<std::vector<Hops>> along_;  // hops, by axis and coordinate
  std::vector<float> measured_;
  std::vector<double> sums_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_BQP_NEAREST_H_
