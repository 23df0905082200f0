// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_SAMPLED_RECIRCULATION_H_
#define COOLSPAN_THERMAL_SAMPLED_RECIRCULATION_H_

#include <span>

#include "absl/status/statusor.h"
#include "core/heat_matrix.h"
#include "thermal/recirculation.h"

namespace coolspan {

// RecirculationOf for rooms of more than kWholeCheckZones zones.
absl::StatusOr<Recirculation> SampledRecirculation(
    const HeatMatrix& heat, std::span<const double> airflow_w_per_k);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_SAMPLED_RECIRCULATION_H_
