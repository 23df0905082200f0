// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_GROUP_PLACEMENT_H_
#define COOLSPAN_POLICY_THERMAL_GROUP_PLACEMENT_H_

#include <cstddef>
#include <span>
#include <vector>

#include "policy/thermal/thermal_problem.h"

namespace coolspan {

// A number of nodes for each group and the inlet temperatures that follow,
//   T = T_sup + D * P
// updated incrementally when nodes move. Covers all inlets, so peak_c() is
// exact. Not thread-safe.
class GroupPlacement {
 public:
  GroupPlacement(const ThermalProblem& problem, std::vector<NodeCount> counts);

  const ThermalProblem& problem() const { return *problem_; }
  const std::vector<NodeCount>& counts() const { return counts_; }
  std::span<const double> inlet_c() const { return inlet_c_; }
  double peak_c() const { return inlet_c_[peak_zone_]; }
  ZoneId peak_zone() const { return peak_zone_; }

  // The change of the zone's power when one node of the group is removed
  // (returned as a positive number) or added.
  double RemovalWatts(std::size_t group) const;
  double AdditionWatts(std::size_t group) const;
  // Moves nodes from group `out` to group `in`. REQUIRES out != in, that many
  // chosen nodes in `out` and that much free capacity in `in`.
  void Swap(std::size_t out, std::size_t in) { Move(out, in, 1); }
  void Move(std::size_t out, std::size_t in, NodeCount nodes);
  // Replaces all counts. Cost: one column of D for each group that changes.
  void MoveTo(const std::vector<NodeCount>& counts);

 private:
  void FindPeak();
  double ChangeCount(std::size_t group, int nodes);

  const ThermalProblem* problem_;
  std::vector<NodeCount> counts_;
  std::vector<NodeCount> chosen_in_zone_;
  std::vector<double> inlet_c_;
  ZoneId peak_zone_ = 0;
};

// Converts the real solution of the relaxation to the nearest integer solution
// (the discretisation of Tang et al. used in joint-allocation-sst,
// section 4.1): rounds each x_g down, then adds a node to the groups with the
// largest fractional parts until the counts sum to nodes_to_choose(). Ties: the
// lower price, then the first group. nodes, prices: by group.
std::vector<NodeCount> RoundLargestParts(const ThermalProblem& problem,
                                         std::span<const double> nodes,
                                         std::span<const double> prices);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_GROUP_PLACEMENT_H_
