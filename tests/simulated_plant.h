// SPDX-License-Identifier: GPL-3.0-or-later
// A simulated room that deviates from the thermal model, and its sensors.
#ifndef COOLSPAN_TESTS_SIMULATED_PLANT_H_
#define COOLSPAN_TESTS_SIMULATED_PLANT_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "core/heat_matrix.h"
#include "thermal/calibration.h"

namespace coolspan {

struct PlantOptions {
  double time_constant_s = 160;
  double interval_s = 60;  // of readings
  std::size_t instants = 5000;
  double idle_w = 1000;
  double busy_w = 3000;
  double noise_k = 0.5;
  double step_k = 1;       // readings are rounded to multiples of this
  double dropouts = 0.05;  // share of missing inlets and powers, independent
  // Rises are multiplied by 1 -+ non_linear / 2 from idle to fully loaded.
  double non_linear = 0.1;
  double drift_k = 0.3;  // daily, at a phase of its own in each zone
  double supply_c = 15;
  std::uint32_t seed = 1;
};

struct PlantRun {
  RoomHistory readings;
  std::vector<double> rise_k;  // true rises; by instant, then zone
};

inline PlantRun RunPlant(const HeatMatrix& heat, const PlantOptions& options) {
  constexpr double kDayS = 86400;
  constexpr double kStepS = 5;
  const double missing = std::numeric_limits<double>::quiet_NaN();
  std::minstd_rand random(options.seed);
  std::normal_distribution<double> noise(0, 1);
  std::uniform_real_distribution<double> unit(0, 1);
  const ZoneId zones = heat.zone_count();
  std::vector<double> end_s(zones, 0.0);  // end of each zone's job or pause
  std::vector<bool> busy(zones);
  std::vector<double> lagged_w(zones, options.idle_w);
  PlantRun run;
  run.readings.interval_s = options.interval_s;
  run.readings.zones = zones;
  for (double now_s = 0; run.readings.supply_c.size() < options.instants;
       now_s += kStepS) {
    std::vector<double> power_w(zones);
    double busy_zones = 0;
    for (ZoneId zone = 0; zone < zones; ++zone) {
      if (now_s >= end_s[zone]) {  // a job or pause of 1 to 6 zones
        const bool is_busy = unit(random) < 0.6;
        const double length_s = -2400 * std::log(1 - unit(random));
        const auto size = static_cast<ZoneId>(1 + random() % 6);
        for (ZoneId i = zone; i < std::min(zones, zone + size); ++i) {
          busy[i] = is_busy;
          end_s[i] = now_s + length_s;
        }
      }
      power_w[zone] = busy[zone] ? options.busy_w : options.idle_w;
      busy_zones += busy[zone] ? 1 : 0;
    }
    const double kept = std::exp(-kStepS / options.time_constant_s);
    std::vector<ZonePower> emitters;
    for (ZoneId zone = 0; zone < zones; ++zone) {
      lagged_w[zone] = kept * lagged_w[zone] + (1 - kept) * power_w[zone];
      emitters.push_back({zone, lagged_w[zone]});
    }
    if (std::fmod(now_s, options.interval_s) != 0) continue;
    std::vector<double> rise(zones, 0.0);
    heat.AddRise(emitters, rise);
    const double stretch = 1 + options.non_linear * (busy_zones / zones - 0.5);
    for (ZoneId zone = 0; zone < zones; ++zone) {
      const double phase = now_s / kDayS + static_cast<double>(zone) / zones;
      rise[zone] = rise[zone] * stretch +
                   options.drift_k * std::sin(2 * std::numbers::pi * phase);
      run.rise_k.push_back(rise[zone]);
      const double sensed =
          options.supply_c + rise[zone] + options.noise_k * noise(random);
      run.readings.inlet_c.push_back(unit(random) < options.dropouts
                                         ? missing
                                         : std::round(sensed / options.step_k) *
                                               options.step_k);
      run.readings.power_w.push_back(unit(random) < options.dropouts
                                         ? missing
                                         : power_w[zone] *
                                               (1 + 0.01 * noise(random)));
    }
    run.readings.supply_c.push_back(options.supply_c);
  }
  return run;
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_SIMULATED_PLANT_H_
