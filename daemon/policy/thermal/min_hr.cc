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

// What so many nodes of one zone cost at least: cheapest groups first.
struct ZoneCost {
  std::size_t first_group;
  std::size_t end_group;
  std::vector<double> cost;  // by nodes, from 0
};

// Least recirculated heat in total (MinHR: Moore et al., Making scheduling
// "cool", USENIX 2005, which gives each place of a room power by how much of
// its heat comes back): the sum over all inlets of what the job adds to them,
// a column sum of D for each added watt.
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
  if (problem.has_waking()) {
    const bool complete = ChooseByZone(problem, decision.budget, counts);
    trace.Note("least", complete ? "yes" : "not in time");
  }
  return problem.NodesOf(counts);
}

// Waking watts are shared out among all that a zone could give.
std::vector<NodeCount> MinHr::ChooseBySharedPrice(
    const ThermalProblem& problem) const {
  const auto groups = problem.groups();
  std::vector<double> price(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const ZoneId zone = groups[g].zone;
    const NodeCount sharing = std::min(problem.CapacityOf(zone),
                                       std::max(problem.nodes_to_choose(), 1U));
    price[g] = column_sums_[zone] *
               (groups[g].watts + problem.WakingWatts(zone) / sharing);
  }
  return problem.Cheapest(price);
}

std::vector<ZoneCost> MinHr::ZoneCosts(const ThermalProblem& problem) const {
  const auto groups = problem.groups();
  std::vector<ZoneCost> zones;
  for (std::size_t g = 0; g < groups.size();) {
    const ZoneId zone = groups[g].zone;
    ZoneCost zone_cost{g, g, {0.0}};
    double watts = problem.WakingWatts(zone);
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

// Zones that wake cost something at once, so the cheapest nodes are found zone
// by zone: the least that k nodes of the zones so far cost, for each k. A
// column sum below 0 would make the warmest group of a zone the cheapest; then
// the answer is only close to the least.
bool MinHr::ChooseByZone(const ThermalProblem& problem, Budget& budget,
                         std::vector<NodeCount>& counts) const {
  constexpr double kInfeasible = std::numeric_limits<double>::infinity();
  constexpr std::uint64_t kMaxTable = 100'000'000;
  const NodeCount n = problem.nodes_to_choose();
  const std::vector<ZoneCost> zones = ZoneCosts(problem);
  if (std::uint64_t{n} * zones.size() > kMaxTable) return false;
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
