// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/thermal_report.h"
#include "cli/commands/thermal_state.h"
#include "cli/flags/node_list.h"
#include "cli/flags/number_checks.h"
#include "cli/flags/room_flags.h"
#include "cli/flags/shared_options.h"
#include "cli/flags/sweep.h"
#include "cli/subcommand.h"
#include "config/machine/machine_file.h"
#include "formats/file_error.h"
#include "formats/places_file.h"
#include "formats/power_file.h"
#include "thermal/cooling.h"
#include "thermal/transient.h"

namespace coolspan {
namespace {

constexpr std::uint64_t kMaxSweepPoints = 10'000;
constexpr double kMaxTransientPoints = 10'000;
// Of the room's time constant.
constexpr double kDefaultDuration = 5;
constexpr double kDefaultStep = 0.5;

struct ThermalOptions {
  std::string machine;
  std::string busy;
  std::string power_file;
  std::string supply_c;   // a number or a range; empty: the room's
  std::string redline_c;  // as supply_c
  std::optional<std::string> against;
  std::string start;
  std::optional<double> duration_s;
  std::optional<double> step_s;
  std::optional<double> energy_price;
  std::string places;
  std::string svg;
  RoomFlags room;
};

absl::Status NotTogether(std::string_view option, std::string_view other) {
  return absl::InvalidArgumentError(
      fmt::format("{}: not allowed with {}", option, other));
}

absl::Status CheckTogether(const ThermalOptions& options) {
  if (!options.power_file.empty()) {
    if (!options.busy.empty()) return NotTogether("--power-file", "--busy");
    if (options.against) return NotTogether("--against", "--power-file");
    if (!options.start.empty()) return NotTogether("--start", "--power-file");
  }
  if (options.against && !options.start.empty()) {
    return NotTogether("--start", "--against");
  }
  if (!options.svg.empty() && options.places.empty()) {
    return absl::InvalidArgumentError("--svg: requires --places");
  }
  if (options.start.empty() && (options.duration_s || options.step_s)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: requires --start",
                    options.duration_s ? "--duration-s" : "--step-s"));
  }
  return absl::OkStatus();
}

// own: the room's temperature, if the option is not given.
absl::StatusOr<NumberRange> ReadTemperatures(std::string_view option,
                                             const std::string& text,
                                             double own, double max) {
  constexpr double kMinC = -50;
  if (text.empty()) return NumberRange{own, own, 1};
  const std::optional<NumberRange> range = ParseNumberOrRange(text);
  const auto is_valid = [max](double c) { return c >= kMinC && c <= max; };
  if (range && is_valid(range->from) && is_valid(range->to)) return *range;
  return absl::InvalidArgumentError(fmt::format(
      "{}: '{}' is not valid (expected degrees Celsius from {} to {}, or "
      "FROM:TO:COUNT with 2 to {} values)",
      option, text, kMinC, max, kMaxSweepCount));
}

using Machines = std::vector<std::shared_ptr<const Machine>>;

// The machine at each pair of temperatures, the redline fastest.
absl::StatusOr<Machines> AtTemperatures(
    const std::shared_ptr<const Machine>& machine,
    const ThermalOptions& options) {
  constexpr double kMaxSupplyC = 100;
  constexpr double kMaxRedlineC = 150;
  const Room& room = *machine->room();
  const auto supply = ReadTemperatures("--supply-c", options.supply_c,
                                       room.supply_c(), kMaxSupplyC);
  if (!supply.ok()) return supply.status();
  const auto redline = ReadTemperatures("--redline-c", options.redline_c,
                                        room.redline_c(), kMaxRedlineC);
  if (!redline.ok()) return redline.status();
  if (std::uint64_t{supply->count} * redline->count > kMaxSweepPoints) {
    return absl::InvalidArgumentError(fmt::format(
        "--redline-c: {} pairs of temperatures (expected at most {})",
        std::uint64_t{supply->count} * redline->count, kMaxSweepPoints));
  }
  Machines machines;
  for (std::uint32_t i = 0; i < supply->count; ++i) {
    for (std::uint32_t j = 0; j < redline->count; ++j) {
      auto made = WithTemperatures(*machine, supply->At(i), redline->At(j));
      if (!made.ok()) return made.status();
      machines.push_back(*std::move(made));
    }
  }
  return machines;
}

