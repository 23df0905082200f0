// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/lookahead.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace coolspan {
namespace {

// Centres from which a coming job is placed.
constexpr std::size_t kCentresAhead = 3;

double SecondsOf(TimeMs time_ms) {
  return static_cast<double>(time_ms) / kMsPerSecond;
}

}  // namespace

Lookahead::Lookahead(const Parts& parts, std::vector<EndingJob> running,
                     std::uint64_t max_work)
    : parts_(parts), running_now_(std::move(running)), max_work_(max_work) {}

bool Lookahead::Spend(std::uint64_t work_units) {
  work_ += work_units;
  return work_ <= max_work_ && parts_.budget.Spend(work_units);
}

double Lookahead::MeanHops(std::span<const NodeId> nodes) const {
  if (nodes.size() < 2) return 0;
  std::uint64_t twice = 0;
  for (const NodeId node : nodes) {
    const std::span<const std::uint16_t> hops = parts_.pairs.HopsFrom(node);
    for (const NodeId other : nodes) twice += hops[other];
  }
  const auto n = static_cast<double>(nodes.size());
  return static_cast<double>(twice) / (n * (n - 1));
}

// Ends jobs on the way, the earliest first.
void Lookahead::AdvanceTo(TimeMs time_ms) {
  while (true) {
    const auto next =
        std::min_element(running_.begin(), running_.end(),
                         [](const EndingJob& a, const EndingJob& b) {
                           return a.end_ms < b.end_ms;
                         });
    const bool ends = next != running_.end() && next->end_ms <= time_ms;
    const TimeMs until_ms =
        std::max(state_.now_ms, ends ? next->end_ms : time_ms);
    cost_j_ += parts_.heat * SecondsOf(until_ms - state_.now_ms) *
               CoolingWattsOf(state_, parts_.room);
    state_.now_ms = until_ms;
    if (!ends) return;
    EndIn(state_, parts_.room, next->nodes);
    free_ += static_cast<NodeCount>(next->nodes.size());
    running_.erase(next);
  }
}

void Lookahead::Start(std::span<const NodeId> nodes, TimeMs run_ms) {
  const auto n = static_cast<NodeCount>(nodes.size());
  const double stretch = parts_.value.Stretch(n, MeanHops(nodes));
  const auto stretched_ms =
      static_cast<TimeMs>(stretch * static_cast<double>(run_ms));
  cost_j_ += parts_.value.node_w() * n * SecondsOf(stretched_ms - run_ms);
  const TimeMs end_ms = state_.now_ms + stretched_ms;
  PlaceIn(state_, parts_.room, nodes, end_ms);
  free_ -= n;
  running_.push_back({end_ms, {nodes.begin(), nodes.end()}});
}

// Without a centre: by heat and perimeter alone.
std::optional<JointSet> Lookahead::Grow(std::optional<NodeId> centre) {
  if (!Spend(parts_.growth.WorkOfGrow())) return std::nullopt;
  return parts_.growth.Grow(centre, centre.has_value());
}

std::optional<JointSet> Lookahead::Choose(const JointJob& job) {
  JointGrowth& growth = parts_.growth;
  if (!Spend(growth.WorkOfBegin())) return std::nullopt;
  growth.Begin(state_, job, {});
  const std::span<const NodeId> free = growth.free_nodes();
  std::optional<JointSet> best = Grow(std::nullopt);
  if (!best.has_value() || job.nodes == free.size()) return best;
  best->cost_w = growth.CostOf(best->nodes);
  const std::size_t centres = std::min(kCentresAhead, free.size());
  for (std::size_t i = 0; i < centres; ++i) {
    std::optional<JointSet> set = Grow(free[i * free.size() / centres]);
    if (!set.has_value()) return std::nullopt;
    if (set->cost_w < best->cost_w) best = std::move(set);
  }
  return best;
}

std::optional<double> Lookahead::CostOf(std::span<const NodeId> placement,
                                        const JointJob& job,
                                        const Future& future,
                                        TimeMs horizon_ms) {
  state_ = parts_.now;
  running_ = running_now_;
  free_ = static_cast<NodeCount>(
      std::count(state_.is_free.begin(), state_.is_free.end(), 1));
  cost_j_ = 0;
  const TimeMs end_ms = parts_.now.now_ms + horizon_ms;
  Start(placement, job.run_ms);
  for (const ComingJob& coming : future.jobs) {
    AdvanceTo(std::max(state_.now_ms, std::min(coming.submit_ms, end_ms)));
    // Later jobs wait behind one that does not fit.
    while (free_ < coming.nodes && state_.now_ms < end_ms) {
      TimeMs next_ms = end_ms;
      for (const EndingJob& running : running_) {
        next_ms = std::min(next_ms, running.end_ms);
      }
      AdvanceTo(std::max(state_.now_ms, next_ms));
    }
    if (state_.now_ms >= end_ms) break;
    const JointJob next = {coming.nodes, coming.run_ms,
                           parts_.value.WattsPerHop(coming.nodes),
                           job.perimeter_weight};
    const std::optional<JointSet> chosen = Choose(next);
    if (!chosen.has_value()) return std::nullopt;
    Start(chosen->nodes, coming.run_ms);
  }
  AdvanceTo(end_ms);
  return cost_j_;
}

}  // namespace coolspan
