// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/joint/bqp_pattern.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "mapping/mapper.h"
#include "mapping/table.h"

namespace coolspan {
namespace {

// A node that a task can be on.
struct Spot {
  NodeId node = 0;
  std::uint32_t place = 0;  // of H
  double cost = 0;          // of heat and of H_aa
  ZoneId zone = 0;
};

class PatternSearch {
 public:
  PatternSearch(const BqpProblem& problem, std::vector<double> bytes,
                const std::vector<NodeId>& task_to_node)
      : problem_(problem),
        tasks_(task_to_node.size()),
        bytes_(std::move(bytes)) {
    AddSpots();
    for (const NodeId node : task_to_node) {
      const auto spot = std::lower_bound(
          spots_.begin(), spots_.end(), node,
          [](const Spot& one, NodeId id) { return one.node < id; });
      at_.push_back(static_cast<std::size_t>(spot - spots_.begin()));
    }
    users_.assign(problem.zone_cost.size(), 0);
    is_used_.assign(spots_.size(), false);
    for (const std::size_t spot : at_) {
      is_used_[spot] = true;
      if (CountsZone(spot)) ++users_[spots_[spot].zone];
    }
  }

  PatternNodes Run(Budget& budget) {
    std::uint64_t moves = 0;
    while (MakeBestMove(budget)) ++moves;
    PatternNodes found;
    found.moves = moves;
    found.objective = Objective();
    for (const std::size_t spot : at_) found.nodes.push_back(spots_[spot].node);
    return found;
  }

 private:
  // Spots that a task cannot leave cost the same in all solutions.
  bool IsRequired(std::size_t spot) const {
    return std::binary_search(required_.begin(), required_.end(),
                              spots_[spot].node);
  }
  bool CountsZone(std::size_t spot) const {
    return !problem_.zone_cost.empty() && !IsRequired(spot);
  }

  void AddSpots() {
    required_ = problem_.required;
    std::sort(required_.begin(), required_.end());
    for (const BqpSite& site : problem_.sites) {
      for (NodeCount i = 0; i < site.count; ++i) {
        spots_.push_back(
            {problem_.nodes[site.first + i], site.place, site.cost, site.zone});
      }
    }
    for (const NodeId node : required_) {
      spots_.push_back({node, problem_.latencies.PlaceOf(node), 0, 0});
    }
    std::sort(spots_.begin(), spots_.end(),
              [](const Spot& a, const Spot& b) { return a.node < b.node; });
  }

  double Between(std::size_t a, std::size_t b) const {
    return problem_.latencies.Between(spots_[a].place, spots_[b].place);
  }

  // The cost of a task's traffic on a spot, except with one other task.
  double TrafficOf(std::size_t task, std::size_t spot,
                   std::size_t other) const {
    double cost = 0;
    for (std::size_t t = 0; t < tasks_; ++t) {
      const double bytes = bytes_[task * tasks_ + t];
      if (t == task || t == other || bytes == 0) continue;
      cost += bytes * Between(spot, at_[t]);
    }
    return cost;
  }

  double ZoneChange(std::size_t from, std::size_t to) const {
    if (problem_.zone_cost.empty()) return 0;
    const ZoneId off = spots_[from].zone;
    const ZoneId on = spots_[to].zone;
    if (off == on) return 0;
    return (users_[on] == 0 ? problem_.zone_cost[on] : 0) -
           (users_[off] == 1 ? problem_.zone_cost[off] : 0);
  }

  double ChangeByMove(std::size_t task, std::size_t to) const {
    const std::size_t from = at_[task];
    return problem_.pair_weight *
               (TrafficOf(task, to, task) - TrafficOf(task, from, task)) +
           spots_[to].cost - spots_[from].cost + ZoneChange(from, to);
  }

  double ChangeBySwap(std::size_t a, std::size_t b) const {
    const std::size_t at_a = at_[a];
    const std::size_t at_b = at_[b];
    return problem_.pair_weight *
           (TrafficOf(a, at_b, b) - TrafficOf(a, at_a, b) +
            TrafficOf(b, at_a, a) - TrafficOf(b, at_b, a));
  }

  void Move(std::size_t task, std::size_t to) {
    const std::size_t from = at_[task];
    if (!users_.empty()) {
      --users_[spots_[from].zone];
      ++users_[spots_[to].zone];
    }
    is_used_[from] = false;
    is_used_[to] = true;
    at_[task] = to;
  }

