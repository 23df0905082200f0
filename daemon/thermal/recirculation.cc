// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/recirculation.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "thermal/sampled_recirculation.h"
#include "thermal/worst_entries.h"

namespace coolspan {
namespace {

using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;

Eigen::Map<const Eigen::VectorXd> AsVector(std::span<const double> values) {
  return {values.data(), static_cast<Index>(values.size())};
}

std::span<const double> AsSpan(const Eigen::VectorXd& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

Recirculation::Sum GreatestOf(std::span<const double> sums) {
  const auto max = std::max_element(sums.begin(), sums.end());
  return {static_cast<ZoneId>(max - sums.begin()), *max};
}

// The coefficient of variation; 0 if the mean is not positive.
double SpreadOf(std::span<const double> sums) {
  const auto values = AsVector(sums).array();
  const double mean = values.mean();
  if (!(mean > 0)) return 0;
  return std::sqrt((values - mean).square().mean()) / mean;
}

// transposed: A^T; its column i is row i of A. airflow: of each zone.
Recirculation Judge(const Eigen::MatrixXd& transposed,
                    const Eigen::VectorXd& airflow) {
  Recirculation found;
  WorstEntries worst;
  for (Index row = 0; row < transposed.cols(); ++row) {
    worst.AddRow(static_cast<ZoneId>(row),
                 {transposed.col(row).data(),
                  static_cast<std::size_t>(transposed.rows())});
  }
  worst.MoveInto(found);
  const Eigen::VectorXd leaving = transposed.colwise().sum();
  const Eigen::VectorXd entering = transposed.rowwise().sum();
  const Eigen::VectorXd shares = (transposed * airflow).cwiseQuotient(airflow);
  found.SetSums(AsSpan(leaving), AsSpan(entering), AsSpan(shares));
  const Eigen::MatrixXd flow = transposed * airflow.asDiagonal();
  const double total = 2 * flow.cwiseAbs().sum();
  found.asymmetry =
      total > 0 ? (flow - flow.transpose()).cwiseAbs().sum() / total : 0;
  found.rows = static_cast<std::size_t>(transposed.cols());
  return found;
}

absl::Status NoInverse() {
  return absl::InvalidArgumentError(
      "I + K D is singular, so D has no cross-interference matrix A; check the "
      "order of rows and columns, and the airflow");
}

absl::StatusOr<Recirculation> WholeRecirculation(
    const Eigen::MatrixXd& heat, std::span<const double> airflow) {
  const Index zones = heat.rows();
  Eigen::MatrixXd system = AsVector(airflow).asDiagonal() * heat;
  system.diagonal().array() += 1;
  const Eigen::MatrixXd inverse = system.partialPivLu().inverse();
  if (!inverse.allFinite()) return NoInverse();
  Recirculation found = Judge(Eigen::MatrixXd::Identity(zones, zones) - inverse,
                              AsVector(airflow));
  found.airflow_w_per_k = airflow.front();
  return found;
}

Eigen::MatrixXd DenseOf(const HeatMatrix& heat) {
  const auto zones = static_cast<Index>(heat.zone_count());
  RowMajor dense(zones, zones);
  for (ZoneId zone = 0; zone < heat.zone_count(); ++zone) {
    heat.CopyRow(zone, {dense.row(zone).data(), heat.zone_count()});
  }
  return dense;
}

bool IsSmall(const HeatMatrix& heat) {
  return heat.zone_count() <= kWholeCheckZones;
}

// Entries of A >= 0 are not enough: the air must also leave the room in the
// end, that is (I - A^T)^-1 >= 0. As (I - A^T) x = 1 for x = (I + K D) 1, this
// holds only if x > 0 (see HeatFromCrossInterference).
absl::Status CheckWarms(const HeatMatrix& heat,
                        std::span<const double> airflow_w_per_k) {
  const ZoneId zones = heat.zone_count();
  std::vector<ZonePower> watt_each;
  for (ZoneId zone = 0; zone < zones; ++zone) watt_each.push_back({zone, 1});
  std::vector<double> rise_k(zones, 0.0);
  heat.AddRise(watt_each, rise_k);
  for (ZoneId zone = 0; zone < zones; ++zone) {
    if (1 + airflow_w_per_k[zone] * rise_k[zone] > 0) continue;
    return absl::InvalidArgumentError(
        fmt::format("power in all zones cools the inlet of zone {}: row {} of "
                    "D sums to {:g} K/W (expected entries of at least 0)",
                    zone, zone + 1, rise_k[zone]));
  }
  return absl::OkStatus();
}

}  // namespace

bool Recirculation::IsRefused() const {
  return (!smallest.empty() && smallest.front().value < kMinEntry) ||
         max_row_sum.value > kGreatestSum ||
         max_column_sum.value > kGreatestSum;
}

bool Recirculation::IsDoubtful() const {
  return negative > 0 || max_row_sum.value > 1 + kRounding ||
         max_column_sum.value > 1 + kRounding ||
         max_inlet_share.value > 1 + kRounding;
}

std::string Recirculation::Describe() const {
  std::string text;
  const auto add = [&text](const std::string& part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  if (negative > 0) {
    add(fmt::format("{} negative entries", negative));
    for (const Entry& entry : smallest) {
      if (entry.value >= -kRounding) break;
      add(fmt::format("row {} column {} is {:.4f}", entry.row + 1,
                      entry.column + 1, entry.value));
    }
  }
  if (max_row_sum.value > 1 + kRounding) {
    add(fmt::format("row {} sums to {:.3f}", max_row_sum.zone + 1,
                    max_row_sum.value));
  }
  if (max_column_sum.value > 1 + kRounding) {
    add(fmt::format("column {} sums to {:.3f}", max_column_sum.zone + 1,
                    max_column_sum.value));
  } else if (max_inlet_share.value > 1 + kRounding) {
    add(fmt::format("zone {} takes in {:.3f} times its airflow",
                    max_inlet_share.zone, max_inlet_share.value));
  }
  return text;
}

bool Recirculation::GivesOffTooMuch() const {
  return max_row_sum.value > 1 + kRounding &&
         max_inlet_share.value <= 1 + kRounding;
}

std::string Recirculation::SignsOfTransposition() const {
  if (IsSymmetric()) return "";
  if (GivesOffTooMuch()) {
    return fmt::format(
        "zone {} gives off {:.3f} times its heat, and no inlet takes in more "
        "than its air",
        max_row_sum.zone, max_row_sum.value);
  }
  if (zones < 3 ||
      row_spread <= inlet_spread * std::exp(2 / std::sqrt(zones - 1.0))) {
    return "";
  }
  return fmt::format(
      "the heat that recirculates varies by {:.0f} % between outlets and "
      "{:.0f} "
      "% between inlets (expected more between inlets)",
      100 * row_spread, 100 * inlet_spread);
}

void Recirculation::SetSums(std::span<const double> leaving,
                            std::span<const double> entering,
                            std::span<const double> inlet_shares) {
  zones = static_cast<ZoneId>(leaving.size());
  max_row_sum = GreatestOf(leaving);
  max_column_sum = GreatestOf(entering);
  max_inlet_share = GreatestOf(inlet_shares);
  row_spread = SpreadOf(leaving);
  inlet_spread = SpreadOf(inlet_shares);
}

absl::StatusOr<Recirculation> RecirculationOf(
    const HeatMatrix& heat, std::span<const double> airflow_w_per_k) {
  absl::Status status = CheckWarms(heat, airflow_w_per_k);
  if (!status.ok()) return status;
  if (IsSmall(heat)) return WholeRecirculation(DenseOf(heat), airflow_w_per_k);
  return SampledRecirculation(heat, airflow_w_per_k);
}

Recirculation RecirculationOf(ZoneId zones, std::span<const double> a,
                              std::span<const double> airflow_w_per_k) {
  const auto size = static_cast<Index>(zones);
  Eigen::VectorXd airflow = Eigen::VectorXd::Ones(size);
  if (!airflow_w_per_k.empty()) airflow = AsVector(airflow_w_per_k);
  return Judge(Eigen::Map<const Eigen::MatrixXd>(a.data(), size, size),
               airflow);
}

absl::StatusOr<Recirculation> SearchAirflow(const HeatMatrix& heat) {
  constexpr double kStep = 1.5;
  const Eigen::MatrixXd dense =
      IsSmall(heat) ? DenseOf(heat) : Eigen::MatrixXd();
  const std::vector<double> min_airflow(heat.zone_count(), kMinAirflowWPerK);
  absl::StatusOr<Recirculation> first = RecirculationOf(heat, min_airflow);
  if (!first.ok() || !first->IsRefused()) return first;
  double k = kStep * kMinAirflowWPerK;
  while (k <= kGreatestAirflowWPerK) {
    const std::vector<double> airflow(heat.zone_count(), k);
    // 1 + K (row sum) is negative with every larger K too.
    if (!CheckWarms(heat, airflow).ok()) break;
    auto found = IsSmall(heat) ? WholeRecirculation(dense, airflow)
                               : SampledRecirculation(heat, airflow);
    if (found.ok() && !found->IsRefused()) return found;
    k *= kStep;
  }
  return first;
}

// A matrix M without positive entries off its diagonal, here I - A^T, has
// M^-1 >= 0 if and only if M x > 0 for some x > 0 (Berman, Plemmons,
// Nonnegative Matrices, theorem 6.2.3). Tested with x = M^-1 1, also for an A
// with a few negative entries.
absl::StatusOr<std::vector<double>> HeatFromCrossInterference(
    ZoneId zones, std::span<const double> a,
    std::span<const double> airflow_w_per_k) {
  const auto size = static_cast<Index>(zones);
  const Eigen::Map<const Eigen::MatrixXd> transposed(a.data(), size, size);
  const Eigen::PartialPivLU<Eigen::MatrixXd> parts(
      Eigen::MatrixXd::Identity(size, size) - transposed);
  const Eigen::VectorXd warmed = parts.solve(Eigen::VectorXd::Ones(size));
  if (!warmed.allFinite() || warmed.minCoeff() <= 0) {
    return absl::InvalidArgumentError(
        "air recirculates without end: the inverse of I - A has negative "
        "entries or does not exist (expected row sums of A below 1)");
  }
  RowMajor heat = parts.inverse();
  heat.diagonal().array() -= 1;
  // D = (K - A^T K)^-1 - K^-1 = K^-1 ((I - A^T)^-1 - I)
  const Eigen::VectorXd per_airflow = AsVector(airflow_w_per_k).cwiseInverse();
  heat = per_airflow.asDiagonal() * heat;
  return std::vector<double>(heat.data(), heat.data() + heat.size());
}

}  // namespace coolspan
