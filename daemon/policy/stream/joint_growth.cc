// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/joint_growth.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace coolspan {
namespace {

void AddRise(std::vector<float>& inlet_c, const float* rise_k, float sign) {
  for (std::size_t row = 0; row < inlet_c.size(); ++row) {
    inlet_c[row] += sign * rise_k[row];
  }
}

}  // namespace

JointGrowth::JointGrowth(const NodePairs& pairs, const RoomModel& room,
                         const StreamWeights& weights, double heat)
    : pairs_(pairs),
      room_(room),
      weights_(weights),
      heat_(heat),
      own_w_(pairs.node_count()),
      added_w_(pairs.node_count()),
      chosen_(pairs.node_count()) {}

void JointGrowth::Begin(const JointState& state, const JointJob& job,
                        std::span<const NodeId> required) {
  state_ = &state;
  job_ = job;
  required_ = required;
  free_.clear();
  const double per_pair = job.watts_per_hop * job.perimeter_weight;
  for (NodeId node = 0; node < pairs_.node_count(); ++node) {
    if (state.is_free[node] == 0) continue;
    free_.push_back(node);
    double phi = 0;
    for (const NodePairs::Neighbour& beside : pairs_.NeighboursOf(node)) {
      phi += beside.weight * (state.is_free[beside.node] != 0
                                  ? 1.0
                                  : PhiOf(job.run_ms, state.end_ms[beside.node],
                                          state.now_ms, weights_));
    }
    own_w_[node] = per_pair * phi;
  }
  for (const NodeId node : required) {
    free_.erase(std::lower_bound(free_.begin(), free_.end(), node));
  }
  min_added_w_ = std::numeric_limits<double>::infinity();
  for (const NodeId node : free_) {
    min_added_w_ = std::min(min_added_w_, room_.AddedWatts(node));
  }
}

// Rows come in blocks, so that the compiler compares several at a time.
double JointGrowth::PeakWith(const float* rise_k) const {
  constexpr std::size_t kBlock = RoomModel::kRowsOfBlock;
  std::array<float, kBlock> peaks;
  const float* const inlets = inlet_c_.data();
  for (std::size_t i = 0; i < kBlock; ++i) peaks[i] = inlets[i] + rise_k[i];
  for (std::size_t row = kBlock; row < inlet_c_.size(); row += kBlock) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      peaks[i] = std::max(peaks[i], inlets[row + i] + rise_k[row + i]);
    }
  }
  return *std::max_element(peaks.begin(), peaks.end());
}

void JointGrowth::Reset() {
  inlet_c_ = state_->inlet_c;
  it_w_ = state_->it_w;
  std::fill(added_w_.begin(), added_w_.end(), 0.0);
  std::fill(chosen_.begin(), chosen_.end(), std::uint8_t{0});
}

// hop_w: of the distance of one pair.
void JointGrowth::Add(NodeId node, double hop_w) {
  chosen_[node] = 1;
  AddRise(inlet_c_, room_.RiseOf(node), 1);
  it_w_ += room_.AddedWatts(node);
  if (hop_w > 0) {
    const std::span<const std::uint16_t> hops = pairs_.HopsFrom(node);
    for (const NodeId other : free_) added_w_[other] += hop_w * hops[other];
    for (const NodeId other : required_) {
      added_w_[other] += hop_w * hops[other];
    }
  }
  const double closed_w = 2 * job_.watts_per_hop * job_.perimeter_weight;
  for (const NodePairs::Neighbour& beside : pairs_.NeighboursOf(node)) {
    added_w_[beside.node] -= closed_w * beside.weight;
  }
}

