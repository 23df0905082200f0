// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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
  std::string job;
};

// A number that takes up all of the text; nullopt: it is not one.
std::optional<std::uint32_t> ParseNumber(std::string_view text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// JOB.RESTART.ATTEMPT, as in slurmctld's log.
bool IsDecisionId(std::string_view text) {
  constexpr std::ptrdiff_t kDots = 2;
  return std::ranges::count(text, '.') == kDots && !text.starts_with('.') &&
         !text.ends_with('.') && text.find("..") == std::string_view::npos &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

// 111, 111_3, 111+1 or a decision id. nullopt: none of these.
std::optional<v1::ExplainRequest> ParseJob(std::string_view text) {
  if (IsDecisionId(text)) text = text.substr(0, text.find('.'));
  const std::size_t separator = text.find_first_of("_+");
  const auto job_id = ParseNumber(text.substr(0, separator));
  if (!job_id.has_value()) return std::nullopt;
  v1::ExplainRequest request;
  request.set_job_id(*job_id);
  if (separator == std::string_view::npos) return request;
  const auto member = ParseNumber(text.substr(separator + 1));
  if (!member.has_value()) return std::nullopt;
  if (text[separator] == '_') {
    request.set_array_task_id(*member);
  } else {
    request.set_het_job_offset(*member);
  }
  return request;
}

Json CostJson(const v1::ChoiceCost& cost, std::uint32_t nodes) {
  Json json;
  json["nodes"] = nodes;
  json["pairwise_total"] = cost.pairwise_total();
  json["pairwise_mean"] = JsonNumber(cost.pairwise_mean());
  json["cooling_w"] =
      cost.has_cooling_w() ? JsonNumber(cost.cooling_w()) : Json(nullptr);
  return json;
}

Json StartJson(const v1::StartRecord& record) {
  const v1::JobStart& start = record.start();
  Json json;
  json["cluster"] = record.cluster();
  json["job_id"] = record.job().job_id();
  json["restart"] = record.job().restart();
  json["started_ms"] = record.started_ms();
  json["nodes"] = record.hostlist();
  json["verdict"] = start.verdict();
  json["reason"] = start.reason();
  json["decision_id"] = start.decision_id();
  if (start.has_array_task_id()) {
    json["array_job_id"] = start.array_job_id();
    json["array_task_id"] = start.array_task_id();
  }
  if (start.has_het_job_offset()) {
    json["het_job_id"] = start.het_job_id();
    json["het_job_offset"] = start.het_job_offset();
  }
  if (record.has_advice()) {
    const v1::AdviceCost& advice = record.advice();
    json["advice"]["coolspan"] = CostJson(advice.decided(), advice.nodes());
    json["advice"]["slurm"] = CostJson(advice.actual(), advice.actual_nodes());
  }
  return json;
}

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

void PrintJson(const v1::ExplainReply& reply, const ExplainOptions& options,
               std::ostream& out) {
  Json json;
  json["job"] = options.job;
  json["job_id"] = reply.starts().empty() ? reply.decisions(0).job().job_id()
                                          : reply.starts(0).job().job_id();
  json["starts"] = Json::array();
  for (const v1::StartRecord& start : reply.starts()) {
    json["starts"].push_back(StartJson(start));
  }
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

std::string StartText(const v1::JobStart& start) {
  if (start.verdict() == "left") {
    return fmt::format("left to Slurm: {}", start.reason());
  }
  if (start.reason().empty()) return start.verdict();
  return fmt::format("{}: {}", start.verdict(), start.reason());
}

std::string CostText(const v1::ChoiceCost& cost) {
  std::string text = fmt::format("mean hops {:.2f}, pairwise_total {}",
                                 cost.pairwise_mean(), cost.pairwise_total());
  if (cost.has_cooling_w()) {
    text += fmt::format(", cooling power {:.0f} W", cost.cooling_w());
  }
  return text;
}

void PrintStart(const v1::StartRecord& record, const Console& console) {
  const v1::JobStart& start = record.start();
  console.out << WrapText(
                     fmt::format("job {} started {}, {}", record.job().job_id(),
                                 FormatTime(record.started_ms()),
                                 StartText(start)),
                     console.columns, 0, 2)
              << "\n";
  PrintField("nodes",
             record.hostlist().empty() ? "unknown (ended before a Sync)"
                                       : record.hostlist(),
             console);
  if (start.has_array_task_id()) {
    PrintField(
        "array task",
        fmt::format("{}_{}", start.array_job_id(), start.array_task_id()),
        console);
  }
  if (start.has_het_job_offset()) {
    PrintField("component",
               fmt::format("{}+{}", start.het_job_id(), start.het_job_offset()),
               console);
  }
  if (!start.decision_id().empty()) {
    PrintField("decision", start.decision_id(), console);
  }
  if (record.has_advice()) {
    PrintField("Coolspan", CostText(record.advice().decided()), console);
    PrintField("Slurm", CostText(record.advice().actual()), console);
  }
}

// rule: parts joined by "; ", of which those in the job comment that have no
// effect end with "(ignored)".
void PrintSettings(std::string_view rule, const Console& console) {
  constexpr std::string_view kBetween = "; ";
  constexpr std::string_view kIgnored = " (ignored)";
  while (!rule.empty()) {
    std::string_view part = rule.substr(0, rule.find(kBetween));
    rule.remove_prefix(std::min(rule.size(), part.size() + kBetween.size()));
    const bool is_ignored = part.ends_with(kIgnored);
    if (is_ignored) part.remove_suffix(kIgnored.size());
    PrintField(is_ignored ? "ignored" : "set by", std::string(part), console);
  }
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
  PrintSettings(decision.rule(), console);
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

CLI::Validator JobName() {
  return {[](const std::string& text) -> std::string {
            if (ParseJob(text).has_value()) return "";
            return fmt::format(
                "'{}' is not valid (expected a job id such as 111, an array "
                "task such as 111_3, a component of a heterogeneous job such "
                "as 111+1, or a decision id)",
                text);
          },
          ""};
}

absl::StatusOr<Exit> Explain(const ExplainOptions& options,
                             const Console& console) {
  const auto reply = AskExplain(options.daemon, *ParseJob(options.job));
  if (absl::IsNotFound(reply.status())) {
    console.err << fmt::format(
        "coolspan explain: {} (coolspan jobs lists the jobs that hold nodes)\n",
        std::string(reply.status().message()));
    return Exit::kCannotBeMet;
  }
  if (!reply.ok()) return reply.status();
  if (console.json) {
    PrintJson(*reply, options, console.out);
    return Exit::kSuccess;
  }
  for (int i = 0; i < reply->starts_size(); ++i) {
    if (i > 0) console.out << "\n";
    PrintStart(reply->starts(i), console);
  }
  for (int i = 0; i < reply->decisions_size(); ++i) {
    if (i > 0 || !reply->starts().empty()) console.out << "\n";
    PrintDecision(reply->decisions(i), console);
  }
  return Exit::kSuccess;
}

}  // namespace

Action SetUpExplain(CLI::App& app) {
  auto options = std::make_shared<ExplainOptions>();
  AddDaemonOptions(app, options->daemon);
  AddClusterOption(app, options->daemon);
  app.add_option(
         "JOB", options->job,
         "job id, array task (111_3), component (111+1), or decision id")
      ->required()
      ->check(JobName());
  return
      [options](const Console& console) { return Explain(*options, console); };
}

}  // namespace coolspan
