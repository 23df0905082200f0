// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/sparse_heat.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "thermal/heat_steps.h"

namespace coolspan {

absl::StatusOr<std::shared_ptr<const SparseHeat>> SparseHeat::Create(
    ZoneId zones, std::span<const MatrixEntry> entries) {
  std::vector<MatrixEntry> rounded(entries.begin(), entries.end());
  for (MatrixEntry& entry : rounded) {
    entry.value = RoundedToSteps<kHeatStepExponent>(entry.value);
  }
  absl::StatusOr<SparseMatrix> k_per_w =
      SparseMatrix::Create(zones, zones, rounded);
  if (!k_per_w.ok()) return k_per_w.status();
  return std::shared_ptr<const SparseHeat>(new SparseHeat(*std::move(k_per_w)));
}

void SparseHeat::UpdateRise(std::span<const ZonePower> changes,
                            std::span<const double> /*power_w*/,
                            std::span<double> rise_k) const {
  AddRise(changes, rise_k);  // exact in these steps
}

void SparseHeat::AddRise(std::span<const ZonePower> emitters,
                         std::span<double> rise_k) const {
  for (const ZonePower& emitter : emitters) {
    const SparseMatrix::Line column = k_per_w_.Column(emitter.zone);
    for (std::size_t i = 0; i < column.size(); ++i) {
      rise_k[column.index[i]] += emitter.watts * column.value[i];
    }
  }
}

void SparseHeat::AddPull(std::span<const double> weights,
                         std::span<double> pull) const {
  k_per_w_.AddTransposed(weights, pull);
}

void SparseHeat::CopyRow(ZoneId receiver, std::span<double> row) const {
  std::fill(row.begin(), row.end(), 0.0);
  const SparseMatrix::Line line = k_per_w_.Row(receiver);
  for (std::size_t i = 0; i < line.size(); ++i)
    row[line.index[i]] = line.value[i];
}

}  // namespace coolspan
