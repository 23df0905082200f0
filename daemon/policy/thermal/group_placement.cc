// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/group_placement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace coolspan {

GroupPlacement::GroupPlacement(const ThermalProblem& problem,
                               std::vector<NodeCount> counts)
    : problem_(&problem),
      counts_(std::move(counts)),
      chosen_in_zone_(problem.zone_count(), 0),
      inlet_c_(problem.inlet_c().begin(), problem.inlet_c().end()) {
  for (std::size_t g = 0; g < counts_.size(); ++g) {
    chosen_in_zone_[problem.groups()[g].zone] += counts_[g];
  }
  problem.heat().AddRise(problem.PowerOf(counts_), inlet_c_);
  FindPeak();
}

void GroupPlacement::FindPeak() {
  peak_zone_ = static_cast<ZoneId>(
      std::max_element(inlet_c_.begin(), inlet_c_.end()) - inlet_c_.begin());
}

double GroupPlacement::RemovalWatts(std::size_t group) const {
  const HeatGroup& moved = problem_->groups()[group];
  return moved.watts + (chosen_in_zone_[moved.zone] == 1
                            ? problem_->PowerOnWatts(moved.zone)
                            : 0);
}

double GroupPlacement::AdditionWatts(std::size_t group) const {
  const HeatGroup& moved = problem_->groups()[group];
  return moved.watts + (chosen_in_zone_[moved.zone] == 0
                            ? problem_->PowerOnWatts(moved.zone)
                            : 0);
}

// Returns the change of the zone's power in watts.
double GroupPlacement::ChangeCount(std::size_t group, int nodes) {
  const HeatGroup& moved = problem_->groups()[group];
  const bool was_on = chosen_in_zone_[moved.zone] > 0;
  // For nodes < 0, unsigned wrap-around subtracts.
  const auto added = static_cast<NodeCount>(nodes);
  counts_[group] += added;
  chosen_in_zone_[moved.zone] += added;
  const bool is_on = chosen_in_zone_[moved.zone] > 0;
  return nodes * moved.watts +
         (int{is_on} - int{was_on}) * problem_->PowerOnWatts(moved.zone);
}

void GroupPlacement::Move(std::size_t out, std::size_t in, NodeCount nodes) {
  const auto groups = problem_->groups();
  const int count = static_cast<int>(nodes);
  const double removed_w = ChangeCount(out, -count);
  const double added_w = ChangeCount(in, count);
  const std::array<ZonePower, 2> changes = {
      ZonePower{groups[out].zone, removed_w},
      ZonePower{groups[in].zone, added_w}};
  problem_->heat().AddRise(changes, inlet_c_);
  FindPeak();
}

void GroupPlacement::MoveTo(const std::vector<NodeCount>& counts) {
  const auto groups = problem_->groups();
  std::vector<ZonePower> changes;
  for (std::size_t g = 0; g < counts.size(); ++g) {
    if (counts[g] == counts_[g]) continue;
    const int more = static_cast<int>(counts[g]) - static_cast<int>(counts_[g]);
    changes.push_back({groups[g].zone, ChangeCount(g, more)});
  }
  problem_->heat().AddRise(changes, inlet_c_);
  FindPeak();
}

std::vector<NodeCount> RoundLargestParts(const ThermalProblem& problem,
                                         std::span<const double> nodes,
                                         std::span<const double> prices) {
  constexpr double kIntegerTolerance = 1e-7;
  const auto groups = problem.groups();
  std::vector<NodeCount> counts(nodes.size());
  std::vector<std::tuple<double, double, std::size_t>> parts;
  NodeCount left = problem.nodes_to_choose();
  for (std::size_t g = 0; g < nodes.size(); ++g) {
    counts[g] = std::min(
        {groups[g].capacity, left,
         static_cast<NodeCount>(std::floor(nodes[g] + kIntegerTolerance))});
    left -= counts[g];
    if (counts[g] < groups[g].capacity) {
      const double part = std::max(0.0, nodes[g] - counts[g]);
      parts.emplace_back(-std::floor(part / kIntegerTolerance), prices[g], g);
    }
  }
  if (left == 0) return counts;
  if (left < parts.size()) {
    std::nth_element(parts.begin(), parts.begin() + left, parts.end());
    for (NodeCount i = 0; i < left; ++i) ++counts[std::get<2>(parts[i])];
    return counts;
  }
  std::sort(parts.begin(), parts.end());
  for (bool first = true; left > 0; first = false) {
    for (const auto& [part, price, g] : parts) {
      if (left == 0) break;
      const NodeCount spare = groups[g].capacity - counts[g];
      const NodeCount more = std::min({left, spare, first ? 1U : spare});
      counts[g] += more;
      left -= more;
    }
  }
  return counts;
}

}  // namespace coolspan
