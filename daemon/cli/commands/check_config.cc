// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/render/json.h"
#include "cli/subcommand.h"
#include "core/counted.h"
#include "setup/check_file.h"
#include "setup/slurm_check.h"

namespace coolspan {
namespace {

struct CheckOptions {
  std::vector<std::string> paths;
  std::string slurm_conf;  // empty: none
};

// The files checked so far.
struct CheckReport {
  Exit exit = Exit::kSuccess;
  Json json = {{"files", Json::array()}};
  std::vector<CheckedFile> valid = {};
  bool has_plugin_file = false;
};

void CheckFile(const std::string& path, const Console& console,
               CheckReport& report) {
  absl::StatusOr<CheckedFile> checked = CheckConfigFile(path);
  Json entry = {{"file", path}, {"ok", checked.ok()}};
  if (checked.ok()) {
    entry["kind"] = checked->kind;
    entry["summary"] = checked->summary;
    entry["warnings"] = checked->warnings;
    PrintWarnings(console.err, checked->warnings);
    if (!checked->room_notes.empty()) {
      entry["room_notes"] = checked->room_notes;
    }
    if (!checked->rules.empty()) entry["rules"] = checked->rules;
    if (!console.json) {
      const std::string kind =
          checked->kind == "plugin" ? "coolspan.conf" : checked->kind + " file";
      console.out << fmt::format("{}: valid {}: {}\n", path, kind,
                                 checked->summary);
      for (const std::string& note : checked->room_notes) {
        console.out << fmt::format("  note: {}\n", note);
      }
      for (const std::string& rule : checked->rules) {
        console.out << fmt::format("  {}\n", rule);
      }
    }
    report.has_plugin_file |= checked->plugin_conf != nullptr;
    report.valid.push_back(*std::move(checked));
  } else {
    const std::string message(checked.status().message());
    entry["error"] = message;
    PrintMessage(console.err, message);
    report.exit = Exit::kBadInput;
    report.has_plugin_file |=
        std::filesystem::path(path).filename() == "coolspan.conf";
  }
  report.json["files"].push_back(std::move(entry));
}

Json JsonOf(const SlurmCheck& check) {
  Json json = {{"file", check.path}, {"ok", check.errors.empty()}};
  json["nodes"] = check.nodes;
  json["select_type"] = check.select_type;
  json["plugin"] = check.plugin.empty() ? Json(nullptr) : Json(check.plugin);
  json["machines"] = Json::array();
  for (const NodeComparison& comparison : check.comparisons) {
    json["machines"].push_back(
        {{"file", comparison.machine_path},
         {"nodes", comparison.machine_nodes},
         {"missing_in_machine", comparison.missing_in_machine},
         {"missing_in_slurm", comparison.missing_in_slurm}});
  }
  json["errors"] = check.errors;
  json["warnings"] = check.warnings;
  json["notes"] = check.notes;
  return json;
}

void CheckSlurmConf(const std::string& path, const Console& console,
                    CheckReport& report) {
  if (!report.has_plugin_file) {
    CheckFile(PluginConfBeside(path), console, report);
  }
  const SlurmCheck check = CheckSlurm(path, report.valid);
  PrintWarnings(console.err, check.warnings);
  for (const std::string& note : check.notes) {
    PrintMessage(console.err, "note: " + note);
  }
  for (const std::string& error : check.errors) {
    PrintMessage(console.err, error);
  }
  if (!check.errors.empty()) {
    report.exit = Exit::kBadInput;
  } else if (!console.json) {
    console.out << fmt::format(
        "{}: works with Coolspan: {}, {} plugin (other settings are not "
        "checked)\n",
        path, Counted(check.nodes, "node"),
        check.plugin == "named" ? "named" : "drop-in");
  }
  report.json["slurm"] = JsonOf(check);
}

// Checks all files, also after one with errors.
absl::StatusOr<Exit> CheckConfig(const CheckOptions& options,
                                 const Console& console) {
  if (options.paths.empty() && options.slurm_conf.empty()) {
    return absl::InvalidArgumentError(
        "coolspan check-config: FILE or --slurm is required (see coolspan "
        "check-config --help)");
  }
  CheckReport report;
  for (const std::string& path : options.paths) {
    CheckFile(path, console, report);
  }
  if (!options.slurm_conf.empty()) {
    CheckSlurmConf(options.slurm_conf, console, report);
  }
  if (console.json) PrintJsonLine(report.json, console.out);
  return report.exit;
}

}  // namespace

Action SetUpCheckConfig(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  app.add_option("FILE", options->paths,
                 "machine and daemon files (YAML), coolspan.conf");
  app.add_option("--slurm", options->slurm_conf,
                 "compare this slurm.conf with the machine file among FILE, or "
                 "that of the daemon file, and check the coolspan.conf beside "
                 "it")
      ->type_name("FILE");
  return [options](const Console& console) {
    return CheckConfig(*options, console);
  };
}

}  // namespace coolspan
