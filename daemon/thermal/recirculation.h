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

// What A, the cross-interference matrix of a room (joint-allocation-sst,
// section 3.4), is like: a_ij is the share of the air leaving zone i that
// enters the inlet of zone j. A room as physics has it: shares of 0 and more,
// of a zone's outgoing air no more than all, at an inlet no more than its air.
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

  std::vector<Entry> least;  // the least entries first, kWorst at most
  Sum greatest_row;
  Sum greatest_column;
  std::size_t negative = 0;    // entries below -kRounding
  std::size_t rows = 0;        // rows whose entries were looked at
  double airflow_w_per_k = 0;  // of the first zone

  // Matrices come from measurements and printed pictures: entries and sums a
  // little off are taken, with a warning.
  static constexpr double kMinEntry = -0.02;
  static constexpr double kGreatestSum = 1.05;
  static constexpr double kRounding = 1e-6;
  static constexpr std::size_t kWorst = 3;

  bool IsRefused() const;
  // Whether something is off by more than rounding.
  bool IsDoubtful() const;
  // What is wrong with it: sums and worst entries, rows and columns from 1.
  std::string Describe() const;
};

// A of D: A^T = I - (I + K D)^-1, which is (D + K^-1)^-1 K^-1 turned about.
// airflow_w_per_k: K, one number a zone.
//
// Up to kWholeCheckZones all of A is worked out, O(zones^3). Beyond, all row
// and column sums, and 16 rows: those of the greatest and least sums, and some
// between; by an iteration that takes O(entries of D) a step and some ten
// steps, as every physical K D has its eigenvalues right of -1/2.
// Errors: INVALID_ARGUMENT where no room is like that, whatever A: I + K D
// cannot be inverted, or power cools.
inline constexpr ZoneId kWholeCheckZones = 1024;
absl::StatusOr<Recirculation> RecirculationOf(
    const HeatMatrix& heat, std::span<const double> airflow_w_per_k);

// The same of an A that is given, row after row.
Recirculation RecirculationOf(ZoneId zones, std::span<const double> a);

// The first of some uniform airflows, the least and more, growing by half up to
// the greatest, with which D is not refused; of the least where it is with all.
// Errors: as RecirculationOf of the least.
inline constexpr double kMinAirflowWPerK = 50;
inline constexpr double kGreatestAirflowWPerK = 10'000;
absl::StatusOr<Recirculation> SearchAirflow(const HeatMatrix& heat);

// D = (K - A^T K)^-1 - K^-1 (equation 5), row after row, from A row after row.
// O(zones^3). Errors: INVALID_ARGUMENT where no such D is: air that goes round
// for ever.
absl::StatusOr<std::vector<double>> HeatFromCrossInterference(
    ZoneId zones, std::span<const double> a,
    std::span<const double> airflow_w_per_k);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_RECIRCULATION_H_
