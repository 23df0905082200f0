// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_THERMAL_REPORT_H_
#define COOLSPAN_CLI_COMMANDS_THERMAL_REPORT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/thermal_state.h"
#include "cli/console.h"
#include "cli/render/heat_picture.h"
#include "core/machine.h"
#include "thermal/cooling.h"
#include "thermal/transient.h"

namespace coolspan {

// One placement at one pair of temperatures.
struct ThermalCase {
  std::shared_ptr<const Machine> machine;
  SteadyRoom steady;
  Cooling cooling;
};

struct ThermalReport {
  ThermalCase asked;
  std::optional<ThermalCase> against;  // another placement
  // At each pair of temperatures; empty: no sweep.
  std::vector<Cooling> sweep;
  std::vector<std::shared_ptr<const Machine>> sweep_machines;
  std::optional<Transient> transient;
  std::optional<PlacedZones> places;
  std::optional<double> energy_price;  // of a kWh, in any currency
};

// Prints the report as JSON or as text (docs/man/coolspan.1).
void Print(const ThermalReport& report, const Console& console);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_THERMAL_REPORT_H_
