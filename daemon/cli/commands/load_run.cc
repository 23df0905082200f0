// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/load_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

#include "cli/commands/load_book.h"
#include "cli/commands/load_cycles.h"
#include "client/async_calls.h"
#include "client/calls.h"

namespace coolspan {
namespace {

// Long: a slow answer is to be measured, not to count as a failure.
constexpr std::chrono::seconds kTimeout{30};
// Without a call for so long, an earlier load test has ended.
constexpr std::int64_t kIdleMs = 2000;
// A daemon that is not the leader shows the ledger of a little earlier.
constexpr std::chrono::milliseconds kFollowerAge{1200};
constexpr int kLedgerReads = 3;

std::uint64_t SumOf(const std::map<std::string, std::uint64_t>& counts) {
  return std::accumulate(
      counts.begin(), counts.end(), std::uint64_t{0},
      [](std::uint64_t sum, const auto& count) { return sum + count.second; });
}

v1::SyncRequest EmptyCluster(const LoadPlan& plan, const std::string& cluster) {
  v1::SyncRequest sync;
  sync.set_cluster(cluster);
  sync.set_client_id(cluster);
  sync.set_now_ms(std::chrono::duration_cast<std::chrono::milliseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count());
  const NodeCount nodes = plan.machine->node_count();
  for (NodeId node = 0; node < nodes; ++node) {
    sync.add_hostlist(plan.machine->NodeName(node));
  }
  v1::UnitsRun& run = *sync.add_capacity();
  run.set_nodes(nodes);
  run.set_units(plan.shared ? LoadCycles::kUnitsOfSharedNode : 1);
  return sync;
}

// With several daemons, a call to one that hangs is soon made at another.
std::chrono::milliseconds CallTimeout(const LoadPlan& plan) {
  constexpr std::chrono::milliseconds kWithOthers{1000};
  const bool has_others = plan.daemon.endpoints.find(',') != std::string::npos;
  return has_others ? kWithOthers : kTimeout;
}

absl::StatusOr<v1::JobsReply> LedgerOf(Calls& calls,
                                       const std::string& cluster) {
  v1::JobsRequest request;
  request.set_cluster(cluster);
  return calls.Jobs(request);
}

// Number of jobs of which the daemon's list differs from the answers.
std::uint64_t Differences(const LoadBook& book, const v1::JobsReply& ledger) {
  std::uint64_t differ = 0;
  std::set<std::uint32_t> listed;
  for (const v1::JobRecord& job : ledger.jobs()) {
    listed.insert(job.job().job_id());
    const auto known = book.jobs().find(job.job().job_id());
    const bool is_same =
        known != book.jobs().end() && job.state() == "committed" &&
        std::equal(job.node_ids().begin(), job.node_ids().end(),
                   known->second.begin(), known->second.end());
    if (!is_same) ++differ;
  }
  for (const auto& [job_id, nodes] : book.jobs()) {
    if (!listed.contains(job_id)) ++differ;
  }
  return differ;
}

// Errors: UNAVAILABLE; INVALID_ARGUMENT, another machine; RESOURCE_EXHAUSTED,
// the cluster is in use.
absl::Status CheckDaemon(const LoadPlan& plan, const std::string& cluster,
                         Calls& calls) {
  const auto status = calls.Status();
  if (!status.ok()) return status.status();
  for (const v1::ClusterStatus& known : status->clusters()) {
    if (known.name() == cluster && known.has_contact_age_ms() &&
        known.contact_age_ms() < kIdleMs) {
      return absl::ResourceExhaustedError(fmt::format(
          "another load test of this user runs, in the cluster {} (expected "
          "one at a time)",
          cluster));
    }
  }
  if (status->machine_fingerprint() == plan.machine->Fingerprint()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("--machine: {} differs in nodes or distances from {} "
                  "(expected the machine file of the daemon)",
                  plan.machine->name(), status->machine()));
}

// force: the cluster was in contact just now, and may have jobs.
absl::Status RemoveTestCluster(Calls& calls, const std::string& cluster) {
  v1::RemoveClusterRequest request;
  request.set_cluster(cluster);
  request.set_force(true);
  return calls.RemoveCluster(request).status();
}

// Fill, run, compare, release, compare.
absl::Status RunPhases(LoadCycles& cycles, Calls& calls,
                       const std::string& cluster) {
  LoadResult& result = cycles.result();
  absl::Status status = cycles.Fill();
  if (status.ok()) status = cycles.Run();
  if (!status.ok() || result.is_interrupted) return status;
  for (int attempt = 0; attempt < kLedgerReads; ++attempt) {
    const auto ledger = LedgerOf(calls, cluster);
    if (!ledger.ok()) return ledger.status();
    result.ledger_differs = Differences(cycles.book(), *ledger);
    if (result.ledger_differs == 0) break;
    std::this_thread::sleep_for(kFollowerAge);
  }
  status = cycles.ReleaseAll();
  if (!status.ok() || result.is_interrupted) return status;
  for (int attempt = 0; attempt < kLedgerReads; ++attempt) {
    const auto left = LedgerOf(calls, cluster);
    if (!left.ok()) return left.status();
    result.left_over = static_cast<std::uint64_t>(left->jobs_size());
    if (result.left_over == 0) break;
    std::this_thread::sleep_for(kFollowerAge);
  }
  return absl::OkStatus();
}

}  // namespace

std::uint64_t LoadResult::refused() const { return SumOf(refused_by); }
std::uint64_t LoadResult::failed() const { return SumOf(failed_by); }

absl::StatusOr<LoadResult> RunLoad(
    const LoadPlan& plan, std::atomic<std::uint64_t>& done,
    const std::function<bool()>& is_interrupted) {
  const auto calls = Calls::Create(plan.daemon, kTimeout);
  if (!calls.ok()) return calls.status();
  // One for each user: if it cannot be removed, there is one at most.
  const std::string cluster = fmt::format("coolspan-load-{}", getuid());
  absl::Status status = CheckDaemon(plan, cluster, **calls);
  if (!status.ok()) return status;
  const auto async = AsyncCalls::Connect({.address = plan.daemon,
                                          .connections = plan.connections,
                                          .timeout = CallTimeout(plan)});
  if (!async.ok()) return async.status();

  const auto synced = (*calls)->Sync(EmptyCluster(plan, cluster));
  if (!synced.ok()) return synced.status();
  LoadCycles cycles(plan, cluster, synced->epoch(), **async, done,
                    is_interrupted);
  status = RunPhases(cycles, **calls, cluster);
  const absl::Status removed = RemoveTestCluster(**calls, cluster);
  if (!status.ok()) return status;
  if (!removed.ok()) {
    cycles.result().not_removed =
        fmt::format("cluster {} remains in the daemon: {}", cluster,
                    std::string(removed.message()));
  }
  return std::move(cycles.result());
}

}  // namespace coolspan
