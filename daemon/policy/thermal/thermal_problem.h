// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_THERMAL_PROBLEM_H_
#define COOLSPAN_POLICY_THERMAL_THERMAL_PROBLEM_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/room.h"
#include "policy/place_demand.h"

namespace coolspan {

// Nodes that heat alike: of one zone, each adding the same watts to it.
struct HeatGroup {
  ZoneId zone = 0;
  double watts = 0;        // above 0 or 0
  NodeCount capacity = 0;  // of its nodes that may be chosen, at least 1
};

// A choice as heat sees it: how many of each group, besides the required nodes.
// view and choice must outlive it.
class ThermalProblem {
 public:
  ThermalProblem(const RoomView& view, const Choice& choice,
                 double communication_share);

  const HeatMatrix& heat() const { return view_.room().heat(); }
  ZoneId zone_count() const { return heat().zone_count(); }
  // By zone, then watts.
  std::span<const HeatGroup> groups() const { return groups_; }
  NodeCount nodes_to_choose() const {
    return nodes_to_choose_;
  }  // at most what all groups have
  // By zone, with the required nodes placed, as the room will be once steady.
  std::span<const double> inlet_c() const { return inlet_c_; }
  // What the zone draws more as soon as a node of its groups is chosen.
  double WakingWatts(ZoneId zone) const {
    return waking_w_.empty() ? 0 : waking_w_[zone];
  }
  bool has_waking() const { return !waking_w_.empty(); }
  // Nodes that all groups of the zone have.
  NodeCount CapacityOf(ZoneId zone) const { return capacity_[zone]; }

  // The wanted nodes that are the cheapest, by the price of a node of each
  // group: how many of each. Ties: the first groups.
  std::vector<NodeCount> Cheapest(std::span<const double> prices) const;
  // Groups from the cheapest on, as far as `place`, the one with the dearest
  // node that is bought; what comes before it is cheaper, after it dearer, in
  // no order.
  struct Order {
    std::vector<std::uint32_t> groups;
    std::size_t pivot = 0;
    NodeCount nodes_of_pivot = 0;  // nodes bought of groups[place]
  };
  Order ByPrice(std::span<const double> prices) const;

  // Watts that so many of each group add, zones ascending, none twice.
  std::vector<ZonePower> PowerOf(std::span<const NodeCount> counts) const;
  // The required nodes, and of each group so many, the smallest ids.
  // REQUIRES counts that add up to nodes_to_choose().
  std::vector<NodeId> NodesOf(std::span<const NodeCount> counts) const;
  // By NodeId: the group of each node that may be chosen, kNoGroup elsewhere.
  std::vector<std::uint32_t> GroupOfNodes() const;
  static constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

 private:
  void AddGroups(ZoneId zone);

  const RoomView& view_;
  const Choice& choice_;
  double communication_share_;
  NodeCount nodes_to_choose_;
  std::vector<HeatGroup> groups_;
  std::vector<NodeId> members_;      // group after group, ids ascending in each
  std::vector<NodeCount> capacity_;  // by zone, as the others
  std::vector<double> inlet_c_;
  std::vector<double> waking_w_;  // empty: 0 everywhere
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_THERMAL_PROBLEM_H_
