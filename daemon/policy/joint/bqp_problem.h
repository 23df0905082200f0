// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_JOINT_BQP_PROBLEM_H_
#define COOLSPAN_POLICY_JOINT_BQP_PROBLEM_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/budget.h"
#include "core/room.h"
#include "policy/joint/latencies.h"
#include "policy/place_demand.h"

namespace coolspan {

// The weights of Cost_comm and Cost_cool (joint-bqp-task-mapping, equation 8).
struct BqpWeights {
  double alpha = 0;
  double beta = 0;
};

// The inputs of Cost_cool (equation 10).
struct BqpHeat {
  const RoomView* room = nullptr;             // nullptr if beta is 0
  std::span<const double> inlet_sum_k_per_w;  // column sums of D, by zone
  double communication_share = 0;
};

// Interchangeable nodes: at one place, in one zone, with equal power.
struct BqpSite {
  std::uint32_t place = 0;
  ZoneId zone = 0;
  NodeCount first = 0;  // index into BqpProblem::nodes
  NodeCount count = 0;
  double cost = 0;  // of each node, without pairs and zones
};

// A number of nodes chosen from a site.
struct BqpTaken {
  std::uint32_t site = 0;
  NodeCount nodes = 0;

  friend bool operator==(const BqpTaken&, const BqpTaken&) = default;
};

// The objective of one decision (joint-bqp-task-mapping):
//
//   minimise    alpha' * Cost_comm(X) + beta' * Cost_cool(X)           (8)
//   Cost_comm = X^T H X / n                                            (9)
//   Cost_cool = sum(D (P_active o X) + T_sup + D P_idle) / U          (10)
//   subject to  E X = n
//
// Without the constants T_sup + D P_idle this is
//
//   pair_weight * sum_{a<b} H_ab + sum of site costs + sum of zone costs
//
// over the chosen and the required nodes, where
//
//   pair_weight = 2 alpha' / n
//   site cost   = alpha' H_aa / n + beta' s_z P_active,a
//   zone cost   = beta' s_z P_idle,z, paid once for a zone that is off
//   s_z         = sum_i D_iz
//
// The paper determines its scaling factors empirically. Here alpha' = alpha /
// communication_range and beta' = beta / heat_range_k, the ranges of the two
// costs over random sets of nodes for the same request. U is the same for all
// of these and cancels.
struct BqpProblem {
  // Draws random sets to measure the ranges: at least two, more within budget.
  BqpProblem(const Latencies& latencies, const BqpWeights& weights,
             const BqpHeat& heat, const Choice& choice, Budget& budget);

  double ObjectiveOf(std::span<const BqpTaken> taken) const;
  // The taken and the required nodes, unsorted.
  std::vector<NodeId> NodesOf(std::span<const BqpTaken> taken) const;
  NodeCount size() const {
    return static_cast<NodeCount>(required.size()) + nodes_to_choose;
  }
  // The minimum zone cost per node if max_nodes nodes are chosen.
  double ZoneShare(const BqpSite& site, NodeCount max_nodes) const;

  const Latencies& latencies;
  std::vector<BqpSite> sites;
  std::vector<NodeId> nodes;  // by site, ascending
  std::vector<NodeId> required;
  NodeCount nodes_to_choose = 0;  // n without the required nodes
  double pair_weight = 0;
  double required_cost = 0;           // of required nodes, without pairs
  double rounding = 0;                // tolerance for equal objectives
  std::vector<double> zone_cost;      // by zone; empty: all 0
  std::vector<NodeCount> zone_nodes;  // nodes of the sites, by zone

  // The ranges of the two costs over random sets: in units of H, and in kelvins
  // summed over all inlets (0 without a room). Reported in the trace.
  double communication_range = 0;
  double heat_range_k = 0;

 private:
  struct HeatRise {  // in kelvins, summed over all inlets
    double of_required = 0;
    std::vector<double> of_site;
    std::vector<double> of_zone;
  };

  void AddSites(const Choice& choice, const BqpHeat& heat);
  HeatRise AddedHeat(const BqpHeat& heat) const;
  void MeasureRanges(const HeatRise& added, const BqpWeights& weights,
                     std::uint64_t seed, Budget& budget);
  // sum_a H_aa over the nodes.
  double SelfLatencyTotal(std::span<const NodeId> node_ids) const;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_BQP_PROBLEM_H_
