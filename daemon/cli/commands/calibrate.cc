// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/flags/shared_options.h"
#include "cli/render/json.h"
#include "cli/subcommand.h"
#include "config/machine/machine_file.h"
#include "formats/file_error.h"
#include "formats/telemetry_file.h"
#include "thermal/calibration.h"

namespace coolspan {
namespace {

struct Options {
  std::string machine;
  std::vector<std::string> telemetry;
  std::string columns;
  std::string out;
  double held_out_share = CalibrationOptions{}.held_out_share;
};

absl::Status WriteHeat(const Options& options, const Calibration& learnt,
                       ZoneId zones) {
  std::ofstream out(options.out);
  out << fmt::format(
      "# D in K/W, row: inlet, column: emitter. Learnt by coolspan calibrate\n"
      "# from {}; held out: {:.3f} K RMS.\n",
      fmt::join(options.telemetry, ", "), learnt.held_out.rms_k);
  std::string line;
  for (ZoneId row = 0; row < zones; ++row) {
    line.clear();
    for (ZoneId column = 0; column < zones; ++column) {
      fmt::format_to(std::back_inserter(line), "{:.6g} ",
                     learnt.k_per_w[std::size_t{row} * zones + column]);
    }
    line.back() = '\n';
    out << line;
  }
  out.close();
  if (out) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "{}: cannot be written; a file in a folder that is there is wanted",
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
      "{:.3f} K RMS, {:.3f} K mean absolute; without the sensors' noise of "
      "{:.3f} K: {:.3f} K RMS",
      error.rms_k, error.mean_abs_k, error.noise_k, error.model_k());
}

void Report(const Options& options, const RoomHistory& history,
            const Calibration& learnt, const Console& console) {
  if (!console.json) {
    console.out << fmt::format(
        "{}: D of {} zones, learnt from {} instants, {:g} s apart\n"
        "on the {} instants after them, against readings:\n"
        "  learnt: {}\n"
        "  before: {}\n"
        "one reading ahead, biases learnt over {:.0f} s: {:.3f} K RMS; the "
        "last reading once more: {:.3f} K RMS\n",
        options.out, history.zones, learnt.fitted_instants, history.interval_s,
        learnt.held_out_instants, ErrorText(learnt.held_out),
        ErrorText(learnt.prior_held_out), learnt.one_step.bias_time_s,
        learnt.one_step.model.rms_k, learnt.one_step.persistence.rms_k);
    return;
  }
  Json json;
  json["out"] = options.out;
  json["zones"] = history.zones;
  json["interval_s"] = JsonNumber(history.interval_s);
  json["instants"] = history.instants();
  json["fitted_instants"] = learnt.fitted_instants;
  json["held_out_instants"] = learnt.held_out_instants;
  json["regularisation"] = JsonNumber(learnt.regularisation);
  json["held_out"] = ErrorJson(learnt.held_out);
  json["prior_held_out"] = ErrorJson(learnt.prior_held_out);
  json["one_step"] = {
      {"rms_k", JsonNumber(learnt.one_step.model.rms_k)},
      {"mean_abs_k", JsonNumber(learnt.one_step.model.mean_abs_k)},
      {"persistence_rms_k", JsonNumber(learnt.one_step.persistence.rms_k)},
      {"persistence_mean_abs_k",
       JsonNumber(learnt.one_step.persistence.mean_abs_k)},
      {"bias_time_s", JsonNumber(learnt.one_step.bias_time_s)},
      {"readings", learnt.one_step.model.readings}};
  PrintJsonLine(json, console.out);
}

absl::StatusOr<Exit> RunCalibrate(const Options& options,
                                  const Console& console) {
  std::vector<std::string> warnings;
  const auto machine = LoadMachineFile(options.machine, &warnings);
  if (!machine.ok()) return machine.status();
  PrintWarnings(console.err, warnings);
  const std::shared_ptr<const Room>& room = (*machine)->room();
  if (room == nullptr) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: the machine has no room; thermal, with a first guess of D, is "
        "wanted",
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
  const auto learnt = Calibrate(room->heat(), *history,
                                {.time_constant_s = room->time_constant_s(),
                                 .held_out_share = options.held_out_share});
  if (!learnt.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}", fmt::join(options.telemetry, ", "),
                    MessageOf(learnt.status())));
  }
  absl::Status status = WriteHeat(options, *learnt, room->zone_count());
  if (!status.ok()) return status;
  Report(options, *history, *learnt, console);
  return Exit::kSuccess;
}

}  // namespace

Action SetUpCalibrate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddMachineOption(app, options->machine);
  app.add_option("--telemetry", options->telemetry,
                 "CSV: time_s,node,inlet_c,power_w and perhaps supply_c; may "
                 "be given several times")
      ->type_name("FILE")
      ->required();
  app.add_option("--columns", options->columns,
                 "what they are called in the file: \"time_s=Time,node=Host\"")
      ->type_name("NAMES");
  app.add_option("--out", options->out, "file for the learnt D")
      ->type_name("FILE")
      ->required();
  app.add_option("--hold-out", options->held_out_share,
                 "share of the instants, the last, that D is tried on")
      ->check(CLI::Range(0.05, 0.5))
      ->capture_default_str();
  return [options](const Console& console) {
    return RunCalibrate(*options, console);
  };
}

}  // namespace coolspan
