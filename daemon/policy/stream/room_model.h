// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_ROOM_MODEL_H_
#define COOLSPAN_POLICY_STREAM_ROOM_MODEL_H_

#include <cstddef>
#include <span>
#include <vector>

#include "core/node_set.h"
#include "core/room.h"
#include "core/types.h"
#include "policy/stream/cooling_curve.h"

namespace coolspan {

// The room in the searches of one decision: the few inlets that may become the
// warmest, and what each node adds to them. Zones that are off count as on;
// what is missed so is added to the candidates of JointSearch.
class RoomModel {
 public:
  static constexpr std::size_t kMaxRows = 16;
  static constexpr std::size_t kRowsOfBlock = 8;

  // to_place: how many nodes may become busy at a time. view must outlive this.
  RoomModel(const RoomView& view, const NodeSet& available, NodeCount to_place,
            double communication_share);

  // Rows are inlets; a multiple of kRowsOfBlock, the last ones may be of no
  // inlet.
  std::size_t row_count() const { return row_count_; }
  // Inlet temperatures in degrees Celsius, by row.
  std::span<const float> inlet_c() const { return inlet_c_; }
  // The rise of each row by a job on the node, in kelvins.
  const float* RiseOf(NodeId node) const {
    return &rise_k_[std::size_t{node} * row_count_];
  }
  // Whether no node cools any row.
  bool only_warms() const { return only_warms_; }
  // The power that a job adds to the node, in watts.
  double AddedWatts(NodeId node) const { return added_w_[node]; }
  double it_w() const { return view_.it_w(); }
  const CoolingCurve& curve() const { return curve_; }
  double CoolingWatts(double it_w, double peak_c) const {
    return curve_.Watts(it_w, peak_c);
  }

 private:
  void ChooseRows(const NodeSet& available, NodeCount to_place);

  const RoomView& view_;
  CoolingCurve curve_;
  std::vector<ZoneId> rows_;
  std::size_t row_count_ = 0;
  bool only_warms_ = true;
  std::vector<float> inlet_c_;
  std::vector<float> rise_k_;    // by node, then row
  std::vector<double> added_w_;  // by node
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_ROOM_MODEL_H_
