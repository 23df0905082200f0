// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/thermal_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "cli/flags/room_flags.h"
#include "cli/render/heat_picture.h"
#include "cli/render/json.h"
#include "cli/render/text_table.h"

namespace coolspan {
namespace {

constexpr double kWattsPerKilowatt = 1000;
constexpr double kSecondsPerMinute = 60;

std::string_view NodeOf(const Machine& machine, ZoneId zone) {
  return machine.NodeName(machine.room()->NodesOf(zone).front());
}

struct Quantity {
  std::string_view name;
  double value = 0;
};

// Of a case: the temperatures, the powers, PUE and, with a price, the costs.
std::vector<Quantity> QuantitiesOf(const Room& room, const Cooling& cooling,
                                   std::optional<double> energy_price) {
  std::vector<Quantity> quantities = {
      {"supply_c", room.supply_c()},
      {"redline_c", room.redline_c()},
      {"peak_inlet_c", cooling.peak_inlet_c},
      {"supply_max_c", cooling.supply_max_c},
      {"cop", cooling.cop},
      {"it_w", cooling.it_w},
      {"cooling_w", cooling.cooling_w},
      {"cooling_at_supply_w", cooling.cooling_at_supply_w},
      {"pue", PueOf(cooling.it_w, cooling.cooling_w)},
      {"pue_at_supply", PueOf(cooling.it_w, cooling.cooling_at_supply_w)}};
  if (energy_price) {
    const double per_watt = *energy_price / kWattsPerKilowatt;
    quantities.push_back(
        {"cost_per_h", per_watt * (cooling.it_w + cooling.cooling_w)});
    quantities.push_back({"cooling_cost_per_h", per_watt * cooling.cooling_w});
  }
  return quantities;
}

Json JsonOf(const Room& room, const Cooling& cooling,
            std::optional<double> energy_price) {
  Json json;
  for (const auto& [name, value] : QuantitiesOf(room, cooling, energy_price)) {
    json[std::string(name)] = JsonNumber(value);
  }
  json["cop_is_sensible"] = cooling.cop_is_sensible;
  return json;
}

Json JsonOf(const ThermalCase& at, std::optional<double> energy_price) {
  const Machine& machine = *at.machine;
  const Room& room = *machine.room();
  Json json = JsonOf(room, at.cooling, energy_price);
  json["peak_node"] = NodeOf(machine, at.cooling.peak_zone);
  json["peak_zone"] = at.cooling.peak_zone;
  json["inlet_c"] = Json::array();
  json["power_w"] = Json::array();
  json["node_power_w"] = Json::array();  // as zone_nodes
  for (ZoneId zone = 0; zone < room.zone_count(); ++zone) {
    json["inlet_c"].push_back(JsonNumber(at.steady.inlet_c[zone]));
    json["power_w"].push_back(JsonNumber(at.steady.power_w[zone]));
    Json& watts = json["node_power_w"].emplace_back(Json::array());
    for (const NodeId node : room.NodesOf(zone)) {
      watts.push_back(JsonNumber(at.steady.node_power_w[node]));
    }
  }
  return json;
}

Json JsonOf(const Machine& machine, const Transient& transient) {
  Json json;
  json["time_constant_s"] = JsonNumber(machine.room()->time_constant_s());
  json["redline_s"] =
      transient.redline_s ? JsonNumber(*transient.redline_s) : Json(nullptr);
  json["redline_node"] = transient.redline_s
                             ? Json(NodeOf(machine, transient.redline_zone))
                             : Json(nullptr);
  json["points"] = Json::array();
  for (const Transient::Point& point : transient.points) {
    Json& entry = json["points"].emplace_back();
    entry["time_s"] = JsonNumber(point.time_s);
    const auto peak = std::ranges::max_element(point.inlet_c);
    entry["peak_inlet_c"] = JsonNumber(*peak);
    entry["peak_node"] =
        NodeOf(machine, static_cast<ZoneId>(peak - point.inlet_c.begin()));
    entry["inlet_c"] = Json::array();
    for (const double inlet_c : point.inlet_c) {
      entry["inlet_c"].push_back(JsonNumber(inlet_c));
    }
  }
  return json;
}

Json JsonOf(const ThermalCase& at, const PlacedZones& placed) {
  Json json = Json::array();
  const Room& room = *at.machine->room();
  for (std::size_t i = 0; i < placed.nodes.size(); ++i) {
    const RoomPlaces::Node& place = placed.places.nodes[i];
    json.push_back(
        {{"node", place.name},
         {"row", place.row},
         {"rack", placed.places.rack_names[place.row][place.rack]},
         {"slot", place.slot + 1},
         {"inlet_c",
          JsonNumber(at.steady.inlet_c[room.ZoneOf(placed.nodes[i])])}});
  }
  return json;
}

void PrintJson(const ThermalReport& report, std::ostream& out) {
  const Machine& machine = *report.asked.machine;
  Json json = JsonOf(report.asked, report.energy_price);
  json["machine"] = machine.name();
  json["zone_nodes"] = Json::array();
  for (ZoneId zone = 0; zone < machine.room()->zone_count(); ++zone) {
    Json& names = json["zone_nodes"].emplace_back(Json::array());
    for (const NodeId node : machine.room()->NodesOf(zone)) {
      names.push_back(machine.NodeName(node));
    }
  }
  if (report.against) {
    json["against"] = JsonOf(*report.against, report.energy_price);
  }
  for (std::size_t i = 0; i < report.sweep.size(); ++i) {
    json["sweep"].push_back(JsonOf(*report.sweep_machines[i]->room(),
                                   report.sweep[i], report.energy_price));
  }
  if (report.places) {
    json["places"] = JsonOf(report.asked, *report.places);
  }
  if (report.transient) json["transient"] = JsonOf(machine, *report.transient);
  PrintJsonLine(json, out);
}

std::string FiniteNumber(double value) {
  return std::isfinite(value) ? FormatNumber(value) : kNoValue;
}

void PrintHottest(const Machine& machine, const SteadyRoom& steady,
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

void PrintQuantities(const ThermalReport& report, std::ostream& out) {
  const auto asked = QuantitiesOf(*report.asked.machine->room(),
                                  report.asked.cooling, report.energy_price);
  if (!report.against) {
    TextTable table({"quantity", "value"});
    for (const auto& [name, value] : asked) {
      table.AddRow({std::string(name), FiniteNumber(value)});
    }
    table.Print(out);
    return;
  }
  const auto against =
      QuantitiesOf(*report.against->machine->room(), report.against->cooling,
                   report.energy_price);
  TextTable table({"quantity", "busy", "against", "difference"});
  for (std::size_t i = 0; i < asked.size(); ++i) {
    table.AddRow({std::string(asked[i].name), FiniteNumber(asked[i].value),
                  FiniteNumber(against[i].value),
                  FiniteNumber(against[i].value - asked[i].value)});
  }
  table.Print(out);
}

void PrintSweep(const ThermalReport& report, const Console& console) {
  std::vector<std::string> headings;
  for (const auto& [name, value] :
       QuantitiesOf(*report.asked.machine->room(), report.asked.cooling,
                    report.energy_price)) {
    headings.emplace_back(name);
  }
  headings.emplace_back("cop_is_sensible");
  bool is_sensible = true;
  TextTable table(std::move(headings));
  for (std::size_t i = 0; i < report.sweep.size(); ++i) {
    std::vector<std::string> cells;
    for (const auto& [name, value] :
         QuantitiesOf(*report.sweep_machines[i]->room(), report.sweep[i],
                      report.energy_price)) {
      cells.push_back(FiniteNumber(value));
    }
    const bool here = report.sweep[i].cop_is_sensible;
    is_sensible = is_sensible && here;
    cells.emplace_back(here ? "yes" : "no");
    table.AddRow(std::move(cells));
  }
  table.Print(console.out, console.columns);
  if (!is_sensible) console.out << "rows with no:" << kCopOutOfRange;
}

void PrintTransient(const Machine& machine, const Transient& transient,
                    std::ostream& out) {
  TextTable table({"time_s", "peak_inlet_c", "peak_node"});
  for (const Transient::Point& point : transient.points) {
    const auto peak = std::ranges::max_element(point.inlet_c);
    table.AddRow(
        {FormatNumber(point.time_s), FormatNumber(*peak),
         std::string(NodeOf(
             machine, static_cast<ZoneId>(peak - point.inlet_c.begin())))});
  }
  table.Print(out);
  if (!transient.redline_s) {
    out << "no inlet that was below the redline reaches it\n";
    return;
  }
  out << fmt::format("{} reaches the redline after {:.1f} s ({:.1f} min)\n",
                     NodeOf(machine, transient.redline_zone),
                     *transient.redline_s,
                     *transient.redline_s / kSecondsPerMinute);
}

void PrintNotes(const ThermalCase& at, std::string_view name,
                std::ostream& out) {
  const Room& room = *at.machine->room();
  if (at.cooling.peak_inlet_c > room.redline_c()) {
    out << fmt::format("{}{} is above the redline at this supply temperature\n",
                       name, NodeOf(*at.machine, at.cooling.peak_zone));
  }
  if (!at.cooling.cop_is_sensible) out << name << kCopOutOfRange;
}

void PrintText(const ThermalReport& report, const Console& console) {
  const ThermalCase& asked = report.asked;
  std::ostream& out = console.out;
  const MapStyle style{console.colour, console.columns};
  const auto draw = [&](const ThermalCase& at) {
    return report.places ? DrawRacks(*at.machine, at.steady.inlet_c,
                                     *report.places, style)
                         : DrawHeat(*at.machine, at.steady.inlet_c, style);
  };
  if (!report.sweep.empty()) {
    PrintSweep(report, console);
    return;
  }
  PrintQuantities(report, out);
  PrintNotes(asked, report.against ? "busy: " : "", out);
  if (report.against) PrintNotes(*report.against, "against: ", out);
  out << "\n";
  if (report.transient) {
    PrintTransient(*asked.machine, *report.transient, out);
    out << "\n";
  }
  PrintHottest(*asked.machine, asked.steady, out);
  out << "\n" << draw(asked);
  if (!report.against) return;
  out << "\nagainst:\n";
  PrintHottest(*report.against->machine, report.against->steady, out);
  out << "\n" << draw(*report.against);
}

}  // namespace

void Print(const ThermalReport& report, const Console& console) {
  if (console.json) {
    PrintJson(report, console.out);
  } else {
    PrintText(report, console);
  }
}

}  // namespace coolspan
