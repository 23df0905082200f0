// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "cli/commands/job_history.h"
#include "cli/daemon_call.h"
#include "cli/render/json.h"
#include "cli/render/text_table.h"
#include "cli/subcommand.h"
#include "core/counted.h"

namespace coolspan {
namespace {

Json JobJson(const v1::JobRecord& job) {
  Json json;
  json["job_id"] = job.job().job_id();
  json["restart"] = job.job().restart();
  json["attempt"] = job.attempt();
  json["state"] = job.state();
  json["whole"] = job.whole();
  json["nodes"] = job.hostlist();
  json["ids"] = job.node_ids();
  json["units"] = job.units();
  json["contested"] = job.contested_hostlist();
  json["expected_end_ms"] =
      job.expected_end_ms() == 0 ? Json(nullptr) : Json(job.expected_end_ms());
  json["decision_id"] = job.decision_id();
  json["verdict"] = job.start().verdict();
  json["reason"] = job.start().reason();
  json["communication_share"] = job.has_communication_share()
                                    ? JsonDecimals(job.communication_share())
                                    : Json(nullptr);
  return json;
}

void PrintJson(const v1::JobsReply& reply, std::ostream& out) {
  Json json;
  json["machine_nodes"] = reply.machine_nodes();
  json["unavailable"] = reply.unavailable_hostlist();
  json["jobs"] = Json::array();
  for (const v1::JobRecord& job : reply.jobs()) {
    json["jobs"].push_back(JobJson(job));
  }
  PrintJsonLine(json, out);
}

std::string DecisionText(const v1::JobRecord& job) {
  const v1::JobStart& start = job.start();
  if (!job.decision_id().empty()) return job.decision_id();
  if (start.reason().empty()) return "none (placed by Slurm)";
  return fmt::format(
      "none ({}: {})",
      start.verdict() == "left" ? "left to Slurm" : start.verdict(),
      start.reason());
}

void PrintText(const v1::JobsReply& reply, std::ostream& out) {
  if (reply.unavailable_ids_size() > 0) {
    out << fmt::format("unavailable: {} ({})\n", reply.unavailable_hostlist(),
                       Counted(reply.unavailable_ids_size(), "node"));
  }
  if (reply.jobs().empty()) {
    out << fmt::format("no jobs on {}\n",
                       Counted(reply.machine_nodes(), "node"));
    return;
  }
  TextTable table(
      {"job", "restart", "state", "ends", "count", "nodes", "decision"});
  for (const v1::JobRecord& job : reply.jobs()) {
    std::string nodes = job.hostlist();
    if (!job.whole()) nodes += " (shared)";
    if (!job.contested_hostlist().empty()) {
      nodes += fmt::format(" (contested: {})", job.contested_hostlist());
    }
    table.AddRow({FormatNumber(job.job().job_id()),
                  FormatNumber(job.job().restart()), job.state(),
                  FormatTime(job.expected_end_ms()),
                  FormatNumber(job.node_ids_size()), std::move(nodes),
                  DecisionText(job)});
  }
  table.Print(out);
}

absl::StatusOr<Exit> Jobs(const DaemonOptions& options,
                          const HistoryOptions& history,
                          const Console& console) {
  if (history.history) return PrintHistory(options, history, console);
  const auto reply = AskJobs(options);
  if (!reply.ok()) return reply.status();
  if (console.json) {
    PrintJson(*reply, console.out);
  } else {
    PrintText(*reply, console.out);
  }
  return Exit::kSuccess;
}

}  // namespace

Action SetUpJobs(CLI::App& app) {
  auto options = std::make_shared<DaemonOptions>();
  auto history = std::make_shared<HistoryOptions>();
  AddDaemonOptions(app, *options);
  AddClusterOption(app, *options);
  CLI::Option* const flag = app.add_flag(
      "--history", history->history,
      "print the stored starts and ends of jobs as sacct --parsable2 does, for "
      "coolspan replay --trace");
  app.add_option(
         "--since", history->since,
         "with --history: jobs that started at this time (UTC) or later")
      ->type_name("TIME")
      ->needs(flag);
  app.add_option("--until", history->until,
                 "with --history: jobs that started before this time (UTC)")
      ->type_name("TIME")
      ->needs(flag);
  return [options, history](const Console& console) {
    return Jobs(*options, *history, console);
  };
}

}  // namespace coolspan
