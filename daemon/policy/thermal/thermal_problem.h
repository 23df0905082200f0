// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_THERMAL_PROBLEM_H_
#define COOLSPAN_POLICY_THERMAL_THERMAL_PROBLEM_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/room.h"
#include "policy/place_demand.h"

namespace coolspan {

// Interchangeable nodes: in one zone, each adding the same watts.
struct HeatGroup {
  ZoneId zone = 0;
  double watts = 0;        // added by each node when chosen; >= 0
  NodeCount capacity = 0;  // nodes that can be chosen; >= 1
};

// The thermal placement problem of one request: how many nodes of each group to
// choose in addition to the required nodes. view and choice must outlive it.
class ThermalProblem {
 public:
  ThermalProblem(const RoomView& view, const Choice& choice,
                 double communication_share);

  const HeatMatrix& heat() const { return view_.room().heat(); }
  ZoneId zone_count() const { return heat().zone_count(); }
  // Sorted by zone, then watts.
  std::span<const HeatGroup> groups() const { return groups_; }
  // n without the required nodes; at most the capacity of all groups.
  NodeCount nodes_to_choose() const { return nodes_to_choose_; }
  // T_i(0), by zone: steady-state inlets with the required nodes placed.
  std::span<const double> inlet_c() const { return inlet_c_; }
  // The idle power that the first chosen node of the zone adds: that of a zone
  // that is off, else 0.
  double PowerOnWatts(ZoneId zone) const {
    return power_on_w_.empty() ? 0 : power_on_w_[zone];
  }
  bool has_power_on() const { return !power_on_w_.empty(); }
  // The capacity of all groups of the zone.
  NodeCount CapacityOf(ZoneId zone) const { return capacity_[zone]; }

  // The counts by group of the nodes_to_choose() cheapest nodes. prices: of a
  // node, by group. Ties: the first group.
  std::vector<NodeCount> Cheapest(std::span<const double> prices) const;
  // Groups partitioned by price: all nodes of the groups before the pivot are
  // among the cheapest, some of the pivot's, none of those after it.
  struct Order {
    std::vector<std::uint32_t> groups;
    std::size_t pivot = 0;
    NodeCount nodes_of_pivot = 0;  // chosen of groups[pivot]
  };
  Order ByPrice(std::span<const double> prices) const;

  // The power added by these counts, by ascending zone, each zone once.
  std::vector<ZonePower> PowerOf(std::span<const NodeCount> counts) const;
  // The required nodes and the first nodes of each group, by id.
  // REQUIRES that counts sum to nodes_to_choose().
  std::vector<NodeId> NodesOf(std::span<const NodeCount> counts) const;
  // By NodeId: the group of a node that can be chosen, else kNoGroup.
  std::vector<std::uint32_t> GroupOfNodes() const;
  static constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

 private:
  void AddGroups(ZoneId zone);

  const RoomView& view_;
  const Choice& choice_;
  double communication_share_;
  NodeCount nodes_to_choose_;
  std::vector<HeatGroup> groups_;
  std::vector<NodeId> members_;      // by group, then id
  std::vector<NodeCount> capacity_;  // by zone
  std::vector<double> inlet_c_;
  std::vector<double> power_on_w_;  // empty: 0 everywhere
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_THERMAL_PROBLEM_H_
