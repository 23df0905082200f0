// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_HEAT_STEPS_H_
#define COOLSPAN_THERMAL_HEAT_STEPS_H_

#include <cmath>

namespace coolspan {

// The nearest multiple of 2^-exponent. Sums of such numbers are exact in any
// order while they stay below 2^(53 - exponent).
template <int exponent>
double RoundedToSteps(double value) {
  constexpr double kStepsPerUnit = 1ULL << exponent;
  // Between 2^52 and 2^53 doubles are integers, so adding this rounds.
  constexpr double kWhole = 0x1.8p52;
  const double steps = value * kStepsPerUnit;
  const double rounded = std::abs(steps) < 0x1p51 ? (steps + kWhole) - kWhole
                                                  : std::nearbyint(steps);
  return rounded / kStepsPerUnit;
}

// For entries of D, see HeatMatrix::kPowerStepW.
inline constexpr int kHeatStepExponent = 40;

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_HEAT_STEPS_H_
