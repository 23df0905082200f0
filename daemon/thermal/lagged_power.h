// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_LAGGED_POWER_H_
#define COOLSPAN_THERMAL_LAGGED_POWER_H_

#include <Eigen/Core>
#include <vector>

#include "thermal/calibration.h"

namespace coolspan {

// The power that steady inlets would have to be under to be where lagging ones
// are: D times it is the rise at that instant.
struct LaggedPower {
  Eigen::MatrixXd watts;     // zone x instant
  std::vector<bool> usable;  // by instant: all zones are known well enough
  std::vector<std::size_t> unknown;  // by zone: instants without its power
};
LaggedPower LagPower(const RoomHistory& history, double time_constant_s);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_LAGGED_POWER_H_
