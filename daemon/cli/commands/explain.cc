// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "cli/daemon_call.h"
#include "cli/render/json.h"
#include "cli/render/text_table.h"
#include "cli/subcommand.h"

namespace coolspan {
namespace {

struct Options {
  DaemonOptions daemon;
  std::uint32_t job_id = 0;
};

Json DecisionJson(const v1::DecisionRecord& decision) {
  Json json;
  json["id"] = decision.id();
  json["cluster"] = decision.cluster();
  json["job_id"] = decision.job().job_id();
  json["restart"] = decision.job().restart();
  json["attempt"] = decision.attempt();
  json["decided_ms"] = decision.decided_ms();
  json["placed"] = decision.placed();
  json["outcome"] = decision.outcome();
  json["nodes"] = decision.hostlist();
  json["ids"] = decision.node_ids();
  json["committed_nodes"] = decision.committed_hostlist();
  json["policy"] = decision.policy();
  json["ordering"] = decision.ordering();
  json["rule"] = decision.rule();
  json["why"] = decision.why();
  // Protobuf maps have no order of their own.
  json["facts"] = std::map<std::string, std::string>(decision.facts().begin(),
                                                     decision.facts().end());
  json["metrics"] = Json::object();
  for (const auto& [key, value] : std::map<std::string, double>(
           decision.metrics().begin(), decision.metrics().end())) {
    json["metrics"][key] = JsonNumber(value);
  }
  json["available"] = decision.available();
  json["elapsed_us"] = JsonNumber(decision.elapsed_us());
  json["stopped_early"] = decision.stopped_early();
  return json;
}

void PrintJson(const v1::ExplainReply& reply, std::uint32_t job_id,
               std::ostream& out) {
  Json json;
  json["job_id"] = job_id;
  json["decisions"] = Json::array();
  for (const v1::DecisionRecord& decision : reply.decisions()) {
    json["decisions"].push_back(DecisionJson(decision));
  }
  PrintJsonLine(json, out);
}

void PrintDecision(const v1::DecisionRecord& decision, std::ostream& out) {
  out << fmt::format("decision {} of {}, {}\n", decision.id(),
                     FormatTime(decision.decided_ms()), decision.outcome());
  if (decision.placed()) {
    out << fmt::format("  nodes      {}\n", decision.hostlist());
  }
  if (!decision.committed_hostlist().empty() &&
      decision.committed_hostlist() != decision.hostlist()) {
    out << fmt::format("  committed  {}\n", decision.committed_hostlist());
  }
  out << fmt::format("  why        {}\n", decision.why())
      << fmt::format(
             "  chosen by  {} on {}, from {} nodes, in {} us{}\n",
             decision.policy(), decision.ordering(), decision.available(),
             FormatNumber(decision.elapsed_us()),
             decision.stopped_early() ? " (stopped at the deadline)" : "");
  if (!decision.rule().empty()) {
    out << fmt::format("  named by   {}\n", decision.rule());
  }
  std::string metrics;
  for (const auto& [key, value] : std::map<std::string, double>(
           decision.metrics().begin(), decision.metrics().end())) {
    metrics += fmt::format("{}{} {}", metrics.empty() ? "" : ", ", key,
                           FormatNumber(value));
  }
  if (!metrics.empty()) out << fmt::format("  metrics    {}\n", metrics);
}

absl::StatusOr<Exit> Explain(const Options& options, const Console& console) {
  const auto reply = AskExplain(options.daemon, options.job_id);
  if (absl::IsNotFound(reply.status())) {
    console.err << fmt::format(
        "coolspan explain: {}; coolspan jobs lists the jobs that hold nodes\n",
        std::string(reply.status().message()));
    return Exit::kCannotBeMet;
  }
  if (!reply.ok()) return reply.status();
  if (console.json) {
    PrintJson(*reply, options.job_id, console.out);
    return Exit::kSuccess;
  }
  for (int i = 0; i < reply->decisions_size(); ++i) {
    if (i > 0) console.out << "\n";
    PrintDecision(reply->decisions(i), console.out);
  }
  return Exit::kSuccess;
}

}  // namespace

Action SetUpExplain(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddDaemonOptions(app, options->daemon);
  AddClusterOption(app, options->daemon);
  app.add_option("JOB", options->job_id, "job id")->required();
  return
      [options](const Console& console) { return Explain(*options, console); };
}

}  // namespace coolspan