class ThermalRun {
 public:
  ThermalRun(const ThermalOptions& options,
             std::shared_ptr<const Machine> machine)
      : options_(options),
        machine_(std::move(machine)),
        share_(options.room.comm_share.value_or(
            machine_->room()->communication_share())) {}

  absl::Status Add(ThermalReport& report) const;

 private:
  absl::StatusOr<SteadyRoom> Steady() const;
  absl::StatusOr<SteadyRoom> SteadyWith(std::string_view option,
                                        const std::string& list) const;
  // Sets the transient; the case asked is the state with the job.
  absl::Status AddTransient(ThermalReport& report) const;
  ThermalCase CaseOf(SteadyRoom steady) const {
    const Cooling cooling =
        CoolingOf(*machine_->room(), steady.inlet_c, steady.it_w);
    return {machine_, std::move(steady), cooling};
  }

  const ThermalOptions& options_;
  std::shared_ptr<const Machine> machine_;
  double share_;
};

absl::StatusOr<SteadyRoom> ThermalRun::SteadyWith(
    std::string_view option, const std::string& list) const {
  const auto busy = ParseNodeList(*machine_, option, list);
  if (!busy.ok()) return busy.status();
  return SteadyOf(StateWithBusy(machine_->room(), *busy, share_));
}

absl::StatusOr<SteadyRoom> ThermalRun::Steady() const {
  if (options_.power_file.empty()) return SteadyWith("--busy", options_.busy);
  const auto powers = ReadPowerFile(options_.power_file, *machine_);
  if (!powers.ok()) return powers.status();
  return SteadyWithPowers(*machine_->room(), *powers);
}

absl::Status ThermalRun::AddTransient(ThermalReport& report) const {
  const auto busy = ParseNodeList(*machine_, "--busy", options_.busy);
  if (!busy.ok()) return busy.status();
  const auto job = ParseNodeList(*machine_, "--start", options_.start);
  if (!job.ok()) return job.status();
  NodeSet all = *busy;
  for (const NodeId node : job->Members()) {
    if (busy->Contains(node)) {
      return absl::InvalidArgumentError(
          fmt::format("--start: node {} is busy (expected nodes that are not "
                      "in --busy)",
                      machine_->NodeName(node)));
    }
    all.Insert(node);
  }
  const double tau_s = machine_->room()->time_constant_s();
  const double duration_s =
      options_.duration_s.value_or(kDefaultDuration * tau_s);
  const double step_s = options_.step_s.value_or(kDefaultStep * tau_s);
  if (duration_s / step_s > kMaxTransientPoints) {
    return absl::InvalidArgumentError(
        fmt::format("--step-s: {} steps (expected at most {})",
                    std::floor(duration_s / step_s), kMaxTransientPoints));
  }
  const RoomState before = StateWithBusy(machine_->room(), *busy, share_);
  const RoomState after = StateWithBusy(machine_->room(), all, share_);
  report.transient = TransientOf(before, after, duration_s, step_s);
  report.asked = CaseOf(SteadyOf(after));
  return absl::OkStatus();
}

absl::Status ThermalRun::Add(ThermalReport& report) const {
  if (!options_.start.empty()) return AddTransient(report);
  auto steady = Steady();
  if (!steady.ok()) return steady.status();
  report.asked = CaseOf(*std::move(steady));
  if (!options_.against) return absl::OkStatus();
  steady = SteadyWith("--against", *options_.against);
  if (!steady.ok()) return steady.status();
  report.against = CaseOf(*std::move(steady));
  return absl::OkStatus();
}

// The case asked, at the first pair of temperatures, at each of them.
void AddSweep(const Machines& machines, ThermalReport& report) {
  const double supply_c = report.asked.machine->room()->supply_c();
  for (const std::shared_ptr<const Machine>& machine : machines) {
    const Room& room = *machine->room();
    std::vector<double> inlet_c = report.asked.steady.inlet_c;
    for (double& c : inlet_c) c += room.supply_c() - supply_c;
    report.sweep.push_back(CoolingOf(room, inlet_c, report.asked.steady.it_w));
    report.sweep_machines.push_back(machine);
  }
}

