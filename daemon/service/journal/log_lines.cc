// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/log_lines.h"

#include <cmath>
#include <variant>

#include "service/journal/records.h"

namespace coolspan {
namespace {

using Fields = EventLog::Fields;

void AddJob(JobKey job, Fields& fields) {
  fields["job"] = job.job_id;
  if (job.restart != 0) fields["restart"] = job.restart;
}

void WriteLine(const Machine&, const ClusterEvent& cluster_event,
               const Decided& decided, EventLog& log) {
  const Decision& decision = *decided.decision;
  const auto level =
      decision.over_redline ? spdlog::level::warn : spdlog::level::info;
  if (!log.Writes(level)) return;
  Fields fields{{"cluster", cluster_event.cluster}, {"decision", decision.id}};
  AddJob(decision.job, fields);
  if (!decided.partition.empty()) fields["partition"] = decided.partition;
  if (!decided.user.empty()) fields["user"] = decided.user;
  fields["policy"] = decision.policy;
  fields["ordering"] = decided.ordering;
  if (!decided.rule.empty()) fields["rule"] = decided.rule;
  if (decided.mode != PlacementMode::kEnforce) {
    fields["mode"] = NameOf(decided.mode);
  }
  fields["placed"] = decision.placed;
  if (decision.placed) fields["nodes"] = decided.hostlist;
  fields["why"] = decided.why;
  fields["available"] = decision.available;
  if (decision.stopped_early) fields["stopped_early"] = true;
  if (decision.guarded) fields["redline_guard"] = true;
  if (decision.over_redline) fields["over_redline"] = true;
  fields["elapsed_us"] = std::round(decided.elapsed_us * 10) / 10;
  log.Write(level, "decision", fields);
}

const char* WordFor(EventKind kind) {
  switch (kind) {
    case EventKind::kCommit:
      return "commit";
    case EventKind::kRelease:
      return "release";
    case EventKind::kResize:
      return "resize";
    case EventKind::kSuspend:
      return "suspend";
  }
  return "";
}

void WriteLine(const Machine& machine, const ClusterEvent& cluster_event,
               const JobEvent& event, EventLog& log) {
  const auto level =
      event.disputed > 0 ? spdlog::level::warn : spdlog::level::info;
  if (!log.Writes(level)) return;
  Fields fields{{"cluster", cluster_event.cluster}};
  AddJob(event.job, fields);
  if (!cluster_event.jobs.empty() &&
      cluster_event.jobs.front().holding != nullptr) {
    const Holding& holding = *cluster_event.jobs.front().holding;
    fields["nodes"] = machine.FormatNodes(holding.nodes);
    fields["state"] = StateOf(holding);
    if (!holding.decision_id.empty()) fields["decision"] = holding.decision_id;
  }
  if (event.kind == EventKind::kCommit) {
    fields["as_decided"] = event.as_decided;
  }
  if (event.start.has_value()) {
    fields["verdict"] = event.start->verdict();
    if (!event.start->reason().empty()) {
      fields["reason"] = event.start->reason();
    }
  }
  for (const Outcome& outcome : cluster_event.outcomes) {
    fields["decision"] = outcome.decision_id;
    fields["outcome"] = outcome.word;
  }
  if (event.disputed > 0) fields["disputed_jobs"] = event.disputed;
  log.Write(level, WordFor(event.kind), fields);
}

void WriteLine(const Machine&, const ClusterEvent& cluster_event,
               const Expired& expired, EventLog& log) {
  Fields fields{{"cluster", cluster_event.cluster}};
  AddJob(expired.job, fields);
  for (const Outcome& outcome : cluster_event.outcomes) {
    fields["decision"] = outcome.decision_id;
  }
  log.Write(spdlog::level::info, "expire", fields);
}

void WriteLine(const Machine&, const ClusterEvent& cluster_event,
               const Synced& synced, EventLog& log) {
  log.Write(spdlog::level::info, "sync",
            {{"cluster", cluster_event.cluster},
             {"epoch", synced.table->epoch()},
             {"nodes", synced.table->size()},
             {"unknown_nodes", synced.table->unknown_count()},
             {"unavailable_nodes", synced.unavailable.Count()},
             {"holdings", cluster_event.jobs.size()},
             {"disagreed", synced.disagreed}});
}

void WriteLine(const Machine& machine, const ClusterEvent& cluster_event,
               const AvailabilityChanged& changed, EventLog& log) {
  log.Write(
      spdlog::level::info, "availability",
      {{"cluster", cluster_event.cluster},
       {"unavailable", machine.FormatNodes(changed.unavailable.Members())},
       {"unavailable_nodes", changed.unavailable.Count()}});
}

void WriteLine(const Machine&, const ClusterEvent& cluster_event,
               const ModeSet& set, EventLog& log) {
  log.Write(spdlog::level::info, "mode",
            {{"cluster", cluster_event.cluster},
             {"mode", set.mode.has_value() ? NameOf(*set.mode) : "default"}});
}

void WriteLine(const Machine&, const ClusterEvent& cluster_event,
               const Removed& removed, EventLog& log) {
  log.Write(spdlog::level::warn, "remove",
            {{"cluster", cluster_event.cluster}, {"why", removed.why}});
}

}  // namespace

void WriteLogLine(const Machine& machine, const ClusterEvent& cluster_event,
                  EventLog& log) {
  std::visit(
      [&](const auto& what) { WriteLine(machine, cluster_event, what, log); },
      cluster_event.what);
}

}  // namespace coolspan
