// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/reports.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "locality/locality.h"
#include "replies/job_name.h"
#include "service/codec/wire.h"
#include "service/journal/records.h"
#include "service/metrics/process_metrics.h"
#include "state/sqlite_file.h"

namespace coolspan {
namespace {

constexpr std::size_t kMaxDecisions = 100;
// A job that is requeued starts again.
constexpr std::size_t kMaxStarts = 20;
// Hostlists of thousands of nodes fit in a message.
constexpr std::size_t kHistoryPage = 500;
// Jobs between two pauses.
constexpr int kPortion = 50;

StartQuery QueryOf(const v1::ExplainRequest& request) {
  if (request.has_array_task_id()) {
    return {StartQuery::By::kArrayTask, request.job_id(),
            request.array_task_id()};
  }
  if (request.has_het_job_offset()) {
    return {StartQuery::By::kHetComponent, request.job_id(),
            request.het_job_offset()};
  }
  return {StartQuery::By::kJob, request.job_id()};
}

void FillGrid(const Grid& grid, v1::Grid& out) {
  out.mutable_dims()->Add(grid.dims.begin(), grid.dims.end());
  out.mutable_wrap()->Add(grid.wrap.begin(), grid.wrap.end());
  out.set_nodes_per_vertex(grid.nodes_per_vertex);
  out.mutable_holes()->Add(grid.holes.begin(), grid.holes.end());
  for (const auto& [vertex, nodes] : grid.short_vertices) {
    v1::Grid::ShortVertex& sent = *out.add_short_vertices();
    sent.set_vertex(vertex);
    sent.set_nodes(nodes);
  }
}

std::string AllNodes(const Machine& machine) {
  return machine.FormatNodes(NodeSet::All(machine.node_count()).Members());
}

}  // namespace

Reports::Reports(const DaemonSetup& setup, const CurrentConfig& config,
                 const LiveClusters& clusters, ThermalMonitor* monitor,
                 DecisionArchive& archive, Journal& journal,
                 const DecisionTimes& times, Started started)
    : machine_(setup.machine),
      machine_fingerprint_(setup.machine->Fingerprint()),
      node_names_(AllNodes(*setup.machine)),
      config_(config),
      ledger_path_(
          setup.file.etcd.is_used()
              ? fmt::format("etcd {}",
                            fmt::join(setup.file.etcd.endpoints.value, ","))
              : setup.file.sqlite.value),
      archive_path_(setup.file.archive.value),
      clusters_(clusters),
      monitor_(monitor),
      archive_(archive),
      journal_(journal),
      times_(times),
      started_(std::move(started)) {}

v1::StatusReply Reports::Status(std::uint32_t sessions) const {
  v1::StatusReply reply;
  reply.set_version(started_.version);
  reply.set_machine(machine_->name());
  const CurrentConfig::Ptr config = config_.Get();
  reply.set_policy(std::string(config->default_policy->spec()));
  reply.set_ordering(config->default_ordering->name());
  reply.set_started_ms(started_.at_ms);
  const DecisionTimes::Summary times = times_.Summarise();
  reply.set_decisions(times.decisions);
  reply.set_placed(times.placed);
  reply.set_decision_us_p50(times.us_p50);
  reply.set_decision_us_p99(times.us_p99);
  reply.set_decision_us_max(times.us_max);
  for (auto& [cluster, leader] : clusters_.AllShown()) {
    v1::ClusterStatus& status = *reply.add_clusters();
    status = cluster->Status();
    *status.mutable_starts() = journal_.starts().Of(cluster->name());
    if (leader.has_value()) status.set_leader(*std::move(leader));
  }
  if (monitor_ != nullptr) *reply.mutable_room() = monitor_->Status();
  *reply.mutable_state() = StateOfFiles();
  reply.set_sessions(sessions);
  reply.set_resident_bytes(ResidentBytes());
  reply.add_node_names(node_names_);
  const Grid* const grid = machine_->topology().grid();
  if (grid != nullptr) FillGrid(*grid, *reply.mutable_grid());
  reply.set_machine_fingerprint(machine_fingerprint_);
  return reply;
}

v1::StateStatus Reports::StateOfFiles() const {
  v1::StateStatus state;
  state.set_ledger(ledger_path_);
  state.set_ledger_bytes(BytesOnDisk(ledger_path_));
  const ArchiveCondition archive = archive_.Condition();
  state.set_archive(archive_path_);
  state.set_archive_bytes(archive.bytes);
  state.set_archive_max_bytes(archive.max_bytes);
  state.set_archive_dropped(journal_.dropped());
  for (const std::string& warning : *started_.warnings) {
    state.add_warnings(warning);
  }
  if (const absl::Status store = clusters_.StoreStatus(); !store.ok()) {
    state.add_warnings(
        fmt::format("{}; no decisions meanwhile: Slurm places jobs by itself",
                    std::string(store.message())));
  }
  for (std::string& warning : clusters_.LeadershipWarnings()) {
    state.add_warnings(std::move(warning));
  }
  for (const auto& shown : clusters_.AllShown()) {
    if (std::string warning = shown.cluster->warning(); !warning.empty())
      state.add_warnings(std::move(warning));
  }
  for (const std::string& name : archive.set_aside) {
    state.add_warnings(
        fmt::format("{}: was corrupt and is replaced by an empty file; it was "
                    "renamed to {}",
                    archive_path_, name));
  }
  return state;
}

absl::StatusOr<bool> Reports::HasNoCluster(const std::string& asked) const {
  if (!asked.empty() || !clusters_.AllShown().empty()) return false;
  if (absl::Status status = clusters_.StoreStatus(); !status.ok()) {
    return status;
  }
  return true;
}

absl::StatusOr<v1::JobsReply> Reports::Jobs(const v1::JobsRequest& request,
                                            const Pause& pause) const {
  v1::JobsReply reply;
  reply.set_machine_nodes(machine_->node_count());
  const auto is_empty = HasNoCluster(request.cluster());
  if (!is_empty.ok()) return is_empty.status();
  if (*is_empty) return reply;
  auto cluster = clusters_.FindShown(request.cluster());
  if (!cluster.ok()) return cluster.status();
  const std::vector<NodeId> unavailable = (*cluster)->unavailable().Members();
  reply.mutable_unavailable_ids()->Add(unavailable.begin(), unavailable.end());
  reply.set_unavailable_hostlist(machine_->FormatNodes(unavailable));
  const auto holdings = (*cluster)->Holdings();
  std::vector<JobKey> runs;
  for (const auto& holding : holdings) {
    if (holding->committed) runs.push_back(holding->job);
  }
  std::map<std::uint32_t, v1::StartRecord> starts;
  // The holdings are known without the archive.
  if (auto stored = archive_.LatestStarts((*cluster)->name(), runs);
      stored.ok()) {
    for (const StoredStart& start : *stored) {
      starts[start.job.job_id] = FromStored((*cluster)->name(), start);
    }
  }
  for (const auto& holding : holdings) {
    if (reply.jobs_size() % kPortion == 0) {
      if (absl::Status status = pause(); !status.ok()) return status;
    }
    v1::JobRecord& record = *reply.add_jobs();
    record = MakeJobRecord(*machine_, *holding);
    const auto start = starts.find(holding->job.job_id);
    if (start != starts.end() && holding->committed) {
      *record.mutable_start() = start->second.start();
    }
  }
  return reply;
}

absl::StatusOr<v1::ExplainReply> Reports::Explain(
    const v1::ExplainRequest& request, const Pause& pause) const {
  const auto is_empty = HasNoCluster(request.cluster());
  if (!is_empty.ok()) return is_empty.status();
  if (*is_empty) {
    return absl::NotFoundError(
        fmt::format("no decision about job {} is stored: no cluster has "
                    "connected yet",
                    JobName(request)));
  }
  auto cluster = clusters_.FindShown(request.cluster());
  if (!cluster.ok()) return cluster.status();
  // Includes the latest decisions.
  if (absl::Status status = journal_.Wait(journal_.last()); !status.ok()) {
    return status;
  }
  auto starts =
      archive_.StartsOf((*cluster)->name(), QueryOf(request), kMaxStarts);
  if (!starts.ok()) return starts.status();
  v1::ExplainReply reply;
  std::set<std::uint32_t> job_ids;
  if (QueryOf(request).by == StartQuery::By::kJob) {
    job_ids.insert(request.job_id());
  }
  for (const StoredStart& start : *starts) {
    *reply.add_starts() = FromStored((*cluster)->name(), start);
    job_ids.insert(start.job.job_id);
  }
  for (const std::uint32_t job_id : job_ids) {
    absl::Status status = AddDecisions(**cluster, job_id, pause, reply);
    if (!status.ok()) return status;
  }
  if (reply.starts().empty() && reply.decisions().empty()) {
    const std::string leader = clusters_.LeaderOf((*cluster)->name());
    return absl::NotFoundError(fmt::format(
        "no decision about job {} and no start of it is stored{}",
        JobName(request),
        leader.empty() ? ""
                       : fmt::format(" here; ask its leader, {}", leader)));
  }
  return reply;
}

absl::StatusOr<v1::HistoryReply> Reports::History(
    const v1::HistoryRequest& request, const Pause& pause) const {
  v1::HistoryReply reply;
  const auto is_empty = HasNoCluster(request.cluster());
  if (!is_empty.ok()) return is_empty.status();
  if (*is_empty) return reply;
  auto cluster = clusters_.FindShown(request.cluster());
  if (!cluster.ok()) return cluster.status();
  // Includes the latest events.
  if (absl::Status status = journal_.Wait(journal_.last()); !status.ok()) {
    return status;
  }
  if (request.after() == 0) {
    for (const auto& holding : (*cluster)->Holdings()) {
      if (holding->committed) *reply.add_running() = EncodeJob(holding->job);
    }
  }
  const auto history = archive_.History((*cluster)->name(),
                                        {.since_ms = request.since_ms(),
                                         .until_ms = request.until_ms(),
                                         .after = request.after()},
                                        kHistoryPage);
  if (!history.ok()) return history.status();
  for (const StoredStart& start : history->starts) {
    if (reply.starts_size() % kPortion == 0) {
      if (absl::Status status = pause(); !status.ok()) return status;
    }
    *reply.add_starts() = FromStored((*cluster)->name(), start);
  }
  reply.set_next(history->next);
  return reply;
}

absl::Status Reports::AddDecisions(const LiveCluster& cluster,
                                   std::uint32_t job_id, const Pause& pause,
                                   v1::ExplainReply& reply) const {
  auto decisions = archive_.DecisionsOf(cluster.name(), job_id, kMaxDecisions);
  if (!decisions.ok()) return decisions.status();
  std::set<std::string> held;
  for (const auto& holding : cluster.Holdings()) {
    held.insert(holding->decision_id);
  }
  const CurrentConfig::Ptr config = config_.Get();
  LocalityMeter meter(machine_->topology(), *config->default_ordering);
  for (const StoredDecision& decision : *decisions) {
    if (absl::Status status = pause(); !status.ok()) return status;
    v1::DecisionRecord& record = *reply.add_decisions();
    record = FromStored(cluster.name(), decision);
    // Expired while the daemon was down, or dropped by a conflicting holding.
    if (decision.outcome == "tentative" && held.count(decision.id) == 0) {
      record.set_outcome("expired");
    }
    Measure(record, meter);
  }
  return absl::OkStatus();
}

void Reports::Measure(v1::DecisionRecord& record, LocalityMeter& meter) const {
  if (record.hostlist().empty()) return;
  // Names of an earlier machine file cannot be measured.
  const auto nodes = machine_->ParseNodes(record.hostlist());
  if (!nodes.ok()) return;
  const std::vector<NodeId> members = nodes->Members();
  record.mutable_node_ids()->Add(members.begin(), members.end());
  VisitMetrics(meter.Measure(members),
               [&record](std::string_view key, std::optional<double> value) {
                 if (!value.has_value()) return;
                 (*record.mutable_metrics())[std::string(key)] = *value;
               });
}

}  // namespace coolspan