  // The first move and swap of each task that decrease the objective. Whether
  // there was one.
  bool MakeBestMove(Budget& budget) {
    bool improved = false;
    const double least = -problem_.rounding - 1e-12;
    for (std::size_t task = 0; task < tasks_; ++task) {
      if (!budget.Spend(tasks_ * (spots_.size() + tasks_))) return false;
      for (std::size_t to = 0; to < spots_.size(); ++to) {
        if (is_used_[to] || IsRequired(at_[task])) continue;
        if (ChangeByMove(task, to) >= least) continue;
        Move(task, to);
        improved = true;
      }
      for (std::size_t other = 0; other < task; ++other) {
        if (ChangeBySwap(task, other) >= least) continue;
        std::swap(at_[task], at_[other]);
        improved = true;
      }
    }
    return improved;
  }

  double Objective() const {
    double traffic = 0;
    double heat = problem_.required_cost;
    for (std::size_t task = 0; task < tasks_; ++task) {
      traffic += TrafficOf(task, at_[task], task);
      heat += spots_[at_[task]].cost;
    }
    for (ZoneId zone = 0; zone < users_.size(); ++zone) {
      if (users_[zone] > 0) heat += problem_.zone_cost[zone];
    }
    return problem_.pair_weight * traffic / 2 + heat;
  }

  const BqpProblem& problem_;
  std::size_t tasks_;
  std::vector<double> bytes_;  // tasks x tasks, symmetric, relative to the mean
  std::vector<NodeId> required_;
  std::vector<Spot> spots_;  // by node
  std::vector<bool> is_used_;
  std::vector<NodeCount> users_;  // of a zone, without required nodes
  std::vector<std::size_t> at_;   // spot of each task
};

// The volumes of both directions between tasks, over their mean.
std::vector<double> TaskVolumes(const CommPattern& pattern,
                                const std::vector<std::size_t>& task_of_rank,
                                std::size_t tasks) {
  std::vector<double> bytes(tasks * tasks, 0);
  double total = 0;
  for (TaskRank from = 0; from < pattern.ranks(); ++from) {
    const auto receivers = pattern.ReceiversOf(from);
    const auto sent = pattern.BytesFrom(from);
    for (std::size_t i = 0; i < receivers.size(); ++i) {
      const std::size_t a = task_of_rank[from];
      const std::size_t b = task_of_rank[receivers[i]];
      if (a == b) continue;
      bytes[a * tasks + b] += sent[i];
      bytes[b * tasks + a] += sent[i];
      total += sent[i];
    }
  }
  const double pairs =
      static_cast<double>(tasks) * (static_cast<double>(tasks) - 1) / 2;
  for (double& one : bytes) one *= total > 0 ? pairs / total : 0;
  return bytes;
}

}  // namespace

PatternNodes ImproveForPattern(
    const BqpProblem& problem,
    const std::shared_ptr<const CommPattern>& pattern,
    std::vector<NodeId> chosen, std::uint64_t seed, Budget& budget) {
  PatternNodes same;
  same.nodes = chosen;
  std::sort(chosen.begin(), chosen.end());
  const std::size_t tasks = chosen.size();
  if (tasks < 2 || tasks > kMaxPatternNodes || pattern->ranks() % tasks != 0) {
    return same;
  }
  auto mapped = MakeMappingProblem(pattern, chosen, std::nullopt);
  const auto mapper = MakeMapper(kDefaultMapper);
  if (!mapped.ok() || !mapper.ok()) return same;
  mapped->seed = seed;
  constexpr double kShare = 0.5;
  Budget part = budget.Part(kShare);
  const RankToNode nodes =
      (*mapper)->Map(problem.latencies.topology(), *mapped, part);
  budget.Take(part);
  std::vector<std::size_t> task_of_rank;
  for (const NodeId node : nodes) {
    task_of_rank.push_back(static_cast<std::size_t>(
        std::lower_bound(chosen.begin(), chosen.end(), node) - chosen.begin()));
  }
  return PatternSearch(problem, TaskVolumes(*pattern, task_of_rank, tasks),
                       chosen)
      .Run(budget);
}

}  // namespace coolspan
