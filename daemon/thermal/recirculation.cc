// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/recirculation.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

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

Recirculation::Sum GreatestOf(const Eigen::VectorXd& sums) {
  Index zone = 0;
  const double value = sums.maxCoeff(&zone);
  return {static_cast<ZoneId>(zone), value};
}

// transposed: A^T, whose column i is row i of A.
Recirculation Judge(const Eigen::MatrixXd& transposed) {
  Recirculation found;
  WorstEntries worst;
  for (Index row = 0; row < transposed.cols(); ++row) {
    worst.AddRow(static_cast<ZoneId>(row),
                 {transposed.col(row).data(),
                  static_cast<std::size_t>(transposed.rows())});
  }
  worst.MoveInto(found);
  found.greatest_row = GreatestOf(transposed.colwise().sum());
  found.greatest_column = GreatestOf(transposed.rowwise().sum());
  found.rows = static_cast<std::size_t>(transposed.cols());
  return found;
}

absl::Status NoInverse() {
  return absl::InvalidArgumentError(
      "I + K D cannot be inverted, so no cross-interference matrix belongs to "
      "it; check the order of rows and columns, and the airflow");
}

absl::StatusOr<Recirculation> WholeRecirculation(
    const Eigen::MatrixXd& heat, std::span<const double> airflow) {
  const Index zones = heat.rows();
  Eigen::MatrixXd system = AsVector(airflow).asDiagonal() * heat;
  system.diagonal().array() += 1;
  const Eigen::MatrixXd inverse = system.partialPivLu().inverse();
  if (!inverse.allFinite()) return NoInverse();
  Recirculation found =
      Judge(Eigen::MatrixXd::Identity(zones, zones) - inverse);
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

// An A of 0 and more says of a D that it comes of air that goes round a few
// times only if (I + K D) 1, which I - A^T takes to 1, is above 0 (see
// HeatFromCrossInterference): else 0.9 and 1.1 look the same.
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
        fmt::format("power that the zones draw cools the inlet of zone {}: row "
                    "{} of D sums to {:g} K/W; entries of 0 and more are "
                    "wanted",
                    zone + 1, zone + 1, rise_k[zone]));
  }
  return absl::OkStatus();
}

}  // namespace

bool Recirculation::IsRefused() const {
  return (!least.empty() && least.front().value < kMinEntry) ||
         greatest_row.value > kGreatestSum ||
         greatest_column.value > kGreatestSum;
}

bool Recirculation::IsDoubtful() const {
  return negative > 0 || greatest_row.value > 1 + kRounding ||
         greatest_column.value > 1 + kRounding;
}

std::string Recirculation::Describe() const {
  std::string text;
  const auto add = [&text](const std::string& part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  if (negative > 0) {
    add(fmt::format("{} negative entries", negative));
    for (const Entry& entry : least) {
      if (entry.value >= -kRounding) break;
      add(fmt::format("row {} column {} is {:.4f}", entry.row + 1,
                      entry.column + 1, entry.value));
    }
  }
  if (greatest_row.value > 1 + kRounding) {
    add(fmt::format("row {} sums to {:.3f}", greatest_row.zone + 1,
                    greatest_row.value));
  }
  if (greatest_column.value > 1 + kRounding) {
    add(fmt::format("column {} sums to {:.3f}", greatest_column.zone + 1,
                    greatest_column.value));
  }
  return text;
}

absl::StatusOr<Recirculation> RecirculationOf(
    const HeatMatrix& heat, std::span<const double> airflow_w_per_k) {
  absl::Status status = CheckWarms(heat, airflow_w_per_k);
  if (!status.ok()) return status;
  if (IsSmall(heat)) return WholeRecirculation(DenseOf(heat), airflow_w_per_k);
  return SampledRecirculation(heat, airflow_w_per_k);
}

Recirculation RecirculationOf(ZoneId zones, std::span<const double> a) {
  return Judge(Eigen::Map<const Eigen::MatrixXd>(
      a.data(), static_cast<Index>(zones), static_cast<Index>(zones)));
}

absl::StatusOr<Recirculation> SearchAirflow(const HeatMatrix& heat) {
  constexpr double kStep = 1.5;
  const Eigen::MatrixXd dense =
      IsSmall(heat) ? DenseOf(heat) : Eigen::MatrixXd();
  const std::vector<double> least(heat.zone_count(), kMinAirflowWPerK);
  absl::StatusOr<Recirculation> first = RecirculationOf(heat, least);
  if (!first.ok() || !first->IsRefused()) return first;
  double k = kStep * kMinAirflowWPerK;
  while (k <= kGreatestAirflowWPerK) {
    const std::vector<double> airflow(heat.zone_count(), k);
    if (!CheckWarms(heat, airflow).ok()) break;  // nor of more air
    auto found = IsSmall(heat) ? WholeRecirculation(dense, airflow)
                               : SampledRecirculation(heat, airflow);
    if (found.ok() && !found->IsRefused()) return found;
    k *= kStep;
  }
  return first;
}

// A matrix with nothing above 0 off its diagonal, here I - A^T, has an inverse
// that is 0 and more where it takes some x above 0 to one above 0 (Berman,
// Plemmons, Nonnegative Matrices, theorem 6.2.3). For an A with a few entries
// below 0 that is a test all the same.
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
        "the air goes round for ever: I - A has no inverse of 0 and more; rows "
        "that sum to less than 1 are wanted");
  }
  RowMajor heat = parts.inverse();
  heat.diagonal().array() -= 1;
  // K^-1 ((I - A^T)^-1 - I)
  const Eigen::VectorXd per_airflow = AsVector(airflow_w_per_k).cwiseInverse();
  heat = per_airflow.asDiagonal() * heat;
  return std::vector<double>(heat.data(), heat.data() + heat.size());
}

}  // namespace coolspan