// Reads the places and writes the image.
absl::Status AddPlaces(const ThermalOptions& options, ThermalReport& report) {
  if (options.places.empty()) return absl::OkStatus();
  auto read = ReadPlacesFile(options.places);
  if (!read.ok()) return read.status();
  auto placed = PlacesOn(*report.asked.machine, *std::move(read));
  if (!placed.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}", options.places, MessageOf(placed.status())));
  }
  report.places = *std::move(placed);
  if (options.svg.empty()) return absl::OkStatus();
  std::ofstream out(options.svg);
  out << DrawRacksSvg(*report.asked.machine, report.asked.steady.inlet_c,
                      *report.places);
  out.close();
  if (out) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "{}: cannot be written (expected a file in an existing directory)",
      options.svg));
}

absl::StatusOr<Exit> Thermal(const ThermalOptions& options,
                             const Console& console) {
  if (absl::Status status = CheckTogether(options); !status.ok()) return status;
  std::vector<std::string> warnings;
  RoomRemarks remarks;
  const auto read = LoadMachineFile(options.machine, &warnings, &remarks);
  if (!read.ok()) return read.status();
  PrintWarnings(console.err, warnings);
  PrintWarnings(console.err, remarks.warnings);
  const auto machine = WithRoomFlags(*read, options.room);
  if (!machine.ok()) return machine.status();
  if ((*machine)->room() == nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("{}: no thermal description (expected thermal: and "
                    "node_types:, see docs/rooms.md)",
                    options.machine));
  }
  const auto machines = AtTemperatures(*machine, options);
  if (!machines.ok()) return machines.status();
  const bool is_sweep = machines->size() > 1;
  if (is_sweep && options.against) return NotTogether("--against", "a range");
  if (is_sweep && !options.start.empty()) {
    return NotTogether("--start", "a range");
  }
  ThermalReport report;
  report.energy_price = options.energy_price;
  absl::Status status = ThermalRun(options, machines->front()).Add(report);
  if (!status.ok()) return status;
  if (is_sweep) AddSweep(*machines, report);
  status = AddPlaces(options, report);
  if (!status.ok()) return status;
  Print(report, console);
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
  app.add_option("--supply-c", options->supply_c,
                 "supply temperature, or a range; overrides thermal.supply_c")
      ->type_name("C|FROM:TO:COUNT");
  app.add_option("--redline-c", options->redline_c,
                 "redline, or a range; overrides thermal.redline_c")
      ->type_name("C|FROM:TO:COUNT");
  app.add_option("--against", options->against,
                 "other busy nodes, to compare with --busy")
      ->type_name("LIST");
  app.add_option("--start", options->start,
                 "nodes of a job that starts: the inlets from then on")
      ->type_name("LIST");
  constexpr double kMinStepS = 0.001;
  constexpr double kMaxS = 1e7;
  app.add_option("--duration-s", options->duration_s,
                 "with --start: seconds after the start (default: five time "
                 "constants)")
      ->type_name("SECONDS")
      ->check(NumberBetween(0, kMaxS));
  app.add_option("--step-s", options->step_s,
                 "with --start: seconds between two lines (default: half a "
                 "time constant)")
      ->type_name("SECONDS")
      ->check(NumberBetween(kMinStepS, kMaxS));
  constexpr double kMaxPrice = 1e6;
  app.add_option("--energy-price", options->energy_price,
                 "price of a kWh, in any currency, for costs per hour")
      ->type_name("PRICE")
      ->check(NumberBetween(0, kMaxPrice));
  app.add_option("--places", options->places,
                 "CSV file with the columns node, rack, slot and optionally "
                 "row: draws the inlets rack by rack")
      ->type_name("CSV");
  app.add_option("--svg", options->svg,
                 "with --places: output file for the picture as SVG")
      ->type_name("FILE");
  AddRoomFlags(app, options->room);
  return
      [options](const Console& console) { return Thermal(*options, console); };
}

}  // namespace coolspan
