// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_GROUP_PLACEMENT_H_
#define COOLSPAN_POLICY_THERMAL_GROUP_PLACEMENT_H_

#include <cstddef>
#include <span>
#include <vector>

#include "policy/thermal/thermal_problem.h"

namespace coolspan {

// So many nodes of each group, and the inlets they make: one node after another
// may go or come. All inlets, so the peak is the true one. Not thread-safe.
class GroupPlacement {
 public:
  GroupPlacement(const ThermalProblem& problem, std::vector<NodeCount> counts);

  const ThermalProblem& problem() const { return *problem_; }
  const std::vector<NodeCount>& counts() const { return counts_; }
  std::span<const double> inlet_c() const { return inlet_c_; }
  double peak_c() const { return inlet_c_[peak_zone_]; }
  ZoneId peak_zone() const { return peak_zone_; }

  // Watts that the zone draws less without one node of the group, or more with
  // one more.
  double RemovalWatts(std::size_t group) const;
  double AdditionWatts(std::size_t group) const;
  // REQUIRES a node of `out`, and one left of `in`, in other groups.
  void Swap(std::size_t out, std::size_t in) { Move(out, in, 1); }
  void Move(std::size_t out, std::size_t in, NodeCount nodes);
  // So many of each group instead; as much work as zones change.
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

// The largest parts become whole (Tang et al., the discretisation that
// joint-allocation-sst 4.1 takes): whole numbers of nodes, of each group as
// many or one more than the part says. Equal ones: the cheaper, then the first.
std::vector<NodeCount> RoundLargestParts(const ThermalProblem& problem,
                                         std::span<const double> nodes,
                                         std::span<const double> prices);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_GROUP_PLACEMENT_H_
