// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/daemon_call.h"
#include "cli/render/json.h"
#include "cli/render/text_table.h"
#include "cli/render/wrap_text.h"
#include "cli/subcommand.h"
#include "core/counted.h"

namespace coolspan {
namespace {

struct ExplainOptions {
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
  json["mode"] = decision.mode();
  json["why"] = decision.why();
  // Protobuf maps are unordered.
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

void PrintField(std::string_view name, std::string_view value,
                const Console& console) {
  constexpr std::size_t kValueColumn = 13;
  console.out << fmt::format("{:<{}}", fmt::format("  {}", name), kValueColumn)
              << WrapText(value, console.columns, kValueColumn, kValueColumn)
              << "\n";
}

void PrintDecision(const v1::DecisionRecord& decision, const Console& console) {
  console.out << fmt::format("decision {} of {}, {}\n", decision.id(),
                             FormatTime(decision.decided_ms()),
                             decision.outcome());
  if (decision.placed()) PrintField("nodes", decision.hostlist(), console);
  if (!decision.committed_hostlist().empty() &&
      decision.committed_hostlist() != decision.hostlist()) {
    PrintField("committed", decision.committed_hostlist(), console);
  }
  PrintField("reason", decision.why(), console);
  PrintField(
      "policy",
      fmt::format("{}, ordering {}, {} available, {} us{}", decision.policy(),
                  decision.ordering(), Counted(decision.available(), "node"),
                  FormatNumber(decision.elapsed_us()),
                  decision.stopped_early() ? " (deadline reached)" : ""),
      console);
  if (!decision.rule().empty()) PrintField("set by", decision.rule(), console);
  if (decision.mode() == "advise") {
    PrintField("mode", "advise: Slurm chose the nodes", console);
  }
  std::string metrics;
  for (const auto& [key, value] : std::map<std::string, double>(
           decision.metrics().begin(), decision.metrics().end())) {
    metrics += fmt::format("{}{} {}", metrics.empty() ? "" : ", ", key,
                           FormatNumber(value));
  }
  if (!metrics.empty()) PrintField("metrics", metrics, console);
}

CLI::Validator JobId() {
  return {[](const std::string& text) -> std::string {
            std::uint32_t id = 0;
            const char* const end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, id);
            if (error == std::errc() && stop == end) return "";
            return fmt::format(
                "'{}' is not valid (expected a job id; for an array task, "
                "JobId= of scontrol show job)",
                text);
          },
          ""};
}

absl::StatusOr<Exit> Explain(const ExplainOptions& options,
                             const Console& console) {
  const auto reply = AskExplain(options.daemon, options.job_id);
  if (absl::IsNotFound(reply.status())) {
    console.err << fmt::format(
        "coolspan explain: {} (coolspan jobs lists the jobs that hold nodes)\n",
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
    PrintDecision(reply->decisions(i), console);
  }
  return Exit::kSuccess;
}

}  // namespace

Action SetUpExplain(CLI::App& app) {
  auto options = std::make_shared<ExplainOptions>();
  AddDaemonOptions(app, options->daemon);
  AddClusterOption(app, options->daemon);
  app.add_option("JOB", options->job_id, "job id")->required()->check(JobId());
  return
      [options](const Console& console) { return Explain(*options, console); };
}

}  // namespace coolspan
