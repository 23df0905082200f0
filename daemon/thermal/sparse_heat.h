// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_SPARSE_HEAT_H_
#define COOLSPAN_THERMAL_SPARSE_HEAT_H_

#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "core/heat_matrix.h"
#include "thermal/sparse_matrix.h"

namespace coolspan {

// D most of whose entries are 0: 24 bytes for each other one.
class SparseHeat final : public HeatMatrix {
 public:
  // Row: receiver, column: emitter, K/W; rounded to 2^-40 K/W.
  // Errors: SparseMatrix's.
  static absl::StatusOr<std::shared_ptr<const SparseHeat>> Create(
      ZoneId zones, std::span<const MatrixEntry> entries);

  ZoneId zone_count() const override { return k_per_w_.rows(); }
  double At(ZoneId receiver, ZoneId emitter) const override {
    return k_per_w_.At(receiver, emitter);
  }
  void UpdateRise(std::span<const ZonePower> changes,
                  std::span<const double> power_w,
                  std::span<double> rise_k) const override;
  void AddRise(std::span<const ZonePower> emitters,
               std::span<double> rise_k) const override;
  void AddPull(std::span<const double> weights,
               std::span<double> pull) const override;
  void CopyRow(ZoneId receiver, std::span<double> row) const override;
  const SparseMatrix& k_per_w() const { return k_per_w_; }

 private:
  explicit SparseHeat(SparseMatrix k_per_w) : k_per_w_(std::move(k_per_w)) {}

  SparseMatrix k_per_w_;
};

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_SPARSE_HEAT_H_
