// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_HOP_VALUE_H_
#define COOLSPAN_POLICY_STREAM_HOP_VALUE_H_

#include <span>

#include "core/types.h"

namespace coolspan {

// The least share of its time that a job counts as communicating, so that
// distance decides between placements that are equally cool.
inline constexpr double kMinShare = 0.01;

// What a hop of the mean pairwise distance of n nodes is worth in watts, and
// how long a job runs on them: of a job that communicates for a share s of its
// time, the run time is stretched by 1 + s (mean / ideal mean - 1)
// (joint-bqp-task-mapping, section 5.1), while n nodes are occupied. The mean
// of compact nodes (NodePairs::CompactMeans) stands for the ideal one:
//
//   watts per hop = node_w n s / ideal mean
class HopValue {
 public:
  // node_w: what the use of one node is worth (CoolingCurve::NodeWatts). share:
  // s. ideal_mean: by number of nodes, from 0; above 0.
  HopValue(double node_w, double share, std::span<const double> ideal_mean)
      : node_w_(node_w), share_(share), ideal_mean_(ideal_mean) {}

  double WattsPerHop(NodeCount nodes) const {
    return node_w_ * nodes * share_ / ideal_mean_[nodes];
  }
  // The run time relative to that of the ideal mean.
  double Stretch(NodeCount nodes, double mean) const {
    return nodes < 2 ? 1 : 1 + share_ * (mean / ideal_mean_[nodes] - 1);
  }
  double node_w() const { return node_w_; }

 private:
  double node_w_;
  double share_;
  std::span<const double> ideal_mean_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_HOP_VALUE_H_
