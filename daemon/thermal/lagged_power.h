// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_LAGGED_POWER_H_
#define COOLSPAN_THERMAL_LAGGED_POWER_H_

#include <Eigen/Core>
#include <vector>

#include "thermal/calibration.h"

namespace coolspan {

// Time constants of known power after which an instant is usable.
inline constexpr double kSettledAfter = 4;
// Share of the zones whose power may be unknown for long while that of the
// others is known: a large room always has a node that does not report.
inline constexpr double kMaxAssumedShare = 0.02;

// The power p after the room's first-order lag, so that the rise of the inlets
// at each instant is D p although inlets follow power slowly.
struct LaggedPower {
  Eigen::MatrixXd watts;  // zone x instant
  // By instant: every zone's power is known for kSettledAfter time constants.
  std::vector<bool> usable;
  std::vector<std::size_t> unknown;  // by zone: instants without power
  // By zone: instants in long gaps at which its power was taken to be its mean
  // (that of all zones if it never had a reading), as at most kMaxAssumedShare
  // of the zones had none.
  std::vector<std::size_t> assumed;
};
LaggedPower LagPower(const RoomHistory& history, double time_constant_s);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_LAGGED_POWER_H_