// The free node of least cost. A node whose cost exceeds the least one even if
// the peak stays as it is needs no temperatures.
NodeId JointGrowth::NextNode() const {
  const double min_cooling_w =
      room_.only_warms()
          ? heat_ * room_.CoolingWatts(
                        it_w_ + min_added_w_,
                        *std::max_element(inlet_c_.begin(), inlet_c_.end()))
          : -std::numeric_limits<double>::infinity();
  double least_w = std::numeric_limits<double>::infinity();
  std::optional<NodeId> best;
  for (const NodeId node : free_) {
    if (chosen_[node] != 0) continue;
    if (!best.has_value()) best = node;  // even if its cost is not finite
    const double without_heat_w = own_w_[node] + added_w_[node];
    if (without_heat_w + min_cooling_w >= least_w) continue;
    const double total_w =
        without_heat_w +
        heat_ * room_.CoolingWatts(it_w_ + room_.AddedWatts(node),
                                   PeakWith(room_.RiseOf(node)));
    if (total_w >= least_w) continue;
    least_w = total_w;
    best = node;
  }
  return best.value();
}

JointSet JointGrowth::Grow(std::optional<NodeId> centre, bool distance) {
  Reset();
  const double n = job_.nodes;
  const double hop_w =
      distance && n > 1 ? job_.watts_per_hop * 2 / (n * (n - 1)) : 0;
  JointSet set;
  double cost_w = 0;
  const auto take = [&](NodeId node) {
    cost_w += own_w_[node] + added_w_[node];
    set.nodes.push_back(node);
    Add(node, hop_w);
  };
  for (const NodeId node : required_) take(node);
  if (centre.has_value() && set.nodes.size() < job_.nodes) take(*centre);
  while (set.nodes.size() < job_.nodes) take(NextNode());
  set.cost_w = cost_w + heat_ * room_.CoolingWatts(
                                    it_w_, *std::max_element(inlet_c_.begin(),
                                                             inlet_c_.end()));
  std::sort(set.nodes.begin(), set.nodes.end());
  return set;
}

double JointGrowth::CostOf(std::span<const NodeId> nodes) {
  Reset();
  const double n = job_.nodes;
  const double hop_w = n > 1 ? job_.watts_per_hop * 2 / (n * (n - 1)) : 0;
  double cost_w = 0;
  for (const NodeId node : nodes) {
    cost_w += own_w_[node] + added_w_[node];
    Add(node, hop_w);
  }
  return cost_w +
         heat_ * room_.CoolingWatts(it_w_, *std::max_element(inlet_c_.begin(),
                                                             inlet_c_.end()));
}

double JointGrowth::CoolingWattsWith(std::span<const NodeId> nodes) {
  Reset();
  for (const NodeId node : nodes) {
    AddRise(inlet_c_, room_.RiseOf(node), 1);
    it_w_ += room_.AddedWatts(node);
  }
  return room_.CoolingWatts(
      it_w_, *std::max_element(inlet_c_.begin(), inlet_c_.end()));
}

std::uint64_t JointGrowth::WorkOfBegin() const {
  return pairs_.node_count() + pairs_.neighbour_count() / 2;
}

std::uint64_t JointGrowth::WorkOfGrow() const {
  constexpr std::uint64_t kRowsOfUnit = 8;
  const std::uint64_t neighbours =
      pairs_.neighbour_count() / pairs_.node_count();
  return std::uint64_t{job_.nodes} *
         (free_.size() * (1 + room_.row_count() / kRowsOfUnit) + neighbours) /
         2;
}

void PlaceIn(JointState& state, const RoomModel& room,
             std::span<const NodeId> nodes, TimeMs end_ms) {
  for (const NodeId node : nodes) {
    state.is_free[node] = 0;
    state.end_ms[node] = end_ms;
    AddRise(state.inlet_c, room.RiseOf(node), 1);
    state.it_w += room.AddedWatts(node);
  }
}

void EndIn(JointState& state, const RoomModel& room,
           std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) {
    state.is_free[node] = 1;
    state.end_ms[node] = kUnknownEnd;
    AddRise(state.inlet_c, room.RiseOf(node), -1);
    state.it_w -= room.AddedWatts(node);
  }
}

double CoolingWattsOf(const JointState& state, const RoomModel& room) {
  return room.CoolingWatts(state.it_w, *std::max_element(state.inlet_c.begin(),
                                                         state.inlet_c.end()));
}

}  // namespace coolspan
