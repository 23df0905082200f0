// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_HEAT_MATRIX_H_
#define COOLSPAN_CORE_HEAT_MATRIX_H_

#include <cstdint>
#include <span>

namespace coolspan {

// What has one inlet and one row of D: one or several nodes.
using ZoneId = std::uint32_t;

struct ZonePower {
  ZoneId zone = 0;
  double watts = 0;

  friend bool operator==(const ZonePower&, const ZonePower&) = default;
};

// D, the heat distribution matrix (Tang et al.; joint-allocation-sst, equation
// 4): the rise of the inlets over the supplied air, in kelvins, is D times the
// power of the zones, in watts. Row: the inlet that receives; column: the zone
// that emits. Immutable, thread-safe.
class HeatMatrix {
 public:
  virtual ~HeatMatrix() = default;

  virtual ZoneId zone_count() const = 0;
  virtual double At(ZoneId receiver, ZoneId emitter) const = 0;

  // rise_k, by zone, goes from the rise under the power before to that under
  // power_w. changes: where the two differ, by how many watts, no zone twice.
  // The outcome depends on power_w alone, to the last bit, whatever path led
  // there. REQUIRES power in multiples of kPowerStepW.
  virtual void UpdateRise(std::span<const ZonePower> changes,
                          std::span<const double> power_w,
                          std::span<double> rise_k) const = 0;

  // rise_k[i] += sum over emitters of watts * At(i, zone), in any rounding.
  virtual void AddRise(std::span<const ZonePower> emitters,
                       std::span<double> rise_k) const = 0;
  // pull[j] += sum over i of weights[i] * At(i, j): the transpose.
  virtual void AddPull(std::span<const double> weights,
                       std::span<double> pull) const = 0;
  // row[j] = At(receiver, j) for all j.
  virtual void CopyRow(ZoneId receiver, std::span<double> row) const = 0;

  // With power in such steps and D in steps of 2^-40 K/W, sums below 512 K are
  // exact in doubles, in any order.
  static constexpr double kPowerStepW = 1.0 / 16;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_HEAT_MATRIX_H_
