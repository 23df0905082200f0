// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_HEAT_STEPS_H_
#define COOLSPAN_THERMAL_HEAT_STEPS_H_

#include <cmath>

namespace coolspan {

// The nearest multiple of 2^-exponent: sums of such numbers are exact, in any
// order, as long as they stay below 2^(53 - exponent).
inline double RoundedToSteps(double value, int exponent) {
  return std::ldexp(std::round(std::ldexp(value, exponent)), -exponent);
}

// Entries of D, see HeatMatrix::kPowerStepW.
inline constexpr int kHeatStepExponent = 40;

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_HEAT_STEPS_H_
