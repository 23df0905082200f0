// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/reports.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <utility>
#include <vector>

#include "locality/locality.h"
#include "service/journal/records.h"

namespace coolspan {
namespace {

constexpr std::size_t kMaxDecisions = 100;

// Resident set size: the second number of /proc/self/statm, in pages (proc(5)).
std::uint64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
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

Reports::Reports(const DaemonSetup& setup, const LiveClusters& clusters,
                 ThermalMonitor* monitor, Store& store, Journal& journal,
                 const DecisionTimes& times, Started started)
    : machine_(setup.machine),
      machine_fingerprint_(setup.machine->Fingerprint()),
      ordering_(setup.ordering),
      node_names_(AllNodes(*setup.machine)),
      policy_(setup.policy->name()),
      clusters_(clusters),
      monitor_(monitor),
      store_(store),
      journal_(journal),
      times_(times),
      started_(std::move(started)) {}

v1::StatusReply Reports::Status(std::uint32_t sessions) const {
  v1::StatusReply reply;
  reply.set_version(started_.version);
  reply.set_machine(machine_->name());
  reply.set_policy(policy_);
  reply.set_ordering(ordering_->name());
  reply.set_started_ms(started_.at_ms);
  const DecisionTimes::Summary times = times_.Summarise();
  reply.set_decisions(times.decisions);
  reply.set_placed(times.placed);
  reply.set_decision_us_p50(times.us_p50);
  reply.set_decision_us_p99(times.us_p99);
  reply.set_decision_us_max(times.us_max);
  for (const auto& cluster : clusters_.All()) {
    *reply.add_clusters() = cluster->Status();
  }
  if (monitor_ != nullptr) *reply.mutable_room() = monitor_->Status();
  reply.set_sessions(sessions);
  reply.set_resident_bytes(ResidentBytes());
  reply.add_node_names(node_names_);
  const Grid* const grid = machine_->topology().grid();
  if (grid != nullptr) FillGrid(*grid, *reply.mutable_grid());
  reply.set_machine_fingerprint(machine_fingerprint_);
  return reply;
}

absl::StatusOr<v1::JobsReply> Reports::Jobs(
    const v1::JobsRequest& request) const {
  v1::JobsReply reply;
  reply.set_machine_nodes(machine_->node_count());
  if (request.cluster().empty() && clusters_.All().empty()) return reply;
  auto cluster = clusters_.FindNamed(request.cluster());
  if (!cluster.ok()) return cluster.status();
  for (const auto& holding : (*cluster)->Holdings()) {
    *reply.add_jobs() = MakeJobRecord(*machine_, *holding);
  }
  return reply;
}

absl::StatusOr<v1::ExplainReply> Reports::Explain(
    const v1::ExplainRequest& request) const {
  if (request.cluster().empty() && clusters_.All().empty()) {
    return absl::NotFoundError(
        fmt::format("no decision about job {} is stored: no cluster has "
                    "connected yet",
                    request.job_id()));
  }
  auto cluster = clusters_.FindNamed(request.cluster());
  if (!cluster.ok()) return cluster.status();
  // Includes the latest decisions.
  if (absl::Status status = journal_.Wait(journal_.last()); !status.ok()) {
    return status;
  }
  auto decisions =
      store_.DecisionsOf((*cluster)->name(), request.job_id(), kMaxDecisions);
  if (!decisions.ok()) return decisions.status();
  if (decisions->empty()) {
    return absl::NotFoundError(
        fmt::format("no decision about job {} is stored", request.job_id()));
  }
  std::set<std::string> held;
  for (const auto& holding : (*cluster)->Holdings()) {
    held.insert(holding->decision_id);
  }
  LocalityMeter meter(machine_->topology(), *ordering_);
  v1::ExplainReply reply;
  for (const StoredDecision& decision : *decisions) {
    v1::DecisionRecord& record = *reply.add_decisions();
    record = FromStored((*cluster)->name(), decision);
    // Expired while the daemon was down, or dropped by a conflicting holding.
    if (decision.outcome == "tentative" && held.count(decision.id) == 0) {
      record.set_outcome("expired");
    }
    Measure(record, meter);
  }
  return reply;
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
