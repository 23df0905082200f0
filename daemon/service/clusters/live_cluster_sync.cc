// SPDX-License-Identifier: GPL-3.0-or-later
// LiveCluster: Syncs of the client, and restoring from the store at daemon
// start.
#include <algorithm>
#include <iterator>
#include <utility>

#include "service/clusters/live_cluster.h"
#include "service/codec/job_start.h"
#include "service/codec/wire.h"
#include "service/journal/records.h"

namespace coolspan {
namespace {

// Of one committed job. unknown: its nodes that are not in the machine file.
void Count(std::vector<std::string> unknown, bool has_nodes,
           RestoreLosses& losses) {
  ++losses.jobs;
  if (!has_nodes) {
    ++losses.gone;
  } else if (!unknown.empty()) {
    ++losses.reduced;
  }
  std::ranges::move(unknown, std::back_inserter(losses.unknown_nodes));
}

}  // namespace

absl::StatusOr<RestoreLosses> LiveCluster::Restore(
    const StoredCluster& stored, std::span<const StoredStart> recent_starts) {
  RestoreLosses losses;
  const std::lock_guard lock(mutex_);
  absl::Status status =
      cluster_.RestoreTable(stored.node_table, stored.capacity);
  if (!status.ok()) return status;
  last_sync_ms_ = stored.last_sync_ms;
  // By the clock of another daemon, which may be ahead or behind: an elected
  // one counts from its own first look.
  if (tenure_ == nullptr) heard_ms_ = stored_heard_ms_ = stored.heard_ms;
  mode_ = ParsePlacementMode(stored.mode);
  for (const StoredQueue& queue : stored.queues) {
    queues_.Restore({queue.client_id, queue.sequence, queue.closed});
  }
  // Committed holdings first: conflicting tentative ones are dropped.
  for (const bool committed : {true, false}) {
    for (const StoredHolding& kept : stored.holdings) {
      if (kept.committed != committed) continue;
      auto holding = FromStored(*setting_.machine, kept);
      if (!holding.ok()) return holding.status();
      if (committed) {
        Count(UnknownNodesOf(*setting_.machine, kept), holding->has_value(),
              losses);
      }
      if (!holding->has_value()) continue;
      if (!committed) tentative_[kept.job.job_id] = kept.decision_id;
      cluster_.RestoreHolding(**std::move(holding));
    }
  }
  for (const StoredStart& start : recent_starts) {
    if (const auto recent = RecentStartOf(*setting_.machine, start)) {
      cluster_.RestoreStart(*recent);
    }
  }
  for (std::size_t bit = 0; bit < stored.capacity.size(); ++bit) {
    const bool was_unknown = stored.capacity[bit] == 0;
    if (was_unknown && cluster_.table().NodeAt(bit) != NodeTable::kUnknown) {
      ++losses.new_nodes;
    }
  }
  is_incomplete_ = stored.is_incomplete ||
                   losses.gone + losses.reduced + losses.new_nodes > 0;
  is_incomplete_stored_ = stored.is_incomplete;
  is_known_ = true;
  std::ranges::sort(losses.unknown_nodes);
  losses.unknown_nodes.erase(
      std::unique(losses.unknown_nodes.begin(), losses.unknown_nodes.end()),
      losses.unknown_nodes.end());
  return losses;
}

absl::StatusOr<v1::SyncReply> LiveCluster::Sync(
    const v1::SyncRequest& request) {
  if (absl::Status status = EventQueues::CheckClientId(request.client_id());
      !status.ok()) {
    return status;
  }
  if (absl::Status status = setting_.journal->CheckCapacity(); !status.ok()) {
    return status;
  }
  v1::SyncReply reply;
  Journal::Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (absl::Status status = CheckServed(); !status.ok()) return status;
    NoteContact();
    const EventQueues::SyncState state =
        queues_.SyncStateOf(request.client_id(), request.sequence());
    if (state == EventQueues::SyncState::kReplaced) {
      return absl::AbortedError(
          "client_id: queue closed by a later Sync (expected a new client_id)");
    }
    if (state == EventQueues::SyncState::kOutdated) {
      // A repeated Sync; later events of the queue were applied.
      ticket = setting_.journal->last();
    } else {
      auto taken = ApplySync(request, reply);
      if (!taken.ok()) return taken.status();
      ticket = *taken;
    }
    reply.set_term(term());
    reply.set_epoch(cluster_.table().epoch());
    reply.set_unknown_nodes(cluster_.table().unknown_count());
    reply.set_mode(std::string(TextOf(mode_)));
  }
  absl::Status status = WaitForStore(ticket);
  if (!status.ok()) return status;
  return reply;
}

