// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/console.h"
#include "cli/daemon_call.h"
#include "cli/render/json.h"
#include "cli/subcommand.h"

namespace coolspan {
namespace {

void PrintReloadJson(const v1::ReloadReply& reply, std::ostream& out) {
  Json json;
  json["changes"] = Json::array();
  for (const v1::OptionChange& change : reply.changes()) {
    json["changes"].push_back({{"option", change.option()},
                               {"before", change.before()},
                               {"after", change.after()}});
  }
  json["warnings"] = Json::array();
  for (const std::string& warning : reply.warnings()) {
    json["warnings"].push_back(warning);
  }
  PrintJsonLine(json, out);
}

absl::StatusOr<Exit> Reload(const DaemonOptions& options,
                            const Console& console) {
  const auto reply = AskReload(options);
  if (absl::IsFailedPrecondition(reply.status())) {
    PrintMessage(console.err, std::string(reply.status().message()));
    return Exit::kCannotBeMet;
  }
  if (!reply.ok()) return reply.status();
  for (const std::string& warning : reply->warnings()) {
    PrintMessage(console.err, "warning: " + warning);
  }
  if (console.json) {
    PrintReloadJson(*reply, console.out);
    return Exit::kSuccess;
  }
  console.out << (reply->changes().empty() ? "reloaded: no option has changed\n"
                                           : "reloaded\n");
  for (const v1::OptionChange& change : reply->changes()) {
    console.out << fmt::format("{}: {} (was {})\n", change.option(),
                               change.after(), change.before());
  }
  return Exit::kSuccess;
}

}  // namespace

Action SetUpReload(CLI::App& app) {
  auto options = std::make_shared<DaemonOptions>();
  AddDaemonOptions(app, *options);
  return
      [options](const Console& console) { return Reload(*options, console); };
}

}  // namespace coolspan
