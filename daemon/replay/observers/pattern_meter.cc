// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/pattern_meter.h"

#include <algorithm>
#include <utility>

#include "core/budget.h"
#include "mapping/in_order.h"
#include "mapping/table.h"

namespace coolspan {

PatternMeter::PatternMeter(std::shared_ptr<const Machine> machine,
                           std::shared_ptr<const PatternChoice> pattern)
    : machine_(std::move(machine)),
      patterns_(std::move(pattern)),
      mapper_(MakeMapper(kDefaultMapper).value()),
      bisection_(MakeMapper("rcb:swaps=0").value()) {}

void PatternMeter::Gains::Add(double cost, double in_order_cost) {
  if (in_order_cost == 0) return;
  constexpr double kPercent = 100;
  const double gain = kPercent * (in_order_cost - cost) / in_order_cost;
  sum += gain;
  max = std::max(max, gain);
}

std::optional<PatternCost> PatternMeter::Measure(
    const std::vector<NodeId>& nodes, std::uint64_t seed) {
  auto pattern = patterns_.ForJob(static_cast<NodeCount>(nodes.size()));
  if (pattern == nullptr) return std::nullopt;
  auto problem = MakeMappingProblem(std::move(pattern), nodes, std::nullopt);
  if (!problem.ok()) return std::nullopt;
  problem->seed = seed;
  const Topology& topology = machine_->topology();
  const auto per_node = [&](const RankToNode& rank_to_node) {
    return MappingCost(topology, *problem->pattern, rank_to_node) /
           static_cast<double>(nodes.size());
  };
  const auto mapped_by = [&](const Mapper& mapper) {
    Budget budget(kWork);
    return mapper.Map(topology, *problem, budget);
  };
  RankToNode rank_to_node = mapped_by(*mapper_);
  const double comm_cost = per_node(rank_to_node);
  return PatternCost{.comm_cost = comm_cost,
                     .in_order_cost = per_node(MapInOrder(*problem)),
                     .bisection_cost = per_node(mapped_by(*bisection_)),
                     .pattern = problem->pattern,
                     .rank_to_node = std::move(rank_to_node)};
}

void PatternMeter::Count(NodeCount nodes,
                         const std::optional<PatternCost>& cost) {
  if (!cost.has_value()) {
    ++unsuited_;
    return;
  }
  ++jobs_;
  if (nodes < 2) return;
  ++jobs_n2_;
  mapping_gains_.Add(cost->comm_cost, cost->in_order_cost);
  bisection_gains_.Add(cost->bisection_cost, cost->in_order_cost);
}

void PatternMeter::Report(RunReport& report) const {
  std::vector<NamedValue>& values = report.metrics;
  values.push_back({"pattern_jobs", static_cast<double>(jobs_)});
  values.push_back({"pattern_jobs_unsuited", static_cast<double>(unsuited_)});
  const auto jobs = static_cast<double>(jobs_n2_);
  values.push_back({"mapping_gain_percent", Ratio(mapping_gains_.sum, jobs)});
  values.push_back({"mapping_gain_percent_max", mapping_gains_.max});
  values.push_back(
      {"bisection_gain_percent", Ratio(bisection_gains_.sum, jobs)});
  values.push_back({"bisection_gain_percent_max", bisection_gains_.max});
}

}  // namespace coolspan
