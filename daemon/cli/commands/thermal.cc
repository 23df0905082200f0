// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cli/flags/node_list.h"
#include "cli/flags/room_flags.h"
#include "cli/flags/shared_options.h"
#include "cli/render/heat_picture.h"
#include "cli/render/json.h"
#include "cli/render/text_table.h"
#include "cli/subcommand.h"
#include "config/machine/machine_file.h"
#include "core/room_state.h"
#include "formats/power_file.h"
#include "thermal/cooling.h"

namespace coolspan {
namespace {

struct ThermalOptions {
  std::string machine;
  std::string busy;
  std::string power_file;
  RoomFlags room;
};

// The steady state of a room.
struct Steady {
  std::vector<double> inlet_c;       // by zone
  std::vector<double> power_w;       // by zone
  std::vector<double> node_power_w;  // by NodeId
  double it_w = 0;
};

Steady WithBusyNodes(const std::shared_ptr<const Room>& room,
                     const NodeSet& busy, double share) {
  std::vector<NodeLoad> loads(room->node_count());
  const auto communicate = static_cast<float>(share);
  for (const NodeId node : busy.Members()) {
    loads[node] = {1 - communicate, communicate};
  }
  RoomState state(room);
  state.Follow(loads);
  const RoomView view = state.view();
  Steady steady{{view.inlet_c().begin(), view.inlet_c().end()},
                {view.power_w().begin(), view.power_w().end()},
                {},
                view.it_w()};
  for (NodeId node = 0; node < room->node_count(); ++node) {
    steady.node_power_w.push_back(state.NodeWatts(node));
  }
  return steady;
}

// Nodes without a power are idle. Where idle zones are off, a zone without any
// power draws nothing.
Steady WithPowers(const Room& room,
                  const std::vector<std::optional<double>>& powers) {
  Steady steady;
  steady.inlet_c.assign(room.zone_count(), room.supply_c());
  steady.node_power_w.assign(room.node_count(), 0);
  std::vector<ZonePower> emitters;
  for (ZoneId zone = 0; zone < room.zone_count(); ++zone) {
    const std::span<const NodeId> nodes = room.NodesOf(zone);
    const bool is_on =
        room.idle_on() ||
        std::any_of(nodes.begin(), nodes.end(),
                    [&](NodeId node) { return powers[node].has_value(); });
    double watts = 0;
    for (const NodeId node : nodes) {
      if (!is_on) continue;
      steady.node_power_w[node] =
          powers[node].value_or(room.PowerOf(node).idle_w);
      watts += steady.node_power_w[node];
    }
    steady.power_w.push_back(watts);
    steady.it_w += watts;
    emitters.push_back({zone, watts});
  }
  room.heat().AddRise(emitters, steady.inlet_c);
  return steady;
}

absl::StatusOr<Steady> SteadyOf(const ThermalOptions& options,
                                const Machine& machine) {
  if (!options.busy.empty() && !options.power_file.empty()) {
    return absl::InvalidArgumentError("--power-file: not allowed with --busy");
  }
  if (!options.power_file.empty()) {
    const auto powers = ReadPowerFile(options.power_file, machine);
    if (!powers.ok()) return powers.status();
    return WithPowers(*machine.room(), *powers);
  }
  const auto busy = ParseNodeList(machine, "--busy", options.busy);
  if (!busy.ok()) return busy.status();
  return WithBusyNodes(
      machine.room(), *busy,
      options.room.comm_share.value_or(machine.room()->communication_share()));
}

std::string_view PeakNode(const Machine& machine, const Cooling& cooling) {
  return machine.NodeName(machine.room()->NodesOf(cooling.peak_zone).front());
}

void PrintJson(const Machine& machine, const Steady& steady,
               const Cooling& cooling, std::ostream& out) {
  Json json;
  json["machine"] = machine.name();
  json["supply_c"] = JsonNumber(machine.room()->supply_c());
  json["redline_c"] = JsonNumber(machine.room()->redline_c());
  json["peak_inlet_c"] = JsonNumber(cooling.peak_inlet_c);
  json["peak_node"] = PeakNode(machine, cooling);
  json["peak_zone"] = cooling.peak_zone;
  json["zone_nodes"] = Json::array();
  for (ZoneId zone = 0; zone < machine.room()->zone_count(); ++zone) {
    Json& names = json["zone_nodes"].emplace_back(Json::array());
    for (const NodeId node : machine.room()->NodesOf(zone)) {
      names.push_back(machine.NodeName(node));
    }
  }
  json["inlet_c"] = Json::array();
  for (const double inlet_c : steady.inlet_c) {
    json["inlet_c"].push_back(JsonNumber(inlet_c));
  }
  json["power_w"] = Json::array();
  for (const double watts : steady.power_w) {
    json["power_w"].push_back(JsonNumber(watts));
  }
  json["node_power_w"] = Json::array();  // as zone_nodes
  for (ZoneId zone = 0; zone < machine.room()->zone_count(); ++zone) {
    Json& watts = json["node_power_w"].emplace_back(Json::array());
    for (const NodeId node : machine.room()->NodesOf(zone)) {
      watts.push_back(JsonNumber(steady.node_power_w[node]));
    }
  }
  json["supply_max_c"] = JsonNumber(cooling.supply_max_c);
  json["cop"] = JsonNumber(cooling.cop);
  json["cop_is_sensible"] = cooling.cop_is_sensible;
  json["it_w"] = JsonNumber(cooling.it_w);
  json["cooling_w"] = JsonNumber(cooling.cooling_w);
  json["cooling_at_supply_w"] = JsonNumber(cooling.cooling_at_supply_w);
  PrintJsonLine(json, out);
}

std::string FiniteNumber(double value) {
  return std::isfinite(value) ? FormatNumber(value) : kNoValue;
}

void PrintHottest(const Machine& machine, const Steady& steady,
                  std::ostream& out) {
  constexpr std::size_t kShown = 5;
  std::vector<ZoneId> zones(steady.inlet_c.size());
  std::iota(zones.begin(), zones.end(), ZoneId{0});
  const std::size_t shown = std::min(kShown, zones.size());
  std::partial_sort(zones.begin(),
                    zones.begin() + static_cast<std::ptrdiff_t>(shown),
                    zones.end(), [&](ZoneId a, ZoneId b) {
                      return std::pair(-steady.inlet_c[a], a) <
                             std::pair(-steady.inlet_c[b], b);
                    });
  TextTable table({"hottest nodes", "zone", "inlet_c", "power_w"});
  for (const ZoneId zone : std::span(zones).first(shown)) {
    table.AddRow({machine.FormatNodes(machine.room()->NodesOf(zone)),
                  std::to_string(zone), FormatNumber(steady.inlet_c[zone]),
                  FormatNumber(steady.power_w[zone])});
  }
  table.Print(out);
}

void PrintText(const Machine& machine, const Steady& steady,
               const Cooling& cooling, const Console& console) {
  const Room& room = *machine.room();
  std::ostream& out = console.out;
  TextTable table({"quantity", "value"});
  table.AddRow({"supply_c", FormatNumber(room.supply_c())});
  table.AddRow({"redline_c", FormatNumber(room.redline_c())});
  table.AddRow({"peak_inlet_c", FormatNumber(cooling.peak_inlet_c)});
  table.AddRow({"supply_max_c", FormatNumber(cooling.supply_max_c)});
  table.AddRow({"cop", FormatNumber(cooling.cop)});
  table.AddRow({"it_w", FormatNumber(cooling.it_w)});
  table.AddRow({"cooling_w", FiniteNumber(cooling.cooling_w)});
  table.AddRow(
      {"cooling_at_supply_w", FiniteNumber(cooling.cooling_at_supply_w)});
  table.Print(out);
  if (cooling.peak_inlet_c > room.redline_c()) {
    out << fmt::format("{} is above the redline at this supply temperature\n",
                       PeakNode(machine, cooling));
  }
  if (!cooling.cop_is_sensible) {
    out << kCopOutOfRange;
  }
  out << "\n";
  PrintHottest(machine, steady, out);
  out << "\n"
      << DrawHeat(machine, steady.inlet_c, {console.colour, console.columns});
}

absl::StatusOr<Exit> Thermal(const ThermalOptions& options,
                             const Console& console) {
  std::vector<std::string> warnings;
  const auto read = LoadMachineFile(options.machine, &warnings);
  if (!read.ok()) return read.status();
  PrintWarnings(console.err, warnings);
  const auto machine = WithRoomFlags(*read, options.room);
  if (!machine.ok()) return machine.status();
  if ((*machine)->room() == nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("{}: no thermal description (expected thermal: and "
                    "node_types:, see docs/rooms.md)",
                    options.machine));
  }
  const auto steady = SteadyOf(options, **machine);
  if (!steady.ok()) return steady.status();
  const Cooling cooling =
      CoolingOf(*(*machine)->room(), steady->inlet_c, steady->it_w);
  if (console.json) {
    PrintJson(**machine, *steady, cooling, console.out);
  } else {
    PrintText(**machine, *steady, cooling, console);
  }
  return Exit::kSuccess;
}

}  // namespace

Action SetUpThermal(CLI::App& app) {
  auto options = std::make_shared<ThermalOptions>();
  AddMachineOption(app, options->machine);
  app.add_option("--busy", options->busy, "busy nodes: hostlist, ids or @FILE")
      ->type_name("LIST");
  app.add_option("--power-file", options->power_file,
                 "CSV file with lines \"node,watts\" instead of --busy; other "
                 "nodes are idle")
      ->type_name("CSV");
  AddRoomFlags(app, options->room);
  return
      [options](const Console& console) { return Thermal(*options, console); };
}

}  // namespace coolspan
