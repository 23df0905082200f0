// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/calibration.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "thermal/lagged_power.h"
#include "thermal/nonnegative_fit.h"
#include "thermal/one_step.h"

namespace coolspan {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Instants = std::vector<std::size_t>;

// scale_j = |prior_j| + kFloor * mean |prior|: an entry of the prior may be off
// by its own size, a small one by this share of its row's mean.
constexpr double kFloor = 0.25;
// Rows used to choose the regularisation, evenly spaced.
constexpr ZoneId kMaxSampledRows = 64;
constexpr std::size_t kMinInstants = 5;  // of each part
// Candidates for r: kMinRegularisation * kRegularisationRatio^i.
constexpr double kMinRegularisation = 0.01;
constexpr double kRegularisationRatio = 4;
constexpr int kRegularisations = 14;

class Fitter {
 public:
  Fitter(const HeatMatrix& prior, const RoomHistory& history,
         const LaggedPower& power)
      : prior_(prior), history_(history), power_(power) {}

  // Sets the instants to fit to and their Gram matrix, which all rows share.
  void UseInstants(Instants instants);
  VectorXd Row(ZoneId zone, double regularisation) const;
  VectorXd PriorRow(ZoneId zone) const {
    VectorXd row(static_cast<Index>(history_.zones));
    prior_.CopyRow(zone, {row.data(), history_.zones});
    return row;
  }
  VectorXd PriorColumn(ZoneId zone) const {
    VectorXd column(static_cast<Index>(history_.zones));
    for (ZoneId row = 0; row < history_.zones; ++row) {
      column[row] = prior_.At(row, zone);
    }
    return column;
  }

 private:
  const HeatMatrix& prior_;
  const RoomHistory& history_;
  const LaggedPower& power_;
  Instants instants_;
  MatrixXd gram_;
};

double RiseOf(const RoomHistory& history, std::size_t instant, ZoneId zone) {
  return history.inlet_c[instant * history.zones + zone] -
         history.supply_c[instant];
}

void Fitter::UseInstants(Instants instants) {
  instants_ = std::move(instants);
  const auto zones = static_cast<Index>(history_.zones);
  gram_ = MatrixXd::Zero(zones, zones);
  std::vector<Index> columns(instants_.begin(), instants_.end());
  const MatrixXd watts = power_.watts(Eigen::all, columns);
  gram_.selfadjointView<Eigen::Lower>().rankUpdate(watts);
  gram_.triangularView<Eigen::StrictlyUpper>() = gram_.transpose();
}

// Normal equations in u = d / scale, S = diag(scale), P the lagged power with a
// row for each instant (those without a reading of this inlet left out):
//   (S P^T P S + r I) u = S P^T rise + r prior / scale
VectorXd Fitter::Row(ZoneId zone, double regularisation) const {
  const VectorXd prior = PriorRow(zone);
  MatrixXd gram = gram_;
  VectorXd target = VectorXd::Zero(prior.size());
  for (const std::size_t instant : instants_) {
    const auto watts = power_.watts.col(static_cast<Index>(instant));
    const double rise_k = RiseOf(history_, instant, zone);
    if (std::isnan(rise_k)) {
      gram.noalias() -= watts * watts.transpose();
    } else {
      target += rise_k * watts;
    }
  }
  const double mean = prior.cwiseAbs().mean();
  const VectorXd scale =
      prior.cwiseAbs().array() + std::max(kFloor * mean, 1e-12);
  gram = scale.asDiagonal() * gram * scale.asDiagonal();
  gram.diagonal().array() += regularisation;
  target =
      target.cwiseProduct(scale) + regularisation * prior.cwiseQuotient(scale);
  return NonNegativeFit(gram, target).cwiseProduct(scale);
}

// Prediction errors, accumulated over zones.
class ErrorSum {
 public:
  ErrorSum(const RoomHistory& history, const LaggedPower& power)
      : history_(history), power_(power) {}

