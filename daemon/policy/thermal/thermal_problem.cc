// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/thermal_problem.h"

#include <algorithm>
#include <utility>

namespace coolspan {

ThermalProblem::ThermalProblem(const RoomView& view, const Choice& choice,
                               double communication_share)
    : view_(view),
      choice_(choice),
      communication_share_(communication_share),
      nodes_to_choose_(choice.nodes - choice.required_count),
      capacity_(view.room().zone_count(), 0),
      inlet_c_(view.inlet_c().begin(), view.inlet_c().end()) {
  const Room& room = view.room();
  if (!room.idle_on()) {
    power_on_w_.resize(zone_count());
    for (ZoneId zone = 0; zone < zone_count(); ++zone) {
      power_on_w_[zone] = view.WakingWatts(zone);
    }
  }
  if (choice.required_count > 0) {
    std::vector<double> added_w(zone_count(), 0.0);
    choice.required.ForEach([&](NodeId node) {
      const ZoneId zone = room.ZoneOf(node);
      added_w[zone] +=
          room.AddedWatts(node, communication_share) + PowerOnWatts(zone);
      if (!power_on_w_.empty()) power_on_w_[zone] = 0;
    });
    std::vector<ZonePower> emitters;
    for (ZoneId zone = 0; zone < zone_count(); ++zone) {
      if (added_w[zone] != 0) emitters.push_back({zone, added_w[zone]});
    }
    heat().AddRise(emitters, inlet_c_);
  }
  if (std::all_of(power_on_w_.begin(), power_on_w_.end(),
                  [](double watts) { return watts == 0; })) {
    power_on_w_.clear();
  }
  for (ZoneId zone = 0; zone < zone_count(); ++zone) AddGroups(zone);
}

void ThermalProblem::AddGroups(ZoneId zone) {
  const Room& room = view_.room();
  const std::size_t first = members_.size();
  const auto watts = [&](NodeId node) {
    return room.AddedWatts(node, communication_share_);
  };
  for (const NodeId node : room.NodesOf(zone)) {
    if (!choice_.available.Contains(node) ||
        (choice_.required_count > 0 && choice_.required.Contains(node))) {
      continue;
    }
    members_.push_back(node);
  }
  std::stable_sort(members_.begin() + static_cast<std::ptrdiff_t>(first),
                   members_.end(),
                   [&](NodeId a, NodeId b) { return watts(a) < watts(b); });
  for (std::size_t i = first; i < members_.size(); ++i) {
    const double own = watts(members_[i]);
    if (i == first || groups_.back().watts != own) {
      groups_.push_back({zone, own, 0});
    }
    ++groups_.back().capacity;
    ++capacity_[zone];
  }
}

std::vector<ZonePower> ThermalProblem::PowerOf(
    std::span<const NodeCount> counts) const {
  std::vector<ZonePower> power;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (counts[g] == 0) continue;
    const HeatGroup& group = groups_[g];
    if (power.empty() || power.back().zone != group.zone) {
      power.push_back({group.zone, PowerOnWatts(group.zone)});
    }
    power.back().watts += counts[g] * group.watts;
  }
  return power;
}

std::vector<NodeId> ThermalProblem::NodesOf(
    std::span<const NodeCount> counts) const {
  std::vector<NodeId> nodes = choice_.required.Members();
  nodes.reserve(choice_.nodes);
  auto first = members_.begin();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    nodes.insert(nodes.end(), first, first + counts[g]);
    first += groups_[g].capacity;
  }
  return nodes;
}

std::vector<std::uint32_t> ThermalProblem::GroupOfNodes() const {
  std::vector<std::uint32_t> group_of(view_.room().node_count(), kNoGroup);
  auto member = members_.begin();
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    for (NodeCount i = 0; i < groups_[g].capacity; ++i) group_of[*member++] = g;
  }
  return group_of;
}

// Quickselect weighted by the capacities. A group has at least one node, so at
// most n groups precede the pivot: the first cut is there.
ThermalProblem::Order ThermalProblem::ByPrice(
    std::span<const double> prices) const {
  std::vector<std::pair<double, std::uint32_t>> priced;
  priced.reserve(groups_.size());
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    priced.emplace_back(prices[g], g);
  }
  Order order;
  order.nodes_of_pivot = nodes_to_choose_;
  auto low = priced.begin();
  auto high = priced.end();
  std::ptrdiff_t cut =
      std::min<std::ptrdiff_t>(order.nodes_of_pivot, high - low - 1);
  while (high - low > 1) {
    const auto middle = low + cut;
    std::nth_element(low, middle, high);
    NodeCount below = 0;
    for (auto it = low; it != middle; ++it)
      below += groups_[it->second].capacity;
    if (below >= order.nodes_of_pivot) {
      high = middle;
    } else {
      order.nodes_of_pivot -= below;
      low = middle;
    }
    cut = (high - low) / 2;
  }
  order.pivot = static_cast<std::size_t>(low - priced.begin());
  order.groups.reserve(priced.size());
  for (const auto& [price, g] : priced) order.groups.push_back(g);
  return order;
}

std::vector<NodeCount> ThermalProblem::Cheapest(
    std::span<const double> prices) const {
  std::vector<NodeCount> counts(prices.size(), 0);
  if (nodes_to_choose_ == 0) return counts;
  const Order order = ByPrice(prices);
  for (std::size_t i = 0; i < order.pivot; ++i) {
    counts[order.groups[i]] = groups_[order.groups[i]].capacity;
  }
  counts[order.groups[order.pivot]] = order.nodes_of_pivot;
  return counts;
}

}  // namespace coolspan
