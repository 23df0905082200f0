// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/lookahead.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace coolspan {
namespace {

// Centres from which a coming job is placed.
constexpr std::size_t kCentres = 3;

double SecondsOf(TimeMs time_ms) {
  return static_cast<double>(time_ms) / kMsPerSecond;
}

}  // namespace

Lookahead::Lookahead(JointGrowth& growth, const NodePairs& pairs,
                     const RoomModel& room, const HopValue& value, double heat,
                     const JointState& now, std::vector<RunningJob> running)
    : growth_(growth),
      pairs_(pairs),
      room_(room),
      value_(value),
      heat_(heat),
      now_(now),
      running_now_(std::move(running)) {}

std::uint64_t Lookahead::TakeWork() { return std::exchange(work_, 0); }

double Lookahead::MeanHops(std::span<const NodeId> nodes) const {
  if (nodes.size() < 2) return 0;
  std::uint64_t twice = 0;
  for (const NodeId node : nodes) {
    const std::span<const std::uint16_t> hops = pairs_.HopsFrom(node);
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
                         [](const RunningJob& a, const RunningJob& b) {
                           return a.end_ms < b.end_ms;
                         });
    const bool ends = next != running_.end() && next->end_ms <= time_ms;
    const TimeMs until_ms =
        std::max(state_.now_ms, ends ? next->end_ms : time_ms);
    cost_j_ += heat_ * SecondsOf(until_ms - state_.now_ms) *
               CoolingWattsOf(state_, room_);
    state_.now_ms = until_ms;
    if (!ends) return;
    EndIn(state_, room_, next->nodes);
    free_ += static_cast<NodeCount>(next->nodes.size());
    running_.erase(next);
  }
}

void Lookahead::Start(std::span<const NodeId> nodes, TimeMs run_ms) {
  const auto n = static_cast<NodeCount>(nodes.size());
  const double stretch = value_.Stretch(n, MeanHops(nodes));
  const auto stretched_ms =
      static_cast<TimeMs>(stretch * static_cast<double>(run_ms));
  cost_j_ += value_.node_w() * n * SecondsOf(stretched_ms - run_ms);
  const TimeMs end_ms = state_.now_ms + stretched_ms;
  PlaceIn(state_, room_, nodes, end_ms);
  free_ -= n;
  running_.push_back({end_ms, {nodes.begin(), nodes.end()}});
}

JointSet Lookahead::Choose(const JointJob& job) {
  work_ += growth_.WorkOfBegin();
  growth_.Begin(state_, job, {});
  const std::span<const NodeId> free = growth_.free_nodes();
  JointSet best = growth_.Grow(std::nullopt, false);
  if (job.nodes == free.size()) return best;
  best.cost_w = growth_.CostOf(best.nodes);
  const std::size_t centres = std::min(kCentres, free.size());
  work_ += (centres + 1) * growth_.WorkOfGrow();
  for (std::size_t i = 0; i < centres; ++i) {
    JointSet set = growth_.Grow(free[i * free.size() / centres]);
    if (set.cost_w < best.cost_w) best = std::move(set);
  }
  return best;
}

double Lookahead::CostOf(std::span<const NodeId> placement, const JointJob& job,
                         const Future& future, TimeMs horizon_ms) {
  state_ = now_;
  running_ = running_now_;
  free_ = static_cast<NodeCount>(
      std::count(state_.is_free.begin(), state_.is_free.end(), 1));
  cost_j_ = 0;
  const TimeMs end_ms = now_.now_ms + horizon_ms;
  Start(placement, job.run_ms);
  for (const ComingJob& coming : future.jobs) {
    AdvanceTo(std::max(state_.now_ms, std::min(coming.submit_ms, end_ms)));
    // Later jobs wait behind one that does not fit.
    while (free_ < coming.nodes && state_.now_ms < end_ms) {
      TimeMs next_ms = end_ms;
      for (const RunningJob& running : running_) {
        next_ms = std::min(next_ms, running.end_ms);
      }
      AdvanceTo(std::max(state_.now_ms, next_ms));
    }
    if (state_.now_ms >= end_ms) break;
    const JointJob next = {coming.nodes, coming.run_ms,
                           value_.WattsPerHop(coming.nodes),
                           job.perimeter_weight};
    Start(Choose(next).nodes, coming.run_ms);
  }
  AdvanceTo(end_ms);
  return cost_j_;
}

}  // namespace coolspan