  // Of a row of D.
  void Add(ZoneId zone, const VectorXd& row, const Instants& instants) {
    AddRises(zone, instants, [&](std::size_t instant) {
      return row.dot(power_.watts.col(static_cast<Index>(instant)));
    });
  }
  // Of the zone's mean rise over the instants seen.
  void AddMean(ZoneId zone, const Instants& seen, const Instants& instants) {
    double sum_k = 0;
    std::size_t count = 0;
    for (const std::size_t instant : seen) {
      const double rise_k = RiseOf(history_, instant, zone);
      if (std::isnan(rise_k)) continue;
      sum_k += rise_k;
      ++count;
    }
    if (count == 0) return;
    const double mean_k = sum_k / static_cast<double>(count);
    AddRises(zone, instants, [mean_k](std::size_t) { return mean_k; });
  }
  PredictionError Mean() const {
    const auto mean = [](double sum, std::size_t count) {
      return count == 0 ? 0 : sum / static_cast<double>(count);
    };
    return {.rms_k = std::sqrt(mean(squares_, readings_)),
            .mean_abs_k = mean(magnitudes_, readings_),
            .noise_k = std::sqrt(mean(steps_, step_count_) / 2),
            .readings = readings_};
  }

 private:
  template <typename Predict>
  void AddRises(ZoneId zone, const Instants& instants, const Predict& predict) {
    double before = std::numeric_limits<double>::quiet_NaN();
    std::size_t last = 0;
    for (const std::size_t instant : instants) {
      const double off_k = predict(instant) - RiseOf(history_, instant, zone);
      if (!std::isnan(off_k)) {
        squares_ += off_k * off_k;
        magnitudes_ += std::abs(off_k);
        ++readings_;
      }
      if (instant == last + 1 && !std::isnan(off_k - before)) {
        steps_ += (off_k - before) * (off_k - before);
        ++step_count_;
      }
      before = off_k;
      last = instant;
    }
  }
  const RoomHistory& history_;
  const LaggedPower& power_;
  double squares_ = 0;
  double magnitudes_ = 0;
  double steps_ = 0;
  std::size_t readings_ = 0;
  std::size_t step_count_ = 0;
};

struct Parts {
  Instants first;     // fitted while r is chosen
  Instants choosing;  // choose r
  Instants seen;      // first and choosing: the final fit
  Instants held_out;  // measure the result
};

// The sizes of Parts with this number of usable instants.
struct PartSizes {
  PartSizes(std::size_t usable, double held_out_share)
      : held_out(static_cast<std::size_t>(
            std::round(held_out_share * static_cast<double>(usable)))),
        seen(usable - held_out),
        first(seen - seen / 4) {}
  bool AreSufficient() const {
    return std::min({held_out, first, seen - first}) >= kMinInstants;
  }

  std::size_t held_out;
  std::size_t seen;
  std::size_t first;
};

absl::Status TooFewInstants(std::size_t usable, const LaggedPower& power,
                            double held_out_share) {
  const std::size_t all = power.usable.size();
  std::size_t sufficient = usable;
  while (!PartSizes(sufficient, held_out_share).AreSufficient()) ++sufficient;
  const auto worst =
      std::max_element(power.unknown.begin(), power.unknown.end());
  const std::string gaps =
      *worst == 0 ? ""
                  : fmt::format(
                        ", or power readings of all nodes without long gaps "
                        "(zone {} has none at {} time steps)",
                        worst - power.unknown.begin(), *worst);
  return absl::InvalidArgumentError(fmt::format(
      "only {} of {} time steps are usable, those after {:g} time constants "
      "of known power (expected at least {}, so that {} or more each remain to "
      "fit, to choose the regularisation and to hold out): use longer "
      "telemetry{}",
      usable, all, kSettledAfter, sufficient, kMinInstants, gaps));
}

// REQUIRES a share above 0 and below 1.
absl::StatusOr<Parts> Split(const LaggedPower& power, double held_out_share) {
  Instants usable;
  for (std::size_t i = 0; i < power.usable.size(); ++i) {
    if (power.usable[i]) usable.push_back(i);
  }
  const PartSizes sizes(usable.size(), held_out_share);
  if (!sizes.AreSufficient()) {
    return TooFewInstants(usable.size(), power, held_out_share);
  }
  const auto at = [&usable](std::size_t i) {
    return usable.begin() + static_cast<std::ptrdiff_t>(i);
  };
  return Parts{{usable.begin(), at(sizes.first)},
               {at(sizes.first), at(sizes.seen)},
               {usable.begin(), at(sizes.seen)},
               {at(sizes.seen), usable.end()}};
}

// Zones whose power hardly moves over the instants.
std::vector<ZoneId> StillZones(const LaggedPower& power,
                               const Instants& instants) {
  const std::vector<Index> columns(instants.begin(), instants.end());
  const MatrixXd watts = power.watts(Eigen::all, columns);
  const VectorXd mean = watts.rowwise().mean();
  const VectorXd deviation = (watts.colwise() - mean).rowwise().squaredNorm() /
                             static_cast<double>(columns.size());
  std::vector<ZoneId> still;
  for (Index zone = 0; zone < mean.size(); ++zone) {
    if (std::sqrt(deviation(zone)) > kStillPower * mean(zone)) continue;
    still.push_back(static_cast<ZoneId>(zone));
  }
  return still;
}

}  // namespace

