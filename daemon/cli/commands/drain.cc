// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "cli/console.h"
#include "cli/daemon_call.h"
#include "cli/render/json.h"
#include "cli/subcommand.h"
#include "core/counted.h"

namespace coolspan {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPollInterval{100};

struct DrainOptions {
  DaemonOptions daemon;
  bool undo = false;
  double timeout_s = 60;
};

bool IsDone(const v1::DrainReply& reply) {
  return reply.decisions() == 0 && reply.tentative() == 0;
}

// Drains, and asks until nothing is in progress or the time is over. The reply
// is the last one, with was_drained of the first. Error: FAILED_PRECONDITION
// (somebody else, or a restart, has ended it meanwhile).
absl::StatusOr<v1::DrainReply> DrainAndWait(const DrainOptions& options) {
  const auto until = steady_clock::now() +
                     std::chrono::duration_cast<steady_clock::duration>(
                         std::chrono::duration<double>(options.timeout_s));
  v1::DrainRequest request;
  request.set_undo(options.undo);
  auto reply = AskDrain(options.daemon, request);
  if (!reply.ok() || options.undo) return reply;
  const bool was_drained = reply->was_drained();
  while (reply.ok() && !IsDone(*reply) && steady_clock::now() < until) {
    std::this_thread::sleep_for(kPollInterval);
    request.set_query(true);
    reply = AskDrain(options.daemon, request);
    if (reply.ok() && !reply->was_drained()) {
      return absl::FailedPreconditionError(
          "no longer drained: another user or a restart ended the drain");
    }
  }
  if (reply.ok()) reply->set_was_drained(was_drained);
  return reply;
}

std::string DrainText(const DrainOptions& options,
                      const v1::DrainReply& reply) {
  if (options.undo) {
    return reply.was_drained() ? "drain ended: the daemon may decide again"
                               : "the daemon was not drained";
  }
  std::string text = "drained: ";
  text += IsDone(reply)
              ? "nothing is in progress, the daemon can be stopped"
              : fmt::format("{} and {} are in progress",
                            Counted(reply.decisions(), "decision"),
                            Counted(reply.tentative(), "tentative allocation"));
  if (reply.sessions() > 0) {
    text += fmt::format("; a stop cancels {}",
                        Counted(reply.sessions(), "replay session"));
  }
  return text;
}

absl::StatusOr<Exit> Drain(const DrainOptions& options,
                           const Console& console) {
  const auto reply = DrainAndWait(options);
  if (absl::IsFailedPrecondition(reply.status())) {
    PrintMessage(console.err, std::string(reply.status().message()));
    return Exit::kCannotBeMet;
  }
  if (!reply.ok()) return reply.status();
  const bool is_met = options.undo || IsDone(*reply);
  if (console.json) {
    PrintJsonLine(Json{{"drained", !options.undo},
                       {"was_drained", reply->was_drained()},
                       {"decisions", reply->decisions()},
                       {"tentative", reply->tentative()},
                       {"sessions", reply->sessions()}},
                  console.out);
  } else if (is_met) {
    console.out << DrainText(options, *reply) << '\n';
  }
  if (is_met) return Exit::kSuccess;
  PrintMessage(console.err, DrainText(options, *reply));
  return Exit::kCannotBeMet;
}

}  // namespace

Action SetUpDrain(CLI::App& app) {
  auto options = std::make_shared<DrainOptions>();
  AddDaemonOptions(app, options->daemon);
  app.add_flag("--undo", options->undo, "make decisions again");
  app.add_option("--timeout", options->timeout_s,
                 "maximum time to wait for what is in progress, in seconds")
      ->type_name("S")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  return [options](const Console& console) { return Drain(*options, console); };
}

}  // namespace coolspan
