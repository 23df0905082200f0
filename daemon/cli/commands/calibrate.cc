// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <memory>
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

namespace coolspan {
namespace {

struct CalibrateOptions {
  std::string machine;
  std::vector<std::string> telemetry;
  std::string columns;
  std::string out;
  double held_out_share = CalibrationOptions{}.held_out_share;
};

absl::Status WriteHeat(const CalibrateOptions& options,
                       const Calibration& fitted, ZoneId zones) {
  std::ofstream out(options.out);
  out << fmt::format(
      "# Heat distribution matrix in K/W; row: receiving inlet, column: "
      "emitter.\n"
      "# Fitted by coolspan calibrate to {}; held-out error {:.3f} K RMS.\n",
      fmt::join(options.telemetry, ", "), fitted.held_out.rms_k);
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

void Report(const CalibrateOptions& options, const RoomHistory& history,
            const Calibration& fitted, const Console& console) {
  if (!console.json) {
    console.out << fmt::format(
        "{}: heat distribution matrix of {} zones, fitted to {} time steps of "
        "{:g} s\n"
        "error of inlet temperatures on the {} time steps that follow:\n"
        "  fitted:   {}\n"
        "  initial:  {}\n"
        "predicted one reading ahead, bias time constant {:.0f} s: {:.3f} K "
        "RMS; persistence: {:.3f} K RMS\n",
        options.out, history.zones, fitted.fitted_instants, history.interval_s,
        fitted.held_out_instants, ErrorText(fitted.held_out),
        ErrorText(fitted.prior_held_out), fitted.one_step.bias_time_s,
        fitted.one_step.model.rms_k, fitted.one_step.persistence.rms_k);
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
  json["one_step"] = {
      {"rms_k", JsonNumber(fitted.one_step.model.rms_k)},
      {"mean_abs_k", JsonNumber(fitted.one_step.model.mean_abs_k)},
      {"persistence_rms_k", JsonNumber(fitted.one_step.persistence.rms_k)},
      {"persistence_mean_abs_k",
       JsonNumber(fitted.one_step.persistence.mean_abs_k)},
      {"bias_time_s", JsonNumber(fitted.one_step.bias_time_s)},
      {"readings", fitted.one_step.model.readings}};
  PrintJsonLine(json, console.out);
}

absl::StatusOr<Exit> RunCalibrate(const CalibrateOptions& options,
                                  const Console& console) {
  std::vector<std::string> warnings;
  const auto machine = LoadMachineFile(options.machine, &warnings);
  if (!machine.ok()) return machine.status();
  PrintWarnings(console.err, warnings);
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
  absl::Status status = WriteHeat(options, *fitted, room->zone_count());
  if (!status.ok()) return status;
  Report(options, *history, *fitted, console);
  return Exit::kSuccess;
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
  return [options](const Console& console) {
    return RunCalibrate(*options, console);
  };
}

}  // namespace coolspan
