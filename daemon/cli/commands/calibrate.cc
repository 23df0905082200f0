// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/flags/number_checks.h"
#include "cli/flags/shared_options.h"
#include "cli/render/json.h"
#include "cli/subcommand.h"
#include "config/machine/machine_file.h"
#include "formats/file_error.h"
#include "formats/telemetry_file.h"
#include "thermal/calibration.h"
#include "thermal/dense_heat.h"
#include "thermal/recirculation.h"

namespace coolspan {
namespace {

struct CalibrateOptions {
  std::string machine;
  std::vector<std::string> telemetry;
  std::string columns;
  std::string out;
  double held_out_share = CalibrationOptions{}.held_out_share;
  bool is_strict = false;
};

// The share of its error that a matrix must lose for its transpose to be the
// one that was meant.
constexpr double kTransposeGain = 0.05;

// Whether the readings say that rows and columns are swapped: whose inlets they
// are is known, so the error tells D from its transpose.
void CheckTransposed(const std::string& name, const PredictionError& error,
                     const PredictionError& transposed,
                     std::vector<std::string>& faults) {
  if (transposed.rms_k >= (1 - kTransposeGain) * error.rms_k) return;
  faults.push_back(fmt::format(
      "{}: rows and columns may be swapped: {:.3f} K RMS, with its transpose "
      "{:.3f} K (expected rows to be inlets)",
      name, error.rms_k, transposed.rms_k));
}

// What is wrong with a fitted D: it predicts no better than a constant, than
// the last reading or than its transpose, or no room has it; and whether the
// initial D is transposed. Empty: nothing.
std::vector<std::string> FaultsOf(const Calibration& fitted, ZoneId zones) {
  std::vector<std::string> faults;
  if (fitted.held_out.rms_k >= fitted.mean_held_out.rms_k) {
    faults.push_back(fmt::format(
        "not better than a constant: {:.3f} K RMS, with the mean of each node "
        "{:.3f} K",
        fitted.held_out.rms_k, fitted.mean_held_out.rms_k));
  }
  const OneStepError& ahead = fitted.one_step;
  if (ahead.model.rms_k >= ahead.persistence.rms_k) {
    faults.push_back(fmt::format(
        "one reading ahead not better than the reading before: {:.3f} K RMS, "
        "persistence {:.3f} K",
        ahead.model.rms_k, ahead.persistence.rms_k));
  }
  CheckTransposed("fitted D", fitted.held_out, fitted.transposed_held_out,
                  faults);
  CheckTransposed("initial D", fitted.prior_held_out,
                  fitted.prior_transposed_held_out, faults);
  const auto heat = DenseHeat::Create(zones, fitted.k_per_w);
  const auto recirculation = heat.ok()
                                 ? SearchAirflow(**heat)
                                 : absl::StatusOr<Recirculation>(heat.status());
  if (!recirculation.ok()) {
    faults.push_back("not physical: " + MessageOf(recirculation.status()));
  } else if (recirculation->IsRefused()) {
    faults.push_back(fmt::format(
        "not physical at any airflow from {:g} to {:g} W/K; at {:g} W/K, A: {}",
        kMinAirflowWPerK, kGreatestAirflowWPerK, recirculation->airflow_w_per_k,
        recirculation->Describe()));
  }
  return faults;
}

// The nodes of the zones, as a hostlist.
std::string NodesOf(const Machine& machine, std::span<const ZoneId> zones) {
  std::vector<NodeId> nodes;
  for (const ZoneId zone : zones) {
    const auto own = machine.room()->NodesOf(zone);
    nodes.insert(nodes.end(), own.begin(), own.end());
  }
  std::ranges::sort(nodes);
  return machine.FormatNodes(nodes);
}

absl::Status WriteHeat(const CalibrateOptions& options,
                       const Calibration& fitted, ZoneId zones) {
  std::ofstream out(options.out);
  out << fmt::format(
      "# Heat distribution matrix in K/W; row: receiving inlet, column: "
      "emitter.\n"
      "# Fitted by coolspan calibrate to {}; held-out error {:.3f} K RMS, of "
      "the mean of each node {:.3f} K.\n",
      fmt::join(options.telemetry, ", "), fitted.held_out.rms_k,
      fitted.mean_held_out.rms_k);
  std::string line;
  for (ZoneId row = 0; row < zones; ++row) {
    line.clear();
    for (ZoneId column = 0; column < zones; ++column) {
      fmt::format_to(std::back_inserter(line), "{:.6g} ",
                     fitted.k_per_w[std::size_t{row} * zones + column]);
    }
    line.back() = '\n';
    out << line;
  }
  out.close();
  if (out) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "{}: cannot be written (expected a file in an existing directory)",
      options.out));
}

