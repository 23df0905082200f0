// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_CALIBRATION_H_
#define COOLSPAN_THERMAL_CALIBRATION_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "core/heat_matrix.h"

namespace coolspan {

// What sensors said of a room, at instants equally far apart. By instant, then
// zone; NaN: nothing was said.
struct RoomHistory {
  double interval_s = 0;
  ZoneId zones = 0;
  std::vector<double> inlet_c;
  std::vector<double> power_w;
  std::vector<double> supply_c;  // by instant

  std::size_t instants() const { return supply_c.size(); }
};

// How far predicted inlets are from readings.
struct PredictionError {
  double rms_k = 0;
  double mean_abs_k = 0;
  // What of rms_k comes and goes from one instant to the next: noise and
  // rounding of the sensors, by the differences of consecutive errors.
  double noise_k = 0;
  std::size_t readings = 0;

  // Without the noise.
  double model_k() const {
    return std::sqrt(std::max(0.0, rms_k * rms_k - noise_k * noise_k));
  }
};

// How well inlets are told one reading ahead, from what was known at the one
// before: by the model, whose power stays what it was last read to be, plus
// what its inlet's readings were off by, forgotten exponentially over
// bias_time_s, as the live room does it; and by persistence, the last reading
// once more. Only readings with one just before them count.
struct OneStepError {
  PredictionError model;
  PredictionError persistence;
  double bias_time_s = 0;
};

struct Calibration {
  std::vector<double> k_per_w;  // D, row after row
  // Weight of the prior against one reading, of K^2.
  double regularisation = 0;
  PredictionError held_out;        // of D, on what it has not seen
  PredictionError prior_held_out;  // of the prior, on the same
  OneStepError one_step;           // on the same
  std::size_t fitted_instants = 0;
  std::size_t held_out_instants = 0;
};

struct CalibrationOptions {
  double time_constant_s = 160;  // of the room
  double held_out_share = 0.2;   // of the instants: the last
};

// Learns D: row by row, the non-negative least squares of the inlets' rise over
// the supplied air by the power of the zones, which is drawn towards the prior.
// Inlets follow power with a first-order lag, so the power is lagged before the
// fit, between instants as if it went straight from one reading to the next;
// gaps of up to 5 readings are bridged so, and instants after a longer one wait
// for 4 time constants. How strongly the prior draws is the choice that
// predicts best the last quarter of what is not held out; the fit to that then
// takes all of it. O(zones^3) for each row. docs/calibration.md.
// Errors: INVALID_ARGUMENT for too few instants to learn from, with the zone
// that lacks most power readings where it is those.
inline constexpr ZoneId kMaxCalibratedZones = 1024;
absl::StatusOr<Calibration> Calibrate(const HeatMatrix& prior,
                                      const RoomHistory& history,
                                      const CalibrationOptions& options);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_CALIBRATION_H_
