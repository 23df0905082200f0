// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/render/json.h"
#include "cli/subcommand.h"
#include "setup/check_file.h"

namespace coolspan {
namespace {

// Checks all files, also after one with errors.
Exit CheckConfig(const std::vector<std::string>& paths,
                 const Console& console) {
  Exit exit = Exit::kSuccess;
  Json json;
  json["files"] = Json::array();
  for (const std::string& path : paths) {
    const absl::StatusOr<CheckedFile> checked = CheckConfigFile(path);
    Json entry = {{"file", path}, {"ok", checked.ok()}};
    if (checked.ok()) {
      entry["kind"] = checked->kind;
      entry["summary"] = checked->summary;
      entry["warnings"] = checked->warnings;
      PrintWarnings(console.err, checked->warnings);
      if (!checked->rules.empty()) entry["rules"] = checked->rules;
      if (!console.json) {
        console.out << fmt::format("{}: valid {} file: {}\n", path,
                                   checked->kind, checked->summary);
        for (const std::string& rule : checked->rules) {
          console.out << fmt::format("  {}\n", rule);
        }
      }
    } else {
      const std::string message(checked.status().message());
      entry["error"] = message;
      PrintMessage(console.err, message);
      exit = Exit::kBadInput;
    }
    json["files"].push_back(std::move(entry));
  }
  if (console.json) PrintJsonLine(json, console.out);
  return exit;
}

}  // namespace

Action SetUpCheckConfig(CLI::App& app) {
  auto paths = std::make_shared<std::vector<std::string>>();
  app.add_option("FILE", *paths, "machine and daemon files (YAML), coolspan.conf")->required();
  return
      [paths](const Console& console) { return CheckConfig(*paths, console); };
}

}  // namespace coolspan
