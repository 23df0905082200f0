// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/lagged_power.h"

#include <cmath>
#include <limits>

namespace coolspan {
namespace {

using Eigen::Index;

constexpr std::size_t kMaxGap = 5;  // missing readings

// The readings of a zone with short gaps interpolated linearly. Gaps before the
// first and after the last reading stay.
std::vector<double> Interpolated(const RoomHistory& history, ZoneId zone) {
  const std::size_t instants = history.instants();
  std::vector<double> watts(instants);
  std::size_t last = instants;  // last known reading; instants: none yet
  for (std::size_t i = 0; i < instants; ++i) {
    watts[i] = history.power_w[i * history.zones + zone];
    if (std::isnan(watts[i])) continue;
    const bool is_short = last < i && i - last - 1 <= kMaxGap;
    for (std::size_t gap = last + 1; is_short && gap < i; ++gap) {
      const double part =
          static_cast<double>(gap - last) / static_cast<double>(i - last);
      watts[gap] = watts[last] + part * (watts[i] - watts[last]);
    }
    last = i;
  }
  return watts;
}

// NaN if none is known.
double MeanOfKnown(const std::vector<double>& watts) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : watts) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : sum / static_cast<double>(count);
}

// By zone. Fills long gaps of few zones with their means (the mean of all zones
// if a zone never has a reading), and counts them.
std::vector<std::vector<double>> KnownPower(const RoomHistory& history,
                                            std::vector<std::size_t>& assumed) {
  const std::size_t instants = history.instants();
  std::vector<std::vector<double>> watts;
  watts.reserve(history.zones);
  std::vector<std::size_t> unknown(instants, 0);  // zones
  for (ZoneId zone = 0; zone < history.zones; ++zone) {
    watts.push_back(Interpolated(history, zone));
    for (std::size_t i = 0; i < instants; ++i) {
      unknown[i] += std::isnan(watts[zone][i]);
    }
  }
  const auto few = static_cast<std::size_t>(kMaxAssumedShare * history.zones);
  std::vector<double> means;
  means.reserve(history.zones);
  for (const std::vector<double>& zone : watts) {
    means.push_back(MeanOfKnown(zone));
  }
  const double room_w = MeanOfKnown(means);
  for (ZoneId zone = 0; zone < history.zones; ++zone) {
    const double mean_w = std::isnan(means[zone]) ? room_w : means[zone];
    for (std::size_t i = 0; i < instants; ++i) {
      if (!std::isnan(watts[zone][i]) || unknown[i] > few) continue;
      watts[zone][i] = mean_w;
      ++assumed[zone];
    }
  }
  return watts;
}

}  // namespace

// First-order lag x' = (power - x) / tau, with power a straight line from p to
// q within each interval h. Exactly, with a = exp(-h / tau):
//   x(t + h) = a x(t) + (1 - a) p + (1 - (1 - a) tau / h) (q - p)
LaggedPower LagPower(const RoomHistory& history, double time_constant_s) {
  const std::size_t instants = history.instants();
  const double kept = std::exp(-history.interval_s / time_constant_s);
  const double of_ramp = 1 - (1 - kept) * time_constant_s / history.interval_s;
  const auto settling = static_cast<std::size_t>(
      std::ceil(kSettledAfter * time_constant_s / history.interval_s));
  LaggedPower lagged;
  lagged.watts.setZero(static_cast<Index>(history.zones),
                       static_cast<Index>(instants));
  lagged.usable.assign(instants, true);
  lagged.unknown.assign(history.zones, 0);
  lagged.assumed.assign(history.zones, 0);
  const auto by_zone = KnownPower(history, lagged.assumed);
  for (ZoneId zone = 0; zone < history.zones; ++zone) {
    const std::vector<double>& watts = by_zone[zone];
    std::size_t known = 0;  // consecutive known instants
    double state = 0;
    for (std::size_t i = 0; i < instants; ++i) {
      if (std::isnan(watts[i])) {
        known = 0;
        ++lagged.unknown[zone];
      } else if (known++ == 0) {
        state = watts[i];
      } else {
        state = kept * state + (1 - kept) * watts[i - 1] +
                of_ramp * (watts[i] - watts[i - 1]);
      }
      if (known <= settling) lagged.usable[i] = false;
      lagged.watts(static_cast<Index>(zone), static_cast<Index>(i)) = state;
    }
  }
  return lagged;
}

}  // namespace coolspan