Json ErrorJson(const PredictionError& error) {
  Json json;
  json["rms_k"] = JsonNumber(error.rms_k);
  json["mean_abs_k"] = JsonNumber(error.mean_abs_k);
  json["noise_k"] = JsonNumber(error.noise_k);
  json["model_k"] = JsonNumber(error.model_k());
  json["readings"] = error.readings;
  return json;
}

std::string ErrorText(const PredictionError& error) {
  return fmt::format(
      "{:.3f} K RMS, {:.3f} K mean absolute ({:.3f} K RMS without the sensor "
      "noise of {:.3f} K)",
      error.rms_k, error.mean_abs_k, error.model_k(), error.noise_k);
}

struct Judgement {
  std::vector<std::string> faults;
  // Hostlists.
  std::string still_nodes;
  std::string assumed_nodes;
};

void Report(const CalibrateOptions& options, const RoomHistory& history,
            const Calibration& fitted, const Judgement& judgement,
            const Console& console) {
  if (!console.json) {
    console.out << fmt::format(
        "{}: heat distribution matrix of {} zones, fitted to {} time steps of "
        "{:g} s\n"
        "error of inlet temperatures on the {} time steps that follow:\n"
        "  fitted:            {}\n"
        "  initial:           {}\n"
        "  mean of each node: {}\n"
        "predicted one reading ahead, bias time constant {:.0f} s: {:.3f} K "
        "RMS; persistence: {:.3f} K RMS\n",
        options.out, history.zones, fitted.fitted_instants, history.interval_s,
        fitted.held_out_instants, ErrorText(fitted.held_out),
        ErrorText(fitted.prior_held_out), ErrorText(fitted.mean_held_out),
        fitted.one_step.bias_time_s, fitted.one_step.model.rms_k,
        fitted.one_step.persistence.rms_k);
    return;
  }
  Json json;
  json["out"] = options.out;
  json["zones"] = history.zones;
  json["interval_s"] = JsonNumber(history.interval_s);
  json["instants"] = history.instants();
  json["fitted_instants"] = fitted.fitted_instants;
  json["held_out_instants"] = fitted.held_out_instants;
  json["regularisation"] = JsonNumber(fitted.regularisation);
  json["held_out"] = ErrorJson(fitted.held_out);
  json["prior_held_out"] = ErrorJson(fitted.prior_held_out);
  json["mean_held_out"] = ErrorJson(fitted.mean_held_out);
  json["transposed_held_out"] = ErrorJson(fitted.transposed_held_out);
  json["prior_transposed_held_out"] =
      ErrorJson(fitted.prior_transposed_held_out);
  json["one_step"] = {
      {"rms_k", JsonNumber(fitted.one_step.model.rms_k)},
      {"mean_abs_k", JsonNumber(fitted.one_step.model.mean_abs_k)},
      {"persistence_rms_k", JsonNumber(fitted.one_step.persistence.rms_k)},
      {"persistence_mean_abs_k",
       JsonNumber(fitted.one_step.persistence.mean_abs_k)},
      {"bias_time_s", JsonNumber(fitted.one_step.bias_time_s)},
      {"readings", fitted.one_step.model.readings}};
  json["faults"] = judgement.faults;
  json["still_nodes"] = judgement.still_nodes;
  json["assumed_nodes"] = judgement.assumed_nodes;
  PrintJsonLine(json, console.out);
}

