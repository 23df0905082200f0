// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "core/hostlist.h"
#include "service/codec/wire.h"

namespace coolspan {
namespace {

std::string FactText(const Trace::Value& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

struct NodeUnits {
  std::vector<NodeId> nodes;  // ascending
  std::vector<Units> units;   // as nodes, or empty
};

// Nodes and units of a stored hostlist; units: empty, or one number per name.
// Omits names that are not in the machine, and duplicates. nullopt: not a
// hostlist, another number of units, or units of 0.
std::optional<NodeUnits> ReadNodes(const Machine& machine,
                                   const std::string& hostlist,
                                   std::span<const Units> units) {
  if (hostlist.empty() && units.empty()) return NodeUnits{};
  const auto names = ExpandHostlist(hostlist);
  if (!names.ok()) return std::nullopt;
  if (!units.empty() && units.size() != names->size()) return std::nullopt;
  std::vector<std::pair<NodeId, Units>> parts;
  for (std::size_t i = 0; i < names->size(); ++i) {
    const std::optional<NodeId> node = machine.FindNode((*names)[i]);
    if (!node.has_value()) continue;
    parts.emplace_back(*node, units.empty() ? 1 : units[i]);
    if (parts.back().second == 0) return std::nullopt;
  }
  std::sort(parts.begin(), parts.end());
  NodeUnits read;
  for (const auto& [node, node_units] : parts) {
    if (!read.nodes.empty() && read.nodes.back() == node) continue;
    read.nodes.push_back(node);
    if (!units.empty()) read.units.push_back(node_units);
  }
  return read;
}

const char* FirstOutcome(const Decision& decision) {
  return decision.placed ? "tentative" : "not placed";
}

StoredDecision ToStored(const Decided& decided, TimeMs recorded_ms) {
  const Decision& decision = *decided.decision;
  StoredDecision stored;
  stored.id = decision.id;
  stored.job = decision.job;
  stored.attempt = decision.attempt;
  stored.decided_ms = decision.decided_ms;
  stored.recorded_ms = recorded_ms;
  stored.placed = decision.placed;
  stored.nodes = decided.hostlist;
  stored.policy = decision.policy;
  stored.ordering = decided.ordering;
  stored.rule = decided.rule;
  stored.mode = NameOf(decided.mode);
  stored.why = decided.why;
  // The last fact with a name applies.
  std::map<std::string, std::string> facts;
  for (const Trace::Fact& fact : decided.trace.facts()) {
    facts[std::string(fact.name)] = FactText(fact.value);
  }
  stored.facts.assign(facts.begin(), facts.end());
  stored.stopped_early = decision.stopped_early;
  stored.elapsed_us = decided.elapsed_us;
  stored.available = decision.available;
  stored.outcome = FirstOutcome(decision);
  return stored;
}

// The job of an event of one job.
const JobAfter* OnlyJob(const ClusterEvent& cluster_event) {
  return cluster_event.jobs.empty() ? nullptr : &cluster_event.jobs.front();
}

// The job's holding after a Sync; nullptr: none.
const Holding* HoldingAfter(const ClusterEvent& sync, std::uint32_t job_id) {
  const auto at = std::lower_bound(
      sync.jobs.begin(), sync.jobs.end(), job_id,
      [](const JobAfter& job, std::uint32_t id) { return job.job_id < id; });
  return at != sync.jobs.end() && at->job_id == job_id ? at->holding.get()
                                                       : nullptr;
}

// holding: of the job after the event; nullptr: none.
StoredStart ToStored(const Machine& machine, const JobEvent& event,
                     const Holding* holding, TimeMs recorded_ms) {
  const v1::JobStart& start = *event.start;
  StoredStart stored;
  stored.job = event.job;
  stored.started_ms = start.started_s() > 0 ? start.started_s() * kMsPerSecond
                                            : event.started_ms;
  stored.submitted_s = start.submitted_s();
  stored.time_limit_s = start.time_limit_s();
  stored.recorded_ms = recorded_ms;
  if (holding != nullptr && holding->job == event.job) {
    stored.nodes = machine.FormatNodes(holding->nodes);
  }
  stored.verdict = start.verdict();
  stored.reason = start.reason();
  stored.decision_id = start.decision_id();
  if (start.array_job_id() != 0) {
    stored.array_task = {start.array_job_id(), start.array_task_id()};
  }
  if (start.het_job_id() != 0) {
    stored.het_component = {start.het_job_id(), start.het_job_offset()};
  }
  stored.advice = event.cost;
  return stored;
}

v1::ChoiceCost EncodeCost(const ChoiceCost& cost) {
  v1::ChoiceCost message;
  message.set_pairwise_total(cost.pairwise_total);
  message.set_pairwise_mean(cost.pairwise_mean());
  if (cost.cooling_w.has_value()) message.set_cooling_w(*cost.cooling_w);
  return message;
}

// The fields that new and stored decisions have in common. What is a Decision
// within a Decided when new is one StoredDecision when stored.
template <typename AnyDecision, typename AnyDecided>
v1::DecisionRecord StartRecord(const std::string& cluster,
                               const AnyDecision& decision,
                               const AnyDecided& decided) {
  v1::DecisionRecord record;
  record.set_id(decision.id);
  record.set_cluster(cluster);
  *record.mutable_job() = EncodeJob(decision.job);
  record.set_attempt(decision.attempt);
  record.set_decided_ms(decision.decided_ms);
  record.set_placed(decision.placed);
  record.set_policy(decision.policy);
  record.set_ordering(decided.ordering);
  record.set_rule(decided.rule);
  record.set_why(decided.why);
  record.set_stopped_early(decision.stopped_early);
  record.set_elapsed_us(decided.elapsed_us);
  record.set_available(decision.available);
  return record;
}

// The members that Holding and StoredHolding have in common. Nodes are ids in
// the one, hostlists in the other.
template <typename From, typename To>
void CopyHolding(const From& from, To& to) {
  to.job = from.job;
  to.attempt = from.attempt;
  to.committed = from.committed;
  to.whole = from.whole;
  to.suspended = from.suspended;
  to.disputed = from.disputed;
  to.expires_ms = from.expires_ms;
  to.decision_id = from.decision_id;
  to.communication_share = from.communication_share;
  to.expected_end_ms = from.expected_end_ms;
}

StoredCluster MakeStoredCluster(const Machine& machine,
                                const LedgerEvent& event,
                                const LedgerEvent::Roster& synced) {
  StoredCluster cluster;
  cluster.name = event.cluster;
  cluster.node_table = synced.table->text();
  for (std::size_t bit = 0; bit < synced.table->size(); ++bit) {
    const NodeId node = synced.table->NodeAt(bit);
    cluster.capacity.push_back(
        node == NodeTable::kUnknown ? 0 : (*synced.capacity)[node]);
  }
  cluster.last_sync_ms = synced.at_ms;
  for (const QueueMark& mark : synced.queues.Marks()) {
    cluster.queues.push_back({mark.client_id, mark.sequence, mark.closed});
  }
  for (const JobAfter& job : event.jobs) {
    if (job.holding != nullptr) {
      cluster.holdings.push_back(ToStored(machine, *job.holding));
    }
  }
  return cluster;
}

void FillJobEvent(const Machine& machine, const ClusterEvent& cluster_event,
                  const JobEvent& event, v1::Happening& out) {
  const JobAfter* const job = OnlyJob(cluster_event);
  if (event.kind == EventKind::kRelease || job == nullptr ||
      job->holding == nullptr) {
    *out.mutable_released() = EncodeJob(event.job);
    return;
  }
  v1::JobRecord record = MakeJobRecord(machine, *job->holding);
  if (event.start.has_value()) *record.mutable_start() = *event.start;
  if (event.kind == EventKind::kCommit) {
    *out.mutable_committed() = std::move(record);
  } else if (event.kind == EventKind::kResize) {
    *out.mutable_resized() = std::move(record);
  } else {
    *out.mutable_suspended() = std::move(record);
  }
}

}  // namespace

const char* StateOf(const Holding& holding) {
  if (!holding.committed) return "tentative";
  // A suspended job holds nothing, even if it is disputed.
  if (holding.suspended) return "suspended";
  return holding.disputed ? "disputed" : "committed";
}

v1::JobRecord MakeJobRecord(const Machine& machine, const Holding& holding) {
  v1::JobRecord record;
  *record.mutable_job() = EncodeJob(holding.job);
  record.set_attempt(holding.attempt);
  record.set_state(StateOf(holding));
  record.set_hostlist(machine.FormatNodes(holding.nodes));
  record.mutable_node_ids()->Add(holding.nodes.begin(), holding.nodes.end());
  record.mutable_units()->Add(holding.units.begin(), holding.units.end());
  record.set_whole(holding.whole);
  record.set_contested_hostlist(machine.FormatNodes(holding.contested));
  record.set_decision_id(holding.decision_id);
  record.set_expected_end_ms(holding.expected_end_ms);
  if (holding.communication_share.has_value()) {
    record.set_communication_share(*holding.communication_share);
  }
  return record;
}

v1::DecisionRecord MakeDecisionRecord(const std::string& cluster,
                                      const Decided& decided) {
  const Decision& decision = *decided.decision;
  const std::vector<NodeId>& nodes = decision.allocation.nodes;
  v1::DecisionRecord record = StartRecord(cluster, decision, decided);
  record.set_hostlist(decided.hostlist);
  record.mutable_node_ids()->Add(nodes.begin(), nodes.end());
  for (const Trace::Fact& fact : decided.trace.facts()) {
    (*record.mutable_facts())[std::string(fact.name)] = FactText(fact.value);
  }
  record.set_outcome(FirstOutcome(decision));
  record.set_mode(std::string(NameOf(decided.mode)));
  return record;
}

v1::DecisionRecord FromStored(const std::string& cluster,
                              const StoredDecision& decision) {
  v1::DecisionRecord record = StartRecord(cluster, decision, decision);
  record.set_hostlist(decision.nodes);
  for (const auto& [name, value] : decision.facts) {
    (*record.mutable_facts())[name] = value;
  }
  record.set_outcome(decision.outcome);
  record.set_committed_hostlist(decision.committed_nodes);
  record.set_mode(decision.mode);
  return record;
}

v1::StartRecord FromStored(const std::string& cluster,
                           const StoredStart& start) {
  v1::StartRecord record;
  record.set_cluster(cluster);
  *record.mutable_job() = EncodeJob(start.job);
  record.set_started_ms(start.started_ms);
  record.set_hostlist(start.nodes);
  v1::JobStart& how = *record.mutable_start();
  how.set_verdict(start.verdict);
  how.set_reason(start.reason);
  how.set_decision_id(start.decision_id);
  how.set_submitted_s(start.submitted_s);
  how.set_time_limit_s(start.time_limit_s);
  record.set_ended_ms(start.ended_ms);
  if (start.array_task.has_value()) {
    how.set_array_job_id(start.array_task->of_job);
    how.set_array_task_id(start.array_task->number);
  }
  if (start.het_component.has_value()) {
    how.set_het_job_id(start.het_component->of_job);
    how.set_het_job_offset(start.het_component->number);
  }
  if (start.advice.has_value()) {
    v1::AdviceCost& advice = *record.mutable_advice();
    *advice.mutable_decided() = EncodeCost(start.advice->decided);
    *advice.mutable_actual() = EncodeCost(start.advice->actual);
    advice.set_nodes(start.advice->decided.nodes);
    advice.set_actual_nodes(start.advice->actual.nodes);
  }
  return record;
}

StoredHolding ToStored(const Machine& machine, const Holding& holding) {
  StoredHolding stored;
  CopyHolding(holding, stored);
  stored.nodes = machine.FormatNodes(holding.nodes);
  stored.units = holding.units;
  stored.contested = machine.FormatNodes(holding.contested);
  return stored;
}

absl::StatusOr<std::optional<Holding>> FromStored(const Machine& machine,
                                                  const StoredHolding& stored) {
  auto held = ReadNodes(machine, stored.nodes, stored.units);
  auto contested = ReadNodes(machine, stored.contested, {});
  const bool has_units = !stored.units.empty() || stored.nodes.empty();
  if (!held.has_value() || !contested.has_value() ||
      (stored.whole ? !stored.units.empty() : !has_units)) {
    return absl::DataLossError(
        fmt::format("job {}: the stored nodes and units are inconsistent",
                    stored.job.job_id));
  }
  Holding holding;
  CopyHolding(stored, holding);
  holding.nodes = std::move(held->nodes);
  holding.units = std::move(held->units);
  holding.contested = std::move(contested->nodes);
  if (holding.nodes.empty() && holding.contested.empty()) return std::nullopt;
  return std::optional<Holding>(std::move(holding));
}

std::vector<std::string> UnknownNodesOf(const Machine& machine,
                                        const StoredHolding& stored) {
  std::vector<std::string> unknown;
  for (const std::string* const hostlist : {&stored.nodes, &stored.contested}) {
    if (hostlist->empty()) continue;
    auto names = ExpandHostlist(*hostlist);
    if (!names.ok()) continue;
    for (std::string& name : *names) {
      if (!machine.FindNode(name).has_value()) {
        unknown.push_back(std::move(name));
      }
    }
  }
  return unknown;
}

std::optional<RecentStart> RecentStartOf(const Machine& machine,
                                         const StoredStart& start) {
  const auto on = ReadNodes(machine, start.nodes, {});
  if (!on.has_value() || on->nodes.empty()) return std::nullopt;
  const std::int64_t limit_s =
      std::clamp<std::int64_t>(start.time_limit_s, 0, kLatestMs / kMsPerSecond);
  return RecentStart{start.started_ms, static_cast<NodeCount>(on->nodes.size()),
                     limit_s * kMsPerSecond};
}

v1::Happening MakeHappening(const Machine& machine,
                            const ClusterEvent& cluster_event) {
  v1::Happening out;
  out.set_cluster(cluster_event.cluster);
  out.set_at_ms(cluster_event.at_ms);
  if (const auto* decided = std::get_if<Decided>(&cluster_event.what)) {
    *out.mutable_decision() =
        MakeDecisionRecord(cluster_event.cluster, *decided);
  } else if (const auto* event = std::get_if<JobEvent>(&cluster_event.what)) {
    FillJobEvent(machine, cluster_event, *event, out);
  } else if (const auto* expired = std::get_if<Expired>(&cluster_event.what)) {
    *out.mutable_expired() = EncodeJob(expired->job);
  } else if (const auto* synced = std::get_if<Synced>(&cluster_event.what)) {
    out.set_synced_epoch(synced->table->epoch());
  } else if (const auto* set = std::get_if<ModeSet>(&cluster_event.what)) {
    out.set_mode(std::string(TextOf(set->mode)));
  } else if (const auto* removed = std::get_if<Removed>(&cluster_event.what)) {
    out.set_removed(removed->why);
  } else if (const auto* changed =
                 std::get_if<AvailabilityChanged>(&cluster_event.what)) {
    out.set_unavailable_hostlist(
        machine.FormatNodes(changed->unavailable.Members()));
  }
  return out;
}

LedgerEvent LedgerPartOf(const ClusterEvent& cluster_event) {
  LedgerEvent event;
  event.cluster = cluster_event.cluster;
  event.tenure = cluster_event.tenure;
  event.jobs = cluster_event.jobs;
  event.queue = cluster_event.queue;
  if (const auto* synced = std::get_if<Synced>(&cluster_event.what)) {
    event.synced = {synced->table, synced->capacity, synced->queues,
                    cluster_event.at_ms};
  } else if (const auto* set = std::get_if<ModeSet>(&cluster_event.what)) {
    event.mode = *set;
  }
  event.is_removed = std::holds_alternative<Removed>(cluster_event.what);
  return event;
}

LedgerChange MakeLedgerChange(const Machine& machine,
                              const LedgerEvent& event) {
  LedgerChange change;
  change.cluster = event.cluster;
  change.is_removed = event.is_removed;
  change.heard_ms = event.heard_ms;
  change.is_incomplete = event.is_incomplete;
  if (event.synced.has_value()) {
    change.synced = MakeStoredCluster(machine, event, *event.synced);
  } else {
    for (const JobAfter& job : event.jobs) {
      if (job.holding != nullptr) {
        change.held.push_back(ToStored(machine, *job.holding));
      } else {
        change.gone.push_back(job.job_id);
      }
    }
  }
  if (event.queue.has_value()) {
    change.queue = {event.queue->client_id, event.queue->sequence, false};
  }
  if (event.mode.has_value()) {
    change.mode = std::string(TextOf(event.mode->mode));
  }
  return change;
}

ArchiveChange MakeArchiveChange(const Machine& machine,
                                const ClusterEvent& cluster_event,
                                TimeMs recorded_ms) {
  ArchiveChange change;
  change.cluster = cluster_event.cluster;
  change.is_removed = std::holds_alternative<Removed>(cluster_event.what);
  if (const auto* synced = std::get_if<Synced>(&cluster_event.what)) {
    for (const JobEvent& start : synced->starts) {
      change.starts.push_back(
          ToStored(machine, start,
                   HoldingAfter(cluster_event, start.job.job_id), recorded_ms));
    }
  }
  if (const auto* decided = std::get_if<Decided>(&cluster_event.what)) {
    change.decisions.push_back(ToStored(*decided, recorded_ms));
  }
  if (const auto* event = std::get_if<JobEvent>(&cluster_event.what);
      event != nullptr && event->start.has_value()) {
    const JobAfter* const job = OnlyJob(cluster_event);
    change.starts.push_back(
        ToStored(machine, *event, job == nullptr ? nullptr : job->holding.get(),
                 recorded_ms));
  }
  if (const auto* event = std::get_if<JobEvent>(&cluster_event.what);
      event != nullptr && event->kind == EventKind::kRelease) {
    change.ends.push_back({event->job, cluster_event.at_ms});
  }
  for (const Outcome& outcome : cluster_event.outcomes) {
    change.outcomes.push_back({outcome.decision_id, outcome.word,
                               machine.FormatNodes(outcome.committed)});
  }
  return change;
}

}  // namespace coolspan
