// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/schedulers/node_groups.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace coolspan {
namespace {

double EfficiencyOf(const Room::NodePower& power) {
  const double busy_w = std::max(power.compute_w, power.communicate_w);
  return power.speed / std::max(busy_w, 1e-9);
}

// Types with the same power specification are together.
bool IsMoreEfficient(const Room::NodePower& a, const Room::NodePower& b) {
  const auto key = [](const Room::NodePower& power) {
    return std::tuple(-EfficiencyOf(power), power.idle_w, power.compute_w,
                      power.communicate_w, power.speed);
  };
  return key(a) < key(b);
}

}  // namespace

NodeGroups::NodeGroups(const Machine& machine,
                       std::span<const WorkloadJob> jobs) {
  const NodeCount nodes = machine.node_count();
  whole_ = {NodeSet::All(nodes), nodes, 1};
  if (machine.room() == nullptr) {
    groups_ = {whole_};
    return;
  }
  const Room& room = *machine.room();
  const std::vector<Room::NodePower>& types = room.description().types;
  std::vector<std::size_t> order(types.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return IsMoreEfficient(types[a], types[b]);
  });
  const bool by_type =
      std::any_of(jobs.begin(), jobs.end(),
                  [](const WorkloadJob& job) { return job.node_type >= 0; });
  group_of_type_.resize(types.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || by_type ||
        IsMoreEfficient(types[order[i - 1]], types[order[i]])) {
      groups_.push_back({NodeSet(nodes), 0, types[order[i]].speed});
    }
    group_of_type_[order[i]] = groups_.size() - 1;
  }
  for (NodeId node = 0; node < nodes; ++node) {
    NodeGroup& group =
        groups_[group_of_type_[room.description().type_of[node]]];
    group.nodes.Insert(node);
    ++group.count;
  }
  whole_.speed = groups_.front().speed;
  for (const NodeGroup& group : groups_) {
    if (group.count > 0) whole_.speed = std::min(whole_.speed, group.speed);
  }
}

std::vector<std::size_t> NodeGroups::GroupsFor(const WorkloadJob& job) const {
  if (job.node_type >= 0) {
    return {group_of_type_[static_cast<std::size_t>(job.node_type)]};
  }
  std::vector<std::size_t> large_enough;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].count >= job.nodes) large_enough.push_back(g);
  }
  return large_enough;
}

}  // namespace coolspan
