// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/group_placement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace coolspan {

GroupPlacement::GroupPlacement(const ThermalProblem& question,
                               std::vector<NodeCount> counts)
    : question_(&question),
      counts_(std::move(counts)),
      in_zone_(question.zone_count(), 0),
      inlet_c_(question.inlet_c().begin(), question.inlet_c().end()) {
  for (std::size_t g = 0; g < counts_.size(); ++g) {
    in_zone_[question.groups()[g].zone] += counts_[g];
  }
  question.heat().AddRise(question.PowerOf(counts_), inlet_c_);
  FindPeak();
}

void GroupPlacement::FindPeak() {
  peak_zone_ = static_cast<ZoneId>(
      std::max_element(inlet_c_.begin(), inlet_c_.end()) - inlet_c_.begin());
}

double GroupPlacement::WattsOfLeaving(std::size_t group) const {
  const HeatGroup& own = question_->groups()[group];
  return own.watts +
         (in_zone_[own.zone] == 1 ? question_->WakingWatts(own.zone) : 0);
}

double GroupPlacement::WattsOfComing(std::size_t group) const {
  const HeatGroup& own = question_->groups()[group];
  return own.watts +
         (in_zone_[own.zone] == 0 ? question_->WakingWatts(own.zone) : 0);
}

// Watts by which the zone changes.
double GroupPlacement::Change(std::size_t group, int nodes) {
  const HeatGroup& own = question_->groups()[group];
  const bool was_awake = in_zone_[own.zone] > 0;
  const auto added = static_cast<NodeCount>(nodes);  // wraps where below 0
  counts_[group] += added;
  in_zone_[own.zone] += added;
  const bool is_awake = in_zone_[own.zone] > 0;
  return nodes * own.watts +
         (int{is_awake} - int{was_awake}) * question_->WakingWatts(own.zone);
}

void GroupPlacement::Move(std::size_t out, std::size_t in, NodeCount nodes) {
  const auto groups = question_->groups();
  const int count = static_cast<int>(nodes);
  const double left_w = Change(out, -count);
  const double come_w = Change(in, count);
  const std::array<ZonePower, 2> changes = {ZonePower{groups[out].zone, left_w},
                                            ZonePower{groups[in].zone, come_w}};
  question_->heat().AddRise(changes, inlet_c_);
  FindPeak();
}

void GroupPlacement::MoveTo(const std::vector<NodeCount>& counts) {
  const auto groups = question_->groups();
  std::vector<ZonePower> changes;
  for (std::size_t g = 0; g < counts.size(); ++g) {
    if (counts[g] == counts_[g]) continue;
    const int more = static_cast<int>(counts[g]) - static_cast<int>(counts_[g]);
    changes.push_back({groups[g].zone, Change(g, more)});
  }
  question_->heat().AddRise(changes, inlet_c_);
  FindPeak();
}

std::vector<NodeCount> TakeLargestParts(const ThermalProblem& question,
                                        std::span<const double> nodes,
                                        std::span<const double> prices) {
  constexpr double kAsGoodAsWhole = 1e-7;
  const auto groups = question.groups();
  std::vector<NodeCount> counts(nodes.size());
  std::vector<std::tuple<double, double, std::size_t>> parts;
  NodeCount left = question.wanted();
  for (std::size_t g = 0; g < nodes.size(); ++g) {
    counts[g] = std::min(
        {groups[g].capacity, left,
         static_cast<NodeCount>(std::floor(nodes[g] + kAsGoodAsWhole))});
    left -= counts[g];
    if (counts[g] < groups[g].capacity) {
      const double part = std::max(0.0, nodes[g] - counts[g]);
      parts.emplace_back(-std::floor(part / kAsGoodAsWhole), prices[g], g);
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
      const NodeCount room = groups[g].capacity - counts[g];
      const NodeCount more = std::min({left, room, first ? 1U : room});
      counts[g] += more;
      left -= more;
    }
  }
  return counts;
}

}  // namespace coolspan
