// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_CALIBRATION_H_
#define COOLSPAN_THERMAL_CALIBRATION_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "core/heat_matrix.h"
#include "core/types.h"

namespace coolspan {

// Sensor readings of a room at equally spaced instants. By instant, then zone;
// NaN: no reading.
struct RoomHistory {
  double interval_s = 0;
  ZoneId zones = 0;
  std::vector<double> inlet_c;
  std::vector<double> power_w;
  std::vector<double> supply_c;  // by instant

  std::size_t instants() const { return supply_c.size(); }
};

// Differences between predicted inlets and readings.
struct PredictionError {
  double rms_k = 0;
  double mean_abs_k = 0;
  // The part of rms_k from noise and rounding of the sensors, estimated from
  // the differences e of consecutive errors: sqrt(mean(e^2) / 2).
  double noise_k = 0;
  std::size_t readings = 0;

  // The part of rms_k that is not noise.
  double model_k() const {
    return std::sqrt(std::max(0.0, rms_k * rms_k - noise_k * noise_k));
  }
};

// Accuracy of inlets predicted one reading ahead, from what is known at the
// instant before:
// - model: inlets by D with power constant at the last reading, plus the bias
//   of the inlet, an exponential moving average of its prediction errors with
//   time constant bias_time_s, as in LiveRoom;
// - persistence: the last reading again.
// Counts readings with a reading at the instant before only.
struct OneStepError {
  PredictionError model;
  PredictionError persistence;
  double bias_time_s = 0;
};

struct Calibration {
  std::vector<double> k_per_w;  // D, row by row
  // r, the weight of the prior, K^2 (see Calibrate).
  double regularisation = 0;
  PredictionError held_out;        // of D, on instants held out of the fit
  PredictionError prior_held_out;  // of the prior, on the same instants
  // Of the transposes of D and of the prior, on the same instants.
  PredictionError transposed_held_out;
  PredictionError prior_transposed_held_out;
  // Of a constant for each zone, on the same instants: the mean rise of its
  // inlet over the supplied air while D was fitted.
  PredictionError mean_held_out;
  OneStepError one_step;  // of D, on the same instants
  // Zones whose power hardly moved while D was fitted, ascending: what their
  // columns would be, the readings do not show.
  std::vector<ZoneId> still_zones;
  // Zones whose power was taken to be its mean in long gaps (LaggedPower).
  std::vector<ZoneId> assumed_zones;
  std::size_t fitted_instants = 0;
  std::size_t held_out_instants = 0;
};

// The standard deviation of a zone's power, as a share of its mean, below which
// it hardly moves.
inline constexpr double kStillPower = 0.03;

struct CalibrationOptions {
  double time_constant_s = 160;  // of the room
  double held_out_share = 0.2;   // of the instants, the last ones; above 0
                                 // and below 1
};

// Fits D to telemetry, each row d (one inlet) by regularised non-negative least
// squares:
//   min over d >= 0 of  sum_t (rise_t - p_t d)^2 + r |(d - prior) / scale|^2
// rise_t: inlet minus supply at instant t; p_t: power by zone after the room's
// first-order lag (LagPower); scale: the expected error of each prior entry.
// Power gaps of up to 5 readings are interpolated, longer ones of at most 2 %
// of the zones filled with their means; after any other 4 time constants of
// instants are left out. r is chosen by the prediction error on
// the last quarter of the instants not held out; the final fit then uses that
// quarter too. O(zones^3) for each row. See docs/calibration.md.
// Errors: INVALID_ARGUMENT for too few usable instants (names the zone with the
// fewest power readings) or more than kMaxCalibratedZones zones.
inline constexpr ZoneId kMaxCalibratedZones = 1024;
absl::StatusOr<Calibration> Calibrate(const HeatMatrix& prior,
                                      const RoomHistory& history,
                                      const CalibrationOptions& options);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_CALIBRATION_H_