absl::StatusOr<Journal::Ticket> LiveCluster::ApplySync(
    const v1::SyncRequest& request, v1::SyncReply& reply) {
  std::vector<PriorDecision> before;
  for (const auto& held : cluster_.allocator().ledger().Holdings()) {
    if (held->decision_id.empty()) continue;
    before.push_back({held->job, held->decision_id, held->committed});
  }
  std::vector<JobEvent> starts = NewStarts(request);
  auto disagreed = cluster_.Sync(request);
  if (!disagreed.ok()) return disagreed.status();
  AddStarts(starts, request.now_ms());
  queues_.Restart(request.client_id(), request.sequence());
  client_mode_ = ParsePlacementMode(request.mode());
  is_known_ = true;
  synced_ = true;
  warning_.clear();
  is_clock_known_ = true;
  needs_sync_ = false;
  is_incomplete_ = false;
  has_new_dispute_ = false;
  sync_had_disputes_ =
      std::ranges::any_of(cluster_.allocator().ledger().Holdings(),
                          [](const auto& held) { return held->disputed; });
  last_sync_ms_ = request.now_ms();
  NoteCall(request.now_ms());
  NoteChange();
  for (const JobKey job : *disagreed) *reply.add_disagreed() = EncodeJob(job);
  return RecordSync(before, disagreed->size(), std::move(starts));
}

std::vector<JobEvent> LiveCluster::NewStarts(
    const v1::SyncRequest& request) const {
  std::vector<JobEvent> starts;
  for (const v1::Event& event : request.starts()) {
    // The commit, or an earlier Sync with its start, was applied, but the
    // acknowledgement lost.
    const auto place = queues_.Find(event.client_id(), event.sequence());
    if (place == EventQueues::Place::kSeen ||
        place == EventQueues::Place::kClosed) {
      continue;
    }
    std::optional<v1::JobStart> start = DecodeStart(event);
    if (!start.has_value() || !CheckTime(event.now_ms()).ok()) continue;
    starts.push_back({EventKind::kCommit, DecodeJob(event.job()), false, 0,
                      event.now_ms(), std::move(start)});
  }
  return starts;
}

// A start in the future, of a clock that has been set back, counts as now.
void LiveCluster::AddStarts(const std::vector<JobEvent>& starts,
                            TimeMs now_ms) {
  for (const JobEvent& event : starts) {
    const Holding* const held =
        cluster_.allocator().ledger().Find(event.job.job_id);
    if (held == nullptr || held->job != event.job) continue;
    cluster_.RestoreStart({std::min(event.started_ms, now_ms),
                           static_cast<NodeCount>(held->nodes.size()),
                           event.start->time_limit_s() * kMsPerSecond});
  }
}

Journal::Ticket LiveCluster::RecordSync(
    const std::vector<PriorDecision>& before, std::size_t disagreed,
    std::vector<JobEvent> starts) {
  const Ledger& ledger = cluster_.allocator().ledger();
  ClusterEvent cluster_event = NewEvent();
  cluster_event.what = Synced{cluster_.shared_table(),
                              ledger.availability()->capacity,
                              disagreed,
                              queues_,
                              std::move(starts),
                              cluster_.unavailable()};
  tentative_.clear();
  for (const auto& held : ledger.Holdings()) {
    cluster_event.jobs.push_back({held->job.job_id, held});
    if (!held->committed) tentative_[held->job.job_id] = held->decision_id;
  }
  for (const PriorDecision& job : before) {
    auto outcome = OutcomeOf(job, job.committed ? "released" : "replaced");
    if (outcome.has_value())
      cluster_event.outcomes.push_back(*std::move(outcome));
  }
  return setting_.journal->Append(std::move(cluster_event));
}

}  // namespace coolspan
