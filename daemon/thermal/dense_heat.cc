// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/dense_heat.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "absl/status/status.h"
#include "thermal/heat_steps.h"

namespace coolspan {

DenseHeat::DenseHeat(ZoneId zones, std::span<const double> k_per_w)
    : zones_(zones), by_column_(k_per_w.size()) {
  for (std::size_t row = 0; row < zones; ++row) {
    for (std::size_t column = 0; column < zones; ++column) {
      const double entry = k_per_w[row * zones + column];
      by_column_[column * zones + row] =
          RoundedToSteps<kHeatStepExponent>(entry);
    }
  }
}

absl::StatusOr<std::shared_ptr<const DenseHeat>> DenseHeat::Create(
    ZoneId zones, std::span<const double> k_per_w) {
  if (k_per_w.size() != std::size_t{zones} * zones) {
    return absl::InvalidArgumentError(
        fmt::format("{} entries for {} zones (expected {})", k_per_w.size(),
                    zones, std::size_t{zones} * zones));
  }
  for (std::size_t i = 0; i < k_per_w.size(); ++i) {
    if (std::isfinite(k_per_w[i])) continue;
    return absl::InvalidArgumentError(
        fmt::format("row {}, column {} is {} (expected a finite number)",
                    i / zones + 1, i % zones + 1, k_per_w[i]));
  }
  return std::shared_ptr<const DenseHeat>(new DenseHeat(zones, k_per_w));
}

void DenseHeat::UpdateRise(std::span<const ZonePower> changes,
                           std::span<const double> /*power_w*/,
                           std::span<double> rise_k) const {
  AddRise(changes, rise_k);  // exact, see heat_steps.h
}

void DenseHeat::AddRise(std::span<const ZonePower> emitters,
                        std::span<double> rise_k) const {
  for (const ZonePower& emitter : emitters) {
    const std::span<const double> column = ColumnOf(emitter.zone);
    for (ZoneId zone = 0; zone < zones_; ++zone) {
      rise_k[zone] += emitter.watts * column[zone];
    }
  }
}

void DenseHeat::AddPull(std::span<const double> weights,
                        std::span<double> pull) const {
  for (ZoneId emitter = 0; emitter < zones_; ++emitter) {
    const std::span<const double> column = ColumnOf(emitter);
    double sum = 0;
    for (ZoneId zone = 0; zone < zones_; ++zone) {
      sum += weights[zone] * column[zone];
    }
    pull[emitter] += sum;
  }
}

void DenseHeat::CopyRow(ZoneId receiver, std::span<double> row) const {
  for (ZoneId emitter = 0; emitter < zones_; ++emitter) {
    row[emitter] = At(receiver, emitter);
  }
}

}  // namespace coolspan
