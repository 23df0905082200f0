// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_SPARSE_HEAT_H_
#define COOLSPAN_THERMAL_SPARSE_HEAT_H_

#include <cstddef>
#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "core/heat_matrix.h"
#include "thermal/matrix_entry.h"

namespace coolspan {

class SparseMatrix;

// A sparse D, 24 bytes for each entry that is not 0.
class SparseHeat final : public HeatMatrix {
 public:
  // Row: receiver, column: emitter, K/W; rounded to 2^-40 K/W.
  // Errors: SparseMatrix's.
  static absl::StatusOr<std::shared_ptr<const SparseHeat>> Create(
      ZoneId zones, std::span<const MatrixEntry> entries);

  ~SparseHeat() override;

  ZoneId zone_count() const override;
  double At(ZoneId receiver, ZoneId emitter) const override;
  void UpdateRise(std::span<const ZonePower> changes,
                  std::span<const double> power_w,
                  std::span<double> rise_k) const override;
  void AddRise(std::span<const ZonePower> emitters,
               std::span<double> rise_k) const override;
  void AddPull(std::span<const double> weights,
               std::span<double> pull) const override;
  void CopyRow(ZoneId receiver, std::span<double> row) const override;
  // Entries that are not 0.
  std::size_t size() const;

 private:
  explicit SparseHeat(std::unique_ptr<const SparseMatrix> k_per_w);

  std::unique_ptr<const SparseMatrix> k_per_w_;
};

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_SPARSE_HEAT_H_
