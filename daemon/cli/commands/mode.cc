// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/daemon_call.h"
#include "cli/render/json.h"
#include "cli/subcommand.h"
#include "config/placement_mode.h"

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

absl::StatusOr<Exit> Mode(const ModeOptions& options, const Console& console) {
  if (options.mode != kDefault && !ParsePlacementMode(options.mode)) {
    return absl::InvalidArgumentError(
        fmt::format("MODE: '{}' is not valid (expected enforce, advise, off "
                    "or default)",
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
  return Exit::kSuccess;
}

}  // namespace

Action SetUpMode(CLI::App& app) {
  auto options = std::make_shared<ModeOptions>();
  AddDaemonOptions(app, options->daemon);
  AddClusterOption(app, options->daemon);
  app.add_option("MODE", options->mode,
                 "enforce, advise or off; default: the mode in coolspan.conf")
      ->required();
  return [options](const Console& console) { return Mode(*options, console); };
}

}  // namespace coolspan
