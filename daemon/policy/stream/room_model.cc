// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/room_model.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace coolspan {
namespace {

constexpr float kColdC = -1000;  // of rows without an inlet

}  // namespace

RoomModel::RoomModel(const RoomView& view, const NodeSet& available,
                     NodeCount to_place, double communication_share)
    : view_(view), curve_(view.room()) {
  const Room& room = view.room();
  for (NodeId node = 0; node < room.node_count(); ++node) {
    added_w_.push_back(room.AddedWatts(node, communication_share));
  }
  ChooseRows(available, to_place);
  row_count_ = (rows_.size() + kRowsOfBlock - 1) / kRowsOfBlock * kRowsOfBlock;
  inlet_c_.assign(row_count_, kColdC);
  rise_k_.assign(std::size_t{room.node_count()} * row_count_, 0);
  std::vector<double> of_zone(room.zone_count());
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    inlet_c_[row] = static_cast<float>(view.inlet_c()[rows_[row]]);
    room.heat().CopyRow(rows_[row], of_zone);
    for (NodeId node = 0; node < room.node_count(); ++node) {
      const auto rise_k =
          static_cast<float>(of_zone[room.ZoneOf(node)] * added_w_[node]);
      rise_k_[std::size_t{node} * row_count_ + row] = rise_k;
      only_warms_ = only_warms_ && rise_k >= 0;
    }
  }
}

// An inlet can become the warmest if its temperature with the nodes that warm
// it most exceeds the peak now. Of those, the ones with the highest bounds.
void RoomModel::ChooseRows(const NodeSet& available, NodeCount to_place) {
  const Room& room = view_.room();
  std::vector<NodeId> nodes = available.Members();
  std::vector<ZoneId> zones(room.zone_count());
  std::iota(zones.begin(), zones.end(), ZoneId{0});
  const auto warmer = [this](ZoneId a, ZoneId b) {
    const double warmth_a = view_.inlet_c()[a];
    const double warmth_b = view_.inlet_c()[b];
    return warmth_a != warmth_b ? warmth_a > warmth_b : a < b;
  };
  std::sort(zones.begin(), zones.end(), warmer);
  const double peak_c = view_.inlet_c()[zones.front()];
  const auto most = static_cast<std::ptrdiff_t>(
      std::min<std::size_t>(to_place, nodes.size()));
  std::vector<std::pair<double, ZoneId>> bounds;
  std::vector<double> of_zone(room.zone_count());
  std::vector<double> rise_k(nodes.size());
  for (const ZoneId zone : zones) {
    room.heat().CopyRow(zone, of_zone);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      rise_k[i] = of_zone[room.ZoneOf(nodes[i])] * added_w_[nodes[i]];
    }
    std::nth_element(rise_k.begin(), rise_k.begin() + most, rise_k.end(),
                     std::greater<>());
    const double bound_c =
        view_.inlet_c()[zone] +
        std::accumulate(rise_k.begin(), rise_k.begin() + most, 0.0);
    if (bound_c >= peak_c) bounds.emplace_back(-bound_c, zone);
  }
  std::sort(bounds.begin(), bounds.end());
  if (bounds.size() > kMaxRows) bounds.resize(kMaxRows);
  for (const auto& [bound, zone] : bounds) rows_.push_back(zone);
  const ZoneId warmest = zones.front();
  if (std::find(rows_.begin(), rows_.end(), warmest) == rows_.end()) {
    if (rows_.size() == kMaxRows) rows_.pop_back();
    rows_.push_back(warmest);
  }
}

}  // namespace coolspan
