// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_HEAT_MATRIX_H_
#define COOLSPAN_CORE_HEAT_MATRIX_H_

#include <cstdint>
#include <span>

namespace coolspan {

// One or more nodes that share an inlet and a row of D.
using ZoneId = std::uint32_t;

struct ZonePower {
  ZoneId zone = 0;
  double watts = 0;

  friend bool operator==(const ZonePower&, const ZonePower&) = default;
};

// D, the heat distribution matrix in K/W (Tang et al.; joint-allocation-sst,
// equation 4):
//   T_in = T_supply + D P
// with the inlet temperatures T_in and the power P of the zones in watts; D P
// is the rise, in kelvins. Row: receiving inlet; column: emitting zone.
// Immutable, thread-safe.
class HeatMatrix {
 public:
  virtual ~HeatMatrix() = default;

  virtual ZoneId zone_count() const = 0;
  virtual double At(ZoneId receiver, ZoneId emitter) const = 0;

  // Updates rise_k, by zone, from D times the previous power to D times
  // power_w. changes: the differences in watts, each zone at most once. The
  // result depends on power_w alone, bit for bit, not on earlier updates.
  // REQUIRES power in multiples of kPowerStepW.
  virtual void UpdateRise(std::span<const ZonePower> changes,
                          std::span<const double> power_w,
                          std::span<double> rise_k) const = 0;

  // rise_k[i] += sum over emitters of watts * At(i, zone), with floating-point
  // rounding.
  virtual void AddRise(std::span<const ZonePower> emitters,
                       std::span<double> rise_k) const = 0;
  // pull[j] += sum over i of weights[i] * At(i, j): the transpose.
  virtual void AddPull(std::span<const double> weights,
                       std::span<double> pull) const = 0;
  // row[j] = At(receiver, j) for all j.
  virtual void CopyRow(ZoneId receiver, std::span<double> row) const = 0;

  // With power in multiples of this and D in multiples of 2^-40 K/W, sums below
  // 512 K are exact in doubles, in any order.
  static constexpr double kPowerStepW = 1.0 / 16;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_HEAT_MATRIX_H_
