// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/one_step.h"

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <optional>

namespace coolspan {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double kBiasTimeRatio = 1.5;  // from one bias time to the next
constexpr int kBiasTimes = 14;

// Rises in kelvins, zone x instant.
struct Rises {
  MatrixXd now;   // at the instant
  MatrixXd next;  // predicted for the next instant, with constant power
};

// A missing power reading repeats the one before: a prediction must not use
// later readings.
Rises FollowPower(const RoomHistory& history, std::span<const double> k_per_w,
                  double time_constant_s) {
  const double kept = std::exp(-history.interval_s / time_constant_s);
  const double of_ramp = 1 - (1 - kept) * time_constant_s / history.interval_s;
  const auto zones = static_cast<Index>(history.zones);
  const auto instants = static_cast<Index>(history.instants());
  MatrixXd watts(zones, instants);
  MatrixXd lagged(zones, instants);
  for (Index zone = 0; zone < zones; ++zone) {
    std::optional<double> before;
    double state = 0;
    for (Index i = 0; i < instants; ++i) {
      const double read =
          history.power_w[static_cast<std::size_t>(i * zones + zone)];
      const double now = std::isnan(read) ? before.value_or(0) : read;
      // The lag of LagPower, power in a straight line between readings.
      state = before.has_value() ? kept * state + (1 - kept) * *before +
                                       of_ramp * (now - *before)
                                 : now;
      if (before.has_value() || !std::isnan(read)) before = now;
      watts(zone, i) = now;
      lagged(zone, i) = state;
    }
  }
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic,
                                       Eigen::RowMajor>>
      heat(k_per_w.data(), zones, zones);
  Rises rises;
  rises.now = heat * lagged;
  rises.next = kept * rises.now + (1 - kept) * (heat * watts);
  return rises;
}

// Root mean square and mean absolute error.
class Score {
 public:
  void Add(double off_k) {
    squares_ += off_k * off_k;
    magnitudes_ += std::abs(off_k);
    ++count_;
  }
  PredictionError Mean() const {
    const double count = count_ == 0 ? 1 : static_cast<double>(count_);
    PredictionError error;
    error.rms_k = std::sqrt(squares_ / count);
    error.mean_abs_k = magnitudes_ / count;
    error.readings = count_;
    return error;
  }

 private:
  double squares_ = 0;
  double magnitudes_ = 0;
  std::size_t count_ = 0;
};

// Runs from the first instant so that the bias is settled, scores [begin, end).
OneStepError Predict(const RoomHistory& history, const Rises& rises,
                     double bias_time_s, std::size_t begin, std::size_t end) {
  const double share = -std::expm1(-history.interval_s / bias_time_s);
  Score model;
  Score persistence;
  for (ZoneId zone = 0; zone < history.zones; ++zone) {
    std::optional<double> bias_k;
    for (std::size_t i = 0; i + 1 < end; ++i) {
      const double inlet_c = history.inlet_c[i * history.zones + zone];
      if (std::isnan(inlet_c)) continue;
      const auto column = static_cast<Index>(i);
      const double off_k =
          inlet_c - history.supply_c[i] - rises.now(zone, column);
      bias_k =
          bias_k.value_or(off_k) + share * (off_k - bias_k.value_or(off_k));
      const double next_c = history.inlet_c[(i + 1) * history.zones + zone];
      if (i + 1 < begin || std::isnan(next_c)) continue;
      model.Add(history.supply_c[i] + rises.next(zone, column) + *bias_k -
                next_c);
      persistence.Add(inlet_c - next_c);
    }
  }
  return {model.Mean(), persistence.Mean(), bias_time_s};
}

}  // namespace

OneStepError PredictOneStep(const RoomHistory& history,
                            std::span<const double> k_per_w,
                            double time_constant_s, std::size_t choosing,
                            std::size_t held_out) {
  const Rises rises = FollowPower(history, k_per_w, time_constant_s);
  double best_s = 0;
  double min_k = std::numeric_limits<double>::infinity();
  double bias_time_s = history.interval_s / 4;
  for (int i = 0; i < kBiasTimes; ++i, bias_time_s *= kBiasTimeRatio) {
    const double rms_k =
        Predict(history, rises, bias_time_s, choosing, held_out).model.rms_k;
    if (rms_k >= min_k) continue;
    min_k = rms_k;
    best_s = bias_time_s;
  }
  return Predict(history, rises, best_s, held_out, history.instants());
}

}  // namespace coolspan
