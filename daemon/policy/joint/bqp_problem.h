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

// What equation 8 of joint-bqp-task-mapping weighs the two costs with.
struct BqpWeights {
  double alpha = 0;
  double beta = 0;
};

// A room as equation 10 sees it: the sum over all inlets of what a watt in each
// zone adds to them, and what a job's nodes draw.
struct BqpHeat {
  const RoomView* room = nullptr;             // nullptr: beta is 0
  std::span<const double> inlet_sum_k_per_w;  // by zone: the column sums of D
  double communication_share = 0;
};

// Nodes that can stand for each other: at one place, in one zone, of as many
// watts.
struct BqpSite {
  std::uint32_t place = 0;
  ZoneId zone = 0;
  NodeCount first = 0;  // in BqpProblem::nodes
  NodeCount count = 0;
  double cost = 0;  // of each node by itself
};

// How many nodes of a site.
struct BqpTaken {
  std::uint32_t site = 0;
  NodeCount nodes = 0;

  friend bool operator==(const BqpTaken&, const BqpTaken&) = default;
};

// Equation 8 for one decision: the least of
//
//   pair_weight * latency over pairs + site costs + zone costs
//
// over `nodes_to_choose` nodes of the sites, the required nodes always there.
// Sites say what their nodes heat; a zone's cost comes with the first node
// taken in it, where idle zones are off and this one is.
//
// The two terms of equation 8 are scaled by what they range over in random sets
// of nodes for the same request. Costs of equation 10 are divided by U there;
// that is the same for all choices, and for those sets, so it cancels out.
struct BqpProblem {
  // Spends budget on the random sets; without any there are two of them.
  BqpProblem(const Latencies& latencies, const BqpWeights& weights,
             const BqpHeat& heat, const Choice& choice, Budget& budget);

  double ObjectiveOf(std::span<const BqpTaken> taken) const;
  // The taken nodes and the required ones, not sorted.
  std::vector<NodeId> NodesOf(std::span<const BqpTaken> taken) const;
  NodeCount size() const {
    return static_cast<NodeCount>(required.size()) + nodes_to_choose;
  }
  // The least a node's zone costs it, where all of `most` nodes share it.
  double ZoneShare(const BqpSite& site, NodeCount max_nodes) const;

  const Latencies& latencies;
  std::vector<BqpSite> sites;
  std::vector<NodeId> nodes;      // by site, ascending
  std::vector<NodeId> required;   // required
  NodeCount nodes_to_choose = 0;  // besides those
  double pair_weight = 0;
  double required_cost = 0;       // of required nodes, pairs apart
  double rounding = 0;            // objectives this near each other are equal
  std::vector<double> zone_cost;  // by zone; empty: no zone costs anything
  std::vector<NodeCount> zone_nodes;  // in sites, by zone, as zone_cost

  // For people: what the two costs range over in random sets, 0 for a term
  // that is not weighed. In units of H, and kelvins summed over all inlets.
  double communication_range = 0;
  double heat_range_k = 0;

 private:
  struct HeatRise {  // summed over all inlets
    double of_required = 0;
    std::vector<double> of_site;
    std::vector<double> of_zone;
  };

  void AddSites(const Choice& choice, const BqpHeat& heat);
  HeatRise AddedHeat(const BqpHeat& heat) const;
  void MeasureRanges(const HeatRise& added, const BqpWeights& weights,
                     std::uint64_t seed, Budget& budget);
  double SelfLatencyTotal(std::span<const NodeId> of) const;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_JOINT_BQP_PROBLEM_H_
