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

// D = near + draw * flow * emit, all four sparse: near has the effects on
// neighbouring zones, the product all others, by way of a few cells of air.
// Zones emit shares of their heat to cells (emit: cell x zone), heat in a cell
// warms other cells (flow: K/W, cell x cell), and inlets draw from cells (draw:
// zone x cell). A low-rank matrix U V^T is draw = U, flow = I, emit = V^T.
// Memory and time are proportional to the entries that are not 0: 100,000 zones
// take tens of megabytes.
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
  // of the smallest power of two above its entries.
  // Errors: those of SparseMatrix::Create, prefixed by the name of the factor.
  static absl::StatusOr<std::shared_ptr<const LowRankHeat>> Create(
      const Factors& factors);

  ~LowRankHeat() override;

  ZoneId zone_count() const override { return near_->zone_count(); }
  double At(ZoneId receiver, ZoneId emitter) const override;
  // Equal to D * power_w within about 2 nK for each pair of cells involved.
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
  // emit * power, by cell.
  std::vector<double> CellWatts(std::span<const ZonePower> emitters) const;

  std::shared_ptr<const SparseHeat> near_;
  Factor draw_;
  Factor flow_;
  Factor emit_;
};

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_LOW_RANK_HEAT_H_