absl::StatusOr<Calibration> Calibrate(const HeatMatrix& prior,
                                      const RoomHistory& history,
                                      const CalibrationOptions& options) {
  const ZoneId zones = history.zones;
  if (zones > kMaxCalibratedZones) {
    return absl::InvalidArgumentError(
        fmt::format("the room has {} zones (calibration supports at most {})",
                    zones, kMaxCalibratedZones));
  }
  const LaggedPower power = LagPower(history, options.time_constant_s);
  const absl::StatusOr<Parts> parts = Split(power, options.held_out_share);
  if (!parts.ok()) return parts.status();

  Calibration best;
  Fitter fitter(prior, history, power);
  fitter.UseInstants(parts->first);
  double min_rms_k = std::numeric_limits<double>::infinity();
  const ZoneId stride = (zones + kMaxSampledRows - 1) / kMaxSampledRows;
  for (int i = 0; i < kRegularisations; ++i) {
    const double regularisation =
        kMinRegularisation * std::pow(kRegularisationRatio, i);
    ErrorSum error(history, power);
    for (ZoneId zone = 0; zone < zones; zone += stride) {
      error.Add(zone, fitter.Row(zone, regularisation), parts->choosing);
    }
    const double rms_k = error.Mean().rms_k;
    if (rms_k >= min_rms_k) continue;
    min_rms_k = rms_k;
    best.regularisation = regularisation;
  }

  fitter.UseInstants(parts->seen);
  ErrorSum error(history, power);
  ErrorSum prior_error(history, power);
  ErrorSum mean_error(history, power);
  for (ZoneId zone = 0; zone < zones; ++zone) {
    const VectorXd row = fitter.Row(zone, best.regularisation);
    best.k_per_w.insert(best.k_per_w.end(), row.begin(), row.end());
    error.Add(zone, row, parts->held_out);
    prior_error.Add(zone, fitter.PriorRow(zone), parts->held_out);
    mean_error.AddMean(zone, parts->seen, parts->held_out);
  }
  ErrorSum transposed_error(history, power);
  ErrorSum prior_transposed_error(history, power);
  const MatrixXd fitted = Eigen::Map<const MatrixXd>(
      best.k_per_w.data(), Index{zones}, Index{zones});  // columns: rows of D
  for (ZoneId zone = 0; zone < zones; ++zone) {
    transposed_error.Add(zone, fitted.row(zone), parts->held_out);
    prior_transposed_error.Add(zone, fitter.PriorColumn(zone), parts->held_out);
  }
  best.transposed_held_out = transposed_error.Mean();
  best.prior_transposed_held_out = prior_transposed_error.Mean();
  best.held_out = error.Mean();
  best.prior_held_out = prior_error.Mean();
  best.mean_held_out = mean_error.Mean();
  best.still_zones = StillZones(power, parts->seen);
  for (ZoneId zone = 0; zone < zones; ++zone) {
    if (power.assumed[zone] > 0) best.assumed_zones.push_back(zone);
  }
  best.one_step =
      PredictOneStep(history, best.k_per_w, options.time_constant_s,
                     parts->choosing.front(), parts->held_out.front());
  best.fitted_instants = parts->seen.size();
  best.held_out_instants = parts->held_out.size();
  return best;
}

}  // namespace coolspan
