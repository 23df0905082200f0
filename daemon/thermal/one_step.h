// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_ONE_STEP_H_
#define COOLSPAN_THERMAL_ONE_STEP_H_

#include <cstddef>
#include <span>

#include "thermal/calibration.h"

namespace coolspan {

// Errors over the instants from held_out to the end. bias_time_s is the one of
// 14 candidates with the smallest error from choosing to held_out. k_per_w: D,
// row by row.
OneStepError PredictOneStep(const RoomHistory& history,
                            std::span<const double> k_per_w,
                            double time_constant_s, std::size_t choosing,
                            std::size_t held_out);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_ONE_STEP_H_