// Writes and reports D. With --strict, a D with faults is not written.
absl::StatusOr<Exit> Conclude(const CalibrateOptions& options,
                              const Machine& machine,
                              const RoomHistory& history,
                              const Calibration& fitted,
                              const Console& console) {
  const ZoneId zones = machine.room()->zone_count();
  const Judgement judgement{FaultsOf(fitted, zones),
                            NodesOf(machine, fitted.still_zones),
                            NodesOf(machine, fitted.assumed_zones)};
  const bool is_refused = options.is_strict && !judgement.faults.empty();
  if (!is_refused) {
    absl::Status status = WriteHeat(options, fitted, zones);
    if (!status.ok()) return status;
  }
  std::vector<std::string> warnings;
  for (const std::string& fault : judgement.faults) {
    warnings.push_back(fmt::format("{}: {}", options.out, fault));
  }
  if (!judgement.still_nodes.empty()) {
    warnings.push_back(fmt::format(
        "the power of {} hardly moves (less than {:g} %): what these nodes "
        "heat cannot be learned and stays about as it was",
        judgement.still_nodes, 100 * kStillPower));
  }
  if (!judgement.assumed_nodes.empty()) {
    warnings.push_back(fmt::format(
        "the power of {} is unknown for long: taken to be the mean there",
        judgement.assumed_nodes));
  }
  PrintWarnings(console.err, warnings);
  Report(options, history, fitted, judgement, console);
  if (!is_refused) return Exit::kSuccess;
  PrintMessage(console.err, options.out + ": not written (--strict)");
  return Exit::kCannotBeMet;
}

absl::StatusOr<Exit> RunCalibrate(const CalibrateOptions& options,
                                  const Console& console) {
  std::vector<std::string> warnings;
  RoomRemarks remarks;
  const auto machine = LoadMachineFile(options.machine, &warnings, &remarks);
  if (!machine.ok()) return machine.status();
  PrintWarnings(console.err, warnings);
  PrintWarnings(console.err, remarks.warnings);
  const std::shared_ptr<const Room>& room = (*machine)->room();
  if (room == nullptr) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: no thermal description (expected thermal: with an initial heat "
        "distribution matrix)",
        options.machine));
  }
  TelemetryColumns columns;
  if (!options.columns.empty()) {
    auto parsed = TelemetryColumns::Parse(options.columns);
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("--columns: {}", MessageOf(parsed.status())));
    }
    columns = *std::move(parsed);
  }
  const auto history = ReadTelemetry(options.telemetry, **machine, columns);
  if (!history.ok()) return history.status();
  const auto fitted = Calibrate(room->heat(), *history,
                                {.time_constant_s = room->time_constant_s(),
                                 .held_out_share = options.held_out_share});
  if (!fitted.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}", fmt::join(options.telemetry, ", "),
                    MessageOf(fitted.status())));
  }
  return Conclude(options, **machine, *history, *fitted, console);
}

}  // namespace

Action SetUpCalibrate(CLI::App& app) {
  auto options = std::make_shared<CalibrateOptions>();
  AddMachineOption(app, options->machine);
  app.add_option(
         "--telemetry", options->telemetry,
         "telemetry CSV with the columns time_s, node, inlet_c, power_w "
         "and optionally supply_c; may be repeated")
      ->type_name("FILE")
      ->required();
  app.add_option("--columns", options->columns,
                 "column names of the files, as in time_s=Time,node=Host")
      ->type_name("NAMES");
  app.add_option("--out", options->out,
                 "output file for the heat distribution matrix")
      ->type_name("FILE")
      ->required();
  app.add_option("--hold-out", options->held_out_share,
                 "share of time steps, the last ones, that are held out for "
                 "validation, 0.05 to 0.5")
      ->type_name("SHARE")
      ->check(NumberBetween(0.05, 0.5))
      ->capture_default_str();
  app.add_flag("--strict", options->is_strict,
               "exit 1 and write nothing if D predicts no better than the mean "
               "of each node or the reading before, or is not physical");
  return [options](const Console& console) {
    return RunCalibrate(*options, console);
  };
}

}  // namespace coolspan
