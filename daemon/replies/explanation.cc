// SPDX-License-Identifier: GPL-3.0-or-later
#include "replies/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/counted.h"
#include "replies/job_name.h"
#include "replies/number_text.h"

namespace coolspan {
namespace {

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

ExplanationPart StartPart(const v1::StartRecord& record) {
  const v1::JobStart& start = record.start();
  ExplanationPart part{fmt::format("job {} started ", record.job().job_id()),
                       record.started_ms(),
                       ", " + StartText(start),
                       {}};
  const auto add = [&part](const char* name, std::string value) {
    part.fields.emplace_back(name, std::move(value));
  };
  add("nodes", record.hostlist().empty() ? "unknown (ended before a Sync)"
                                         : record.hostlist());
  if (start.has_array_task_id()) {
    add("array task", JobName(record.job().job_id(), start));
  }
  if (start.has_het_job_offset()) {
    add("component", JobName(record.job().job_id(), start));
  }
  if (!start.decision_id().empty()) add("decision", start.decision_id());
  if (record.has_advice()) {
    add("Coolspan", CostText(record.advice().decided()));
    add("Slurm", CostText(record.advice().actual()));
  }
  return part;
}

// rule: parts joined by "; ", of which those in the job comment that have no
// effect end with "(ignored)".
void AddSettings(std::string_view rule, ExplanationPart& part) {
  constexpr std::string_view kBetween = "; ";
  constexpr std::string_view kIgnored = " (ignored)";
  while (!rule.empty()) {
    std::string_view setting = rule.substr(0, rule.find(kBetween));
    rule.remove_prefix(std::min(rule.size(), setting.size() + kBetween.size()));
    const bool is_ignored = setting.ends_with(kIgnored);
    if (is_ignored) setting.remove_suffix(kIgnored.size());
    part.fields.emplace_back(is_ignored ? "ignored" : "set by", setting);
  }
}

// Protobuf maps are unordered.
std::string MetricsText(const v1::DecisionRecord& decision) {
  std::string text;
  for (const auto& [key, value] : std::map<std::string, double>(
           decision.metrics().begin(), decision.metrics().end())) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key,
                        FormatNumber(value));
  }
  return text;
}

ExplanationPart DecisionPart(const v1::DecisionRecord& decision) {
  ExplanationPart part{fmt::format("decision {} of ", decision.id()),
                       decision.decided_ms(),
                       ", " + decision.outcome(),
                       {}};
  const auto add = [&part](const char* name, std::string value) {
    part.fields.emplace_back(name, std::move(value));
  };
  if (decision.placed()) add("nodes", decision.hostlist());
  if (!decision.committed_hostlist().empty() &&
      decision.committed_hostlist() != decision.hostlist()) {
    add("committed", decision.committed_hostlist());
  }
  add("reason", decision.why());
  add("policy",
      fmt::format("{}, ordering {}, {} available, {} us{}", decision.policy(),
                  decision.ordering(), Counted(decision.available(), "node"),
                  FormatNumber(decision.elapsed_us()),
                  decision.stopped_early() ? " (deadline reached)" : ""));
  AddSettings(decision.rule(), part);
  if (decision.mode() == "advise") {
    add("mode", "advise: Slurm chose the nodes");
  }
  if (std::string metrics = MetricsText(decision); !metrics.empty()) {
    add("metrics", std::move(metrics));
  }
  return part;
}

}  // namespace

std::vector<ExplanationPart> ExplanationOf(const v1::ExplainReply& reply) {
  std::vector<ExplanationPart> parts;
  for (const v1::StartRecord& start : reply.starts()) {
    parts.push_back(StartPart(start));
  }
  for (const v1::DecisionRecord& decision : reply.decisions()) {
    parts.push_back(DecisionPart(decision));
  }
  return parts;
}

Json ExplanationJson(const v1::ExplainReply& reply, std::string_view job) {
  Json json;
  json["job"] = job;
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
  return json;
}

}  // namespace coolspan
