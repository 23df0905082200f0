// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_DENSE_HEAT_H_
#define COOLSPAN_THERMAL_DENSE_HEAT_H_

#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/heat_matrix.h"

namespace coolspan {

// A dense D, for rooms of up to a few thousand zones.
class DenseHeat final : public HeatMatrix {
 public:
  // k_per_w: zones x zones, row by row; entries are rounded to 2^-40 K/W.
  // Errors: INVALID_ARGUMENT for a wrong number of entries or an entry that is
  // not finite.
  static absl::StatusOr<std::shared_ptr<const DenseHeat>> Create(
      ZoneId zones, std::span<const double> k_per_w);

  ZoneId zone_count() const override { return zones_; }
  double At(ZoneId receiver, ZoneId emitter) const override {
    return ColumnOf(emitter)[receiver];
  }
  void UpdateRise(std::span<const ZonePower> changes,
                  std::span<const double> power_w,
                  std::span<double> rise_k) const override;
  void AddRise(std::span<const ZonePower> emitters,
               std::span<double> rise_k) const override;
  void AddPull(std::span<const double> weights,
               std::span<double> pull) const override;
  void CopyRow(ZoneId receiver, std::span<double> row) const override;

 private:
  DenseHeat(ZoneId zones, std::span<const double> k_per_w);
  std::span<const double> ColumnOf(ZoneId emitter) const {
    return {&by_column_[std::size_t{emitter} * zones_], zones_};
  }

  ZoneId zones_;
  // Column by column, as the rise a job causes is a sum of columns.
  std::vector<double> by_column_;
};

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_DENSE_HEAT_H_
