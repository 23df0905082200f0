// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/tiers.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace coolspan {
namespace {

// Nodes that are added one by one, and whether the demand can be met with some
// of them: with all that are taken, and at most max_nodes in total.
class GrowingSet {
 public:
  GrowingSet(const Demand& demand, const UnitsByNode& free_units)
      : demand_(demand), free_units_(free_units) {}

  // A node that is part of the answer. REQUIRES no Add before.
  void Take(NodeId node) {
    ++count_;
    ++taken_;
    if (demand_.units > 0) units_ += free_units_[node];
  }
  void Add(NodeId node) {
    ++count_;
    if (demand_.units == 0 || taken_ >= demand_.max_nodes) return;
    // The other nodes of the answer with most units, fewest first.
    others_.push(free_units_[node]);
    units_ += free_units_[node];
    if (others_.size() <= demand_.max_nodes - taken_) return;
    units_ -= others_.top();
    others_.pop();
  }
  bool MeetsDemand() const {
    return count_ >= demand_.min_nodes && units_ >= demand_.units;
  }
  // The same, and not more nodes are taken than the demand has.
  bool MeetsDemandWithTaken() const {
    return MeetsDemand() && taken_ <= (demand_.units > 0 ? demand_.max_nodes
                                                         : demand_.min_nodes);
  }

 private:
  const Demand& demand_;
  const UnitsByNode& free_units_;
  NodeCount count_ = 0;
  NodeCount taken_ = 0;
  std::uint64_t units_ = 0;  // of the best answer
  std::priority_queue<Units, std::vector<Units>, std::greater<>> others_;
};

// Whether the demand can be met with all the taken nodes and others of nodes.
bool IsMetWith(const NodeSet& taken, const NodeSet& nodes, const Demand& demand,
               const UnitsByNode& free_units) {
  GrowingSet set(demand, free_units);
  taken.ForEach([&](NodeId node) { set.Take(node); });
  nodes.ForEach([&](NodeId node) {
    if (!taken.Contains(node)) set.Add(node);
  });
  return set.MeetsDemandWithTaken();
}

// The first so many of the nodes, which are in the order of their tiers, that
// the answer can have all of, up to the end of a tier.
// ends: positions after the last node of each tier, ascending.
std::size_t CountRequired(const NodeSet& required,
                          std::span<const std::pair<Tier, NodeId>> nodes,
                          std::span<const std::size_t> ends,
                          const NodeSet& available, const Demand& demand,
                          const UnitsByNode& free_units) {
  // If an answer can have all of a tier, it can have all of those before.
  const auto first_that_fails =
      std::partition_point(ends.begin(), ends.end(), [&](std::size_t end) {
        NodeSet taken = required;
        for (const auto& [tier, node] : nodes.first(end)) taken.Insert(node);
        return IsMetWith(taken, available, demand, free_units);
      });
  return first_that_fails == ends.begin() ? 0 : *(first_that_fails - 1);
}

}  // namespace

TieredRequest LimitToTiers(const Request& request, const NodeSet& available,
                           std::span<const Tier> tiers,
                           const UnitsByNode& free_units) {
  const Demand& demand = request.demand;
  TieredRequest limited{NodeSet(available.size()), request};
  GrowingSet set(demand, free_units);
  if (request.required.size() != 0) {
    if (!request.required.IsSubsetOf(available)) return {available, request};
    limited.available |= request.required;
    request.required.ForEach([&](NodeId node) { set.Take(node); });
  }
  NodeSet required = limited.available;
  std::vector<std::pair<Tier, NodeId>> nodes;
  available.ForEach([&](NodeId node) {
    if (!required.Contains(node)) nodes.emplace_back(tiers[node], node);
  });
  std::sort(nodes.begin(), nodes.end());
  std::vector<std::size_t> ends;  // of the tiers before the last
  std::size_t next = 0;
  while (next < nodes.size() && !set.MeetsDemand()) {
    if (next > 0) ends.push_back(next);
    const Tier tier = nodes[next].first;
    for (; next < nodes.size() && nodes[next].first == tier; ++next) {
      limited.available.Insert(nodes[next].second);
      set.Add(nodes[next].second);
    }
  }
  if (!set.MeetsDemand()) return {available, request};
  const std::size_t count = CountRequired(
      required, nodes, ends, limited.available, demand, free_units);
  if (count == 0) return limited;
  for (std::size_t i = 0; i < count; ++i) required.Insert(nodes[i].second);
  limited.request.required = std::move(required);
  return limited;
}

}  // namespace coolspan
