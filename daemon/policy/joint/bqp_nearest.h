// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_JOINT_BQP_NEAREST_H_
#define COOLSPAN_POLICY_JOINT_BQP_NEAREST_H_

#include <cstdint>
#include <vector>

#include "policy/joint/bqp_problem.h"

namespace coolspan {

// Of a node of a site, its latencies to the nearest other nodes of the sites:
// less than these no choice can have. Keeps scratch memory; not thread-safe.
class BqpNearest {
 public:
  explicit BqpNearest(const BqpProblem& problem);

  // The sum of the least ones, so many. REQUIRES that many other nodes.
  double SumOf(std::uint32_t site, NodeCount nearest) {
    return SumsOf(site, nearest).back();
  }
  // The sums of the least 0, 1, 2, ... `nearest`. Valid until the next call.
  const std::vector<double>& SumsOf(std::uint32_t site, NodeCount nearest);
  // No site's sum is less; without a look at the sites.
  double MinSum(NodeCount nearest) const;
  // Units of work (see Budget) of a sum.
  std::uint64_t work() const { return problem_.sites.size(); }

 private:
  void CountByHops(std::uint32_t site);
  void CountAlongAxes(std::uint32_t site, const GridTable& grid);
  void SumMeasured(std::uint32_t site, NodeCount nearest);

  const BqpProblem& problem_;
  NodeCount max_at_a_place_ = 0;
  std::vector<NodeCount> nodes_at_hops_;  // nodes by hops
  std::vector<std::vector<Hops>> along_;  // by axis and coordinate
  std::vector<float> measured_;
  std::vector<double> sums_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_BQP_NEAREST_H_
