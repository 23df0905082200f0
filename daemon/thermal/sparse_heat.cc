// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/sparse_heat.h"

#include <utility>
#include <vector>

#include "thermal/heat_steps.h"
#include "thermal/sparse_matrix.h"

namespace coolspan {

absl::StatusOr<std::shared_ptr<const SparseHeat>> SparseHeat::Create(
    ZoneId zones, std::span<const MatrixEntry> entries) {
  std::vector<MatrixEntry> rounded(entries.begin(), entries.end());
  for (MatrixEntry& entry : rounded) {
    entry.value = RoundedToSteps<kHeatStepExponent>(entry.value);
  }
  auto k_per_w = SparseMatrix::Create(zones, zones, rounded);
  if (!k_per_w.ok()) return k_per_w.status();
  return std::shared_ptr<const SparseHeat>(new SparseHeat(*std::move(k_per_w)));
}

SparseHeat::SparseHeat(std::unique_ptr<const SparseMatrix> k_per_w)
    : k_per_w_(std::move(k_per_w)) {}

SparseHeat::~SparseHeat() = default;

ZoneId SparseHeat::zone_count() const { return k_per_w_->rows(); }

std::size_t SparseHeat::size() const { return k_per_w_->size(); }

double SparseHeat::At(ZoneId receiver, ZoneId emitter) const {
  return k_per_w_->by_row().coeff(receiver, emitter);
}

void SparseHeat::UpdateRise(std::span<const ZonePower> changes,
                            std::span<const double> /*power_w*/,
                            std::span<double> rise_k) const {
  AddRise(changes, rise_k);  // exact, see heat_steps.h
}

void SparseHeat::AddRise(std::span<const ZonePower> emitters,
                         std::span<double> rise_k) const {
  for (const ZonePower& emitter : emitters) {
    AddScaled(k_per_w_->by_column(), emitter.zone, emitter.watts, rise_k);
  }
}

void SparseHeat::AddPull(std::span<const double> weights,
                         std::span<double> pull) const {
  k_per_w_->AddTransposed(weights, pull);
}

void SparseHeat::CopyRow(ZoneId receiver, std::span<double> row) const {
  Eigen::Map<Eigen::RowVectorXd>(row.data(), Eigen::Index{zone_count()}) =
      k_per_w_->by_row().row(receiver);
}

}  // namespace coolspan
