// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_RECIRCULATION_H_
#define COOLSPAN_THERMAL_RECIRCULATION_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/heat_matrix.h"

namespace coolspan {

// Physical validation of A, the cross-interference matrix of a room
// (joint-allocation-sst, section 3.4): a_ij is the share of the air leaving
// zone i that enters the inlet of zone j. In a physical room a_ij >= 0, row
// sums (of a zone's outgoing air) are at most 1, and column sums (of an inlet's
// air) are at most 1.
struct Recirculation {
  struct Entry {
    ZoneId row = 0;
    ZoneId column = 0;
    double value = 0;
  };
  struct Sum {
    ZoneId zone = 0;
    double value = 0;
  };

  std::vector<Entry> smallest;  // ascending, at most kWorst
  Sum max_row_sum;
  Sum max_column_sum;
  // The share of an inlet's air that comes from other zones, with the airflow
  // of each: sum over i of K_i a_ij / K_j; at most 1, as air is conserved.
  Sum max_inlet_share;
  // Coefficients of variation of the row sums and of the inlet shares.
  double row_spread = 0;
  double inlet_spread = 0;
  // sum |f_ij - f_ji| / sum (f_ij + f_ji), f_ij = K_i a_ij; of the sums by zone
  // in rooms whose entries are sampled. 0: D equals its transpose.
  double asymmetry = 0;
  ZoneId zones = 0;
  std::size_t negative = 0;    // entries below -kRounding
  std::size_t rows = 0;        // rows whose entries were checked
  double airflow_w_per_k = 0;  // of the first zone

  // Matrices come from measurements and printed colour maps: small deviations
  // are accepted with a warning.
  static constexpr double kMinEntry = -0.02;
  static constexpr double kGreatestSum = 1.05;
  static constexpr double kRounding = 1e-6;
  static constexpr std::size_t kWorst = 3;
  static constexpr double kMinAsymmetry = 1e-3;

  bool IsRefused() const;
  // Whether an entry or a sum is out of range by more than rounding.
  bool IsDoubtful() const;
  // Sets sums, spreads and zones from the row sums of A, its column sums and
  // the inlet shares.
  void SetSums(std::span<const double> leaving,
               std::span<const double> entering,
               std::span<const double> inlet_shares);
  // Whether swapping rows and columns of D would change nothing.
  bool IsSymmetric() const { return asymmetry < kMinAsymmetry; }
  // Why rows and columns of D may be swapped; empty: nothing speaks for it.
  // Swapping them turns every flow of air round, f_ij into f_ji: row sums and
  // inlet shares change places. A room turned round is as physical, so only
  // what rooms usually have can tell:
  // - a zone cannot give off more than its heat, while an inlet share a little
  //   above 1 is a common error of measurement;
  // - inlets differ more than outlets do: the supplied air reaches some inlets
  //   unmixed, the exhausts mix first. Counts from two standard errors of the
  //   logarithm of the ratio, 2 / sqrt(zones - 1).
  std::string SignsOfTransposition() const;
  // The first of these.
  bool GivesOffTooMuch() const;
  // The sums and entries out of range; rows and columns are counted from 1.
  std::string Describe() const;
};

// A of D:
//   A^T = I - (D + K^-1)^-1 K^-1 = I - (I + K D)^-1
// (equation 5 solved for A). airflow_w_per_k: the diagonal of K, by zone.
//
// Up to kWholeCheckZones the whole of A is computed, O(zones^3). Larger rooms:
// all row and column sums, and 16 rows (those with the largest and the smallest
// sums, and some in between), by an iterative solver with O(entries of D) a
// step and about ten steps, as the eigenvalues of a physical K D have real
// parts above -1/2.
// Errors: INVALID_ARGUMENT if I + K D cannot be inverted, or if power in all
// zones would cool an inlet.
inline constexpr ZoneId kWholeCheckZones = 1024;
absl::StatusOr<Recirculation> RecirculationOf(
    const HeatMatrix& heat, std::span<const double> airflow_w_per_k);

// The same for A itself, row by row. No airflow: the same in all zones.
Recirculation RecirculationOf(ZoneId zones, std::span<const double> a,
                              std::span<const double> airflow_w_per_k = {});

// Tries uniform airflows from kMinAirflowWPerK, each 1.5 times the one before,
// up to kGreatestAirflowWPerK. Returns the result for the first one with which
// D is not refused, or for kMinAirflowWPerK if there is none.
// Errors: those of RecirculationOf with kMinAirflowWPerK.
inline constexpr double kMinAirflowWPerK = 50;
inline constexpr double kGreatestAirflowWPerK = 10'000;
absl::StatusOr<Recirculation> SearchAirflow(const HeatMatrix& heat);

// D = (K - A^T K)^-1 - K^-1 (joint-allocation-sst, equation 5). A and D row by
// row. O(zones^3). Errors: INVALID_ARGUMENT if (I - A^T)^-1 does not exist or
// has negative entries: the same air would recirculate without end.
absl::StatusOr<std::vector<double>> HeatFromCrossInterference(
    ZoneId zones, std::span<const double> a,
    std::span<const double> airflow_w_per_k);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_RECIRCULATION_H_
