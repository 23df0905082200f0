// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "policy/policies.h"
#include "policy/thermal/recirculation_sums.h"
#include "policy/thermal/thermal_policy.h"
#include "policy/thermal/thermal_problem.h"

namespace coolspan {
namespace {

// The minimum cost of k nodes of one zone, taken from the cheapest groups
// first.
struct ZoneCost {
  std::size_t first_group;
  std::size_t end_group;
  std::vector<double> cost;  // by k, from 0
};

// Minimum heat recirculation (MinHR: Moore et al., Making scheduling "cool",
// USENIX 2005). Minimises the sum of the rises of all inlets,
//
//   sum_i (D w)_i = sum_j s_j w_j,  s_j = sum_i D[i, j]
//
// for w_j watts added in zone j.
class MinHr final : public ThermalPolicy {
 public:
  explicit MinHr(const Room& room) : column_sums_(RecirculationSums(room)) {}

  std::string_view name() const override { return "min-hr"; }

 private:
  std::vector<NodeId> ChooseNodes(const Decision& decision,
                                  Trace& trace) const override;
  std::vector<NodeCount> ChooseBySharedPrice(
      const ThermalProblem& problem) const;
  std::vector<ZoneCost> ZoneCosts(const ThermalProblem& problem) const;
  bool ChooseByZone(const ThermalProblem& problem, Budget& budget,
                    std::vector<NodeCount>& counts) const;

  std::vector<double> column_sums_;
};

std::vector<NodeId> MinHr::ChooseNodes(const Decision& decision,
                                       Trace& trace) const {
  const ThermalProblem problem(decision.room, decision.choice,
                               decision.communication_share);
  std::vector<NodeCount> counts = ChooseBySharedPrice(problem);
  if (problem.has_power_on()) {
    const bool complete = ChooseByZone(problem, decision.budget, counts);
    trace.Note("least", complete ? "yes" : "no, out of budget");
  }
  return problem.NodesOf(counts);
}

// Divides the idle power of a zone that is off among all nodes it can give.
std::vector<NodeCount> MinHr::ChooseBySharedPrice(
    const ThermalProblem& problem) const {
  const auto groups = problem.groups();
  std::vector<double> price(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const ZoneId zone = groups[g].zone;
    const NodeCount sharing = std::min(problem.CapacityOf(zone),
                                       std::max(problem.nodes_to_choose(), 1U));
    price[g] = column_sums_[zone] *
               (groups[g].watts + problem.PowerOnWatts(zone) / sharing);
  }
  return problem.Cheapest(price);
}

std::vector<ZoneCost> MinHr::ZoneCosts(const ThermalProblem& problem) const {
  const auto groups = problem.groups();
  std::vector<ZoneCost> zones;
  for (std::size_t g = 0; g < groups.size();) {
    const ZoneId zone = groups[g].zone;
    ZoneCost zone_cost{g, g, {0.0}};
    double watts = problem.PowerOnWatts(zone);
    for (; g < groups.size() && groups[g].zone == zone; ++g) {
      for (NodeCount i = 0; i < groups[g].capacity; ++i) {
        watts += groups[g].watts;
        zone_cost.cost.push_back(watts * column_sums_[zone]);
      }
    }
    zone_cost.end_group = g;
    zones.push_back(std::move(zone_cost));
  }
  return zones;
}

// The first node of a zone that is off adds the zone's idle power, so the nodes
// are chosen by dynamic programming over zones:
//
//   f_z(k) = min_i (f_{z-1}(k - i) + cost_z(i))
//
// Optimal if all column sums s_j >= 0; with s_j < 0 the groups of zone j would
// have to be taken in reverse order. Returns false without a result if the
// budget or the table size ends it.
bool MinHr::ChooseByZone(const ThermalProblem& problem, Budget& budget,
                         std::vector<NodeCount>& counts) const {
  constexpr double kInfeasible = std::numeric_limits<double>::infinity();
  constexpr std::uint64_t kMaxSums = 100'000'000;
  const NodeCount n = problem.nodes_to_choose();
  const std::vector<ZoneCost> zones = ZoneCosts(problem);
  if (std::uint64_t{n} * zones.size() > kMaxSums) return false;
  std::vector<double> min_cost(n + 1, kInfeasible);
  min_cost[0] = 0;
  std::vector<std::vector<std::uint32_t>> taken;  // by zone, then k
  for (const ZoneCost& zone : zones) {
    if (!budget.Spend(std::uint64_t{n} * zone.cost.size())) return false;
    std::vector<double> next(n + 1, kInfeasible);
    std::vector<std::uint32_t> count(n + 1, 0);
    for (NodeCount k = 0; k <= n; ++k) {
      const auto max_i = std::min<std::size_t>(k, zone.cost.size() - 1);
      for (std::size_t i = 0; i <= max_i; ++i) {
        const double cost = min_cost[k - i] + zone.cost[i];
        if (cost < next[k]) {
          next[k] = cost;
          count[k] = static_cast<std::uint32_t>(i);
        }
      }
    }
    min_cost = std::move(next);
    taken.push_back(std::move(count));
  }
  counts.assign(counts.size(), 0);
  NodeCount left = n;
  for (std::size_t z = zones.size(); z-- > 0;) {
    NodeCount count = taken[z][left];
    left -= count;
    for (std::size_t g = zones[z].first_group; g < zones[z].end_group; ++g) {
      counts[g] = std::min(count, problem.groups()[g].capacity);
      count -= counts[g];
    }
  }
  return true;
}

}  // namespace

std::unique_ptr<Policy> MakeMinHr(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& /*options*/) {
  return std::make_unique<MinHr>(*machine->room());
}

}  // namespace coolspan
