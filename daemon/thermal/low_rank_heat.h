// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_LOW_RANK_HEAT_H_
#define COOLSPAN_THERMAL_LOW_RANK_HEAT_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/heat_matrix.h"
#include "thermal/matrix_entry.h"
#include "thermal/sparse_heat.h"

namespace coolspan {

// D = near + draw * flow * emit: what zones do to their neighbours, entry by
// entry, and the rest by way of few cells of air. A zone gives shares of its
// heat to cells (emit: cell x zone), heat in a cell warms others (flow: K/W,
// cell x cell), and an inlet draws from cells (draw: zone x cell). A plain low
// rank U V^T is draw = U, flow = 1, emit = V^T. Memory and time go by what is
// not 0: 100,000 zones take some tens of megabytes.
class LowRankHeat final : public HeatMatrix {
 public:
  struct Factors {
    ZoneId zones = 0;
    std::uint32_t cells = 0;
    std::vector<MatrixEntry> near;  // K/W, receiver x emitter
    std::vector<MatrixEntry> draw;
    std::vector<MatrixEntry> flow;
    std::vector<MatrixEntry> emit;
  };

  // near is rounded to 2^-40 K/W, each column of draw and row of emit to 2^-16
  // of the least power of two above its entries.
  // Errors: SparseMatrix's, after the name of the factor.
  static absl::StatusOr<std::shared_ptr<const LowRankHeat>> Create(
      const Factors& factors);

  ~LowRankHeat() override;

  ZoneId zone_count() const override { return near_->zone_count(); }
  double At(ZoneId receiver, ZoneId emitter) const override;
  // The outcome is D times the power to about 2 nK for each pair of cells on
  // the way.
  void UpdateRise(std::span<const ZonePower> changes,
                  std::span<const double> power_w,
                  std::span<double> rise_k) const override;
  void AddRise(std::span<const ZonePower> emitters,
               std::span<double> rise_k) const override;
  void AddPull(std::span<const double> weights,
               std::span<double> pull) const override;
  void CopyRow(ZoneId receiver, std::span<double> row) const override;

 private:
  using Factor = std::unique_ptr<const SparseMatrix>;

  LowRankHeat(std::shared_ptr<const SparseHeat> near, Factor draw, Factor flow,
              Factor emit);
  // Of each cell, by the emitters.
  std::vector<double> CellWatts(std::span<const ZonePower> emitters) const;

  std::shared_ptr<const SparseHeat> near_;
  Factor draw_;
  Factor flow_;
  Factor emit_;
};

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_LOW_RANK_HEAT_H_
