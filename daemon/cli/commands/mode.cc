// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "cli/console.h"
#include "cli/daemon_call.h"
#include "cli/render/json.h"
#include "cli/subcommand.h"
#include "config/placement_mode.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

constexpr const char* kDefault = "default";

struct ModeOptions {
  DaemonOptions daemon;
  std::string mode;
};

std::string Shown(const std::string& mode) {
  return mode.empty() ? kDefault : mode;
}

// A mode does not reach a slurmctld that runs without Coolspan.
void WarnOfLostContact(const DaemonOptions& daemon, const std::string& cluster,
                       const Console& console) {
  const auto status = AskStatus(daemon);
  if (!status.ok()) return;
  for (const v1::ClusterStatus& each : status->clusters()) {
    if (each.name() != cluster) continue;
    if (const auto lost = LostContact(each))
      PrintMessage(console.err, "warning: " + *lost);
  }
}

absl::StatusOr<Exit> SetMode(const ModeOptions& options,
                             const Console& console) {
  if (options.mode != kDefault && !ParsePlacementMode(options.mode)) {
    return absl::InvalidArgumentError(
        fmt::format("coolspan mode: MODE: '{}' is not valid (expected enforce, "
                    "advise, off or default)",
                    options.mode));
  }
  const std::string sent = options.mode == kDefault ? "" : options.mode;
  const auto reply = AskSetMode(options.daemon, sent);
  if (!reply.ok()) return reply.status();
  if (console.json) {
    PrintJsonLine(Json{{"cluster", reply->cluster()},
                       {"mode", options.mode},
                       {"previous", Shown(reply->previous())}},
                  console.out);
  } else {
    console.out << fmt::format("cluster {}: mode {} (previously {})\n",
                               reply->cluster(), options.mode,
                               Shown(reply->previous()));
  }
  WarnOfLostContact(options.daemon, reply->cluster(), console);
  return Exit::kSuccess;
}

absl::StatusOr<Exit> PrintMode(const ModeOptions& options,
                               const Console& console) {
  const auto status = AskStatus(options.daemon);
  if (!status.ok()) return status.status();
  const std::string& wanted = options.daemon.cluster;
  Json clusters = Json::array();
  std::string text;
  for (const v1::ClusterStatus& cluster : status->clusters()) {
    if (!wanted.empty() && cluster.name() != wanted) continue;
    clusters.push_back({{"cluster", cluster.name()},
                        {"mode", Shown(cluster.mode())},
                        {"client_mode", cluster.client_mode().empty()
                                            ? Json(nullptr)
                                            : Json(cluster.client_mode())}});
    text += fmt::format("cluster {}: mode {}\n", cluster.name(),
                        DescribeMode(cluster));
    if (const auto lost = LostContact(cluster))
      PrintMessage(console.err, "warning: " + *lost);
  }
  if (clusters.empty()) {
    return absl::NotFoundError(
        wanted.empty() ? "no clusters: no sync received since daemon start"
                       : fmt::format("cluster: {} is unknown", Quoted(wanted)));
  }
  if (console.json) {
    PrintJsonLine(Json{{"clusters", std::move(clusters)}}, console.out);
  } else {
    console.out << text;
  }
  return Exit::kSuccess;
}

absl::StatusOr<Exit> Mode(const ModeOptions& options, const Console& console) {
  return options.mode.empty() ? PrintMode(options, console)
                              : SetMode(options, console);
}

}  // namespace

Action SetUpMode(CLI::App& app) {
  auto options = std::make_shared<ModeOptions>();
  AddDaemonOptions(app, options->daemon);
  AddClusterOption(app, options->daemon);
  app.add_option("MODE", options->mode,
                 "enforce, advise, off, or default (that of coolspan.conf); "
                 "without it, the mode is shown");
  return [options](const Console& console) { return Mode(*options, console); };
}

}  // namespace coolspan
