// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/live_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/block_space.h"
#include "core/counted.h"
#include "formats/file_error.h"
#include "service/clusters/free_space_status.h"

namespace coolspan {
namespace {

void CountHoldings(std::span<const std::shared_ptr<const Holding>> holdings,
                   const Machine& machine, v1::ClusterStatus& status) {
  NodeSet held(machine.node_count());
  NodeSet tentative(machine.node_count());
  for (const auto& holding : holdings) {
    NodeSet& nodes = holding->committed ? held : tentative;
    for (const NodeId node : holding->nodes) nodes.Insert(node);
    if (!holding->committed) {
      status.set_jobs_tentative(status.jobs_tentative() + 1);
      continue;
    }
    status.set_jobs_committed(status.jobs_committed() + 1);
    if (holding->disputed) status.set_jobs_disputed(status.jobs_disputed() + 1);
    if (holding->suspended) {
      status.set_jobs_suspended(status.jobs_suspended() + 1);
    }
  }
  status.set_nodes_held(held.Count());
  status.set_nodes_tentative(tentative.Count());
}

}  // namespace

LiveCluster::LiveCluster(std::string name, LiveSetting setting,
                         std::shared_ptr<Tenure> tenure)
    : name_(std::move(name)),
      setting_(std::move(setting)),
      tenure_(std::move(tenure)),
      tenure_since_(tenure_ == nullptr
                        ? std::nullopt
                        : std::optional(std::chrono::steady_clock::now())),
      cluster_(name_, setting_.machine),
      decider_([this] { RunDecisions(); }) {}

LiveCluster::~LiveCluster() {
  Hurry();
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    work_.notify_one();
  }
  decider_.join();
}

std::optional<LiveCluster::PriorDecision> LiveCluster::PriorDecisionOf(
    std::uint32_t job_id) const {
  const Holding* const held = cluster_.allocator().ledger().Find(job_id);
  if (held == nullptr || held->decision_id.empty()) return std::nullopt;
  return PriorDecision{held->job, held->decision_id, held->committed};
}

bool LiveCluster::IsSyncWanted(TimeMs now_ms) const {
  // Jobs that share cores (OverSubscribe=FORCE:2) dispute each other's nodes in
  // every Sync: the next one would tell no more.
  constexpr TimeMs kIntervalMs = 10'000;
  const TimeMs since_ms = now_ms - last_sync_ms_;
  const bool would_repeat =
      sync_had_disputes_ && since_ms >= 0 && since_ms < kIntervalMs;
  return needs_sync_ || (has_new_dispute_ && !would_repeat);
}

bool LiveCluster::IsDisputed(std::uint32_t job_id) const {
  const Holding* const held = cluster_.allocator().ledger().Find(job_id);
  return held != nullptr && held->disputed;
}

JobAfter LiveCluster::AfterOf(std::uint32_t job_id) const {
  return {job_id, cluster_.allocator().ledger().FindShared(job_id)};
}

std::optional<Outcome> LiveCluster::OutcomeOf(const PriorDecision& before,
                                              const char* word_if_gone) const {
  const Holding* const now =
      cluster_.allocator().ledger().Find(before.job.job_id);
  const bool is_same_run = now != nullptr && now->job == before.job;
  if (!is_same_run) return Outcome{before.decision_id, word_if_gone, {}};
  // Resizing a job does not undo how it started.
  if (before.committed) return std::nullopt;
  if (!now->committed) {
    if (now->decision_id == before.decision_id) return std::nullopt;
    return Outcome{before.decision_id, "replaced", {}};
  }
  if (now->decision_id == before.decision_id) {
    return Outcome{before.decision_id, "committed", {}};
  }
  return Outcome{before.decision_id, "overruled", now->nodes};
}

ClusterEvent LiveCluster::NewEvent() const {
  ClusterEvent cluster_event;
  cluster_event.cluster = name_;
  cluster_event.tenure = tenure_;
  cluster_event.at_ms = cluster_.allocator().now_ms();
  return cluster_event;
}

void LiveCluster::AdvanceTo(TimeMs now_ms) {
  for (const JobKey job : cluster_.AdvanceTo(now_ms)) {
    ClusterEvent cluster_event = NewEvent();
    cluster_event.what = Expired{job};
    cluster_event.jobs.push_back({job.job_id, nullptr});
    const auto decision = tentative_.find(job.job_id);
    if (decision != tentative_.end()) {
      cluster_event.outcomes.push_back({decision->second, "expired", {}});
      tentative_.erase(decision);
    }
    // If the journal is full, the stored holding still has its expiry time.
    if (!setting_.journal->CheckCapacity().ok()) continue;
    setting_.journal->Append(std::move(cluster_event));
  }
}

void LiveCluster::NoteCall(TimeMs now_ms) {
  last_call_ms_ = now_ms;
  last_call_ = std::chrono::steady_clock::now();
}

void LiveCluster::NoteChange() {
  if (!waiting_.is_empty()) work_.notify_one();
}

void LiveCluster::NoteContact() {
  last_contact_ = std::chrono::steady_clock::now();
}

// The machine's own clock says what the client's must be about.
TimeMs LiveCluster::ClientTimeMs() const {
  if (!is_clock_known_ || last_call_ms_ == 0) return 0;
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - last_call_);
  return last_call_ms_ + since.count();
}

absl::Status LiveCluster::CheckTenure() const {
  if (tenure_ == nullptr || tenure_->IsCurrent()) return absl::OkStatus();
  return TenureCheck()();
}

std::function<absl::Status()> LiveCluster::TenureCheck() const {
  if (tenure_ == nullptr) return [] { return absl::OkStatus(); };
  return [name = name_, tenure = tenure_, leadership = setting_.leadership] {
    if (tenure->IsCurrent()) return absl::OkStatus();
    absl::Status status = leadership->Check(name);
    // Elected again, for another object.
    return status.ok() ? NotLeaderError(name, "") : status;
  };
}

absl::Status LiveCluster::WaitForStore(Journal::Ticket ticket) const {
  absl::Status status = setting_.journal->Wait(ticket);
  status.Update(CheckTenure());
  return status;
}

void LiveCluster::EndTenure() {
  Hurry();
  const std::lock_guard lock(mutex_);
  if (tenure_ != nullptr) tenure_->End();
  NoteChange();
}

absl::Status LiveCluster::CheckServed() const {
  if (absl::Status status = CheckTenure(); !status.ok()) return status;
  if (!is_ended_) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format(
      "cluster: {} was removed (expected a Sync first)", Quoted(name_)));
}

absl::StatusOr<LiveCluster::Ended> LiveCluster::End(const std::string& why,
                                                    bool is_forced) {
  const std::lock_guard lock(mutex_);
  if (absl::Status status = CheckServed(); !status.ok()) return status;
  const auto holdings = cluster_.allocator().ledger().Holdings();
  const auto jobs = static_cast<std::size_t>(std::ranges::count_if(
      holdings, [](const auto& held) { return held->committed; }));
  constexpr std::chrono::seconds kInContact{60};
  const bool is_in_contact =
      last_contact_.has_value() &&
      std::chrono::steady_clock::now() - *last_contact_ < kInContact;
  if (!is_forced && (is_in_contact || jobs > 0)) {
    return absl::FailedPreconditionError(fmt::format(
        "cluster: {} {}", Quoted(name_),
        is_in_contact ? "is in contact: its slurmctld loads Coolspan"
                      : fmt::format("has {}", Counted(jobs, "running job"))));
  }
  is_ended_ = true;
  is_known_ = false;
  Hurry();
  NoteChange();
  ClusterEvent cluster_event = NewEvent();
  cluster_event.what = Removed{why};
  return Ended{jobs, setting_.journal->Append(std::move(cluster_event))};
}

bool LiveCluster::IsForgotten(TimeMs heard_before_ms) const {
  const std::lock_guard lock(mutex_);
  if (is_ended_ || heard_ms_ == 0 || heard_ms_ >= heard_before_ms) return false;
  // An end is by the client's clock: about the same one.
  return std::ranges::none_of(
      cluster_.allocator().ledger().Holdings(),
      [heard_before_ms](const auto& held) {
        return held->committed && (held->expected_end_ms == kUnknownEnd ||
                                   held->expected_end_ms >= heard_before_ms);
      });
}

void LiveCluster::TrackContact() {
  constexpr TimeMs kStoreIntervalMs = 3'600'000;
  if (!setting_.clock_ms) return;
  if (heard_ms_ == 0 || heard_contact_ != last_contact_) {
    heard_contact_ = last_contact_;
    heard_ms_ = setting_.clock_ms();
  }
  if (heard_ms_ - stored_heard_ms_ < kStoreIntervalMs) return;
  stored_heard_ms_ = heard_ms_;
  setting_.journal->NoteHeard(name_, tenure_, heard_ms_);
}

absl::Status LiveCluster::CheckCurrent(
    const v1::AllocateRequest& request) const {
  if (absl::Status status = CheckServed(); !status.ok()) return status;
  if (absl::Status status = EventQueues::CheckClientId(request.client_id());
      !status.ok()) {
    return status;
  }
  if (absl::Status status = cluster_.CheckEpoch(request.epoch());
      !status.ok()) {
    return status;
  }
  if (queues_.IsClosed(request.client_id())) {
    return absl::FailedPreconditionError(
        "client_id: queue closed by a later Sync (expected a new Sync)");
  }
  if (!is_incomplete_) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format(
      "cluster: not all jobs of {} were restored (expected a Sync first)",
      name_));
}

void LiveCluster::WarnUntilSync(std::string warning) {
  const std::lock_guard lock(mutex_);
  warning_ = std::move(warning);
}

std::string LiveCluster::warning() const {
  const std::lock_guard lock(mutex_);
  return warning_;
}

absl::StatusOr<v1::KeepAliveReply> LiveCluster::KeepAlive(
    const v1::KeepAliveRequest& request) {
  v1::KeepAliveReply reply;
  const std::lock_guard lock(mutex_);
  if (absl::Status status = CheckTenure(); !status.ok()) return status;
  if (!CheckServed().ok()) {
    reply.set_sync_wanted(true);
    return reply;
  }
  reply.set_term(term());
  NoteContact();
  if (!synced_ || !cluster_.CheckEpoch(request.epoch()).ok()) {
    reply.set_sync_wanted(true);
    return reply;
  }
  if (queues_.IsClosed(request.client_id())) {
    reply.set_sync_wanted(true);
    reply.set_replaced(true);
    return reply;
  }
  if (request.has_client()) client_counts_ = request.client();
  if (!request.has_unavailable()) return reply;
  const auto changed = cluster_.SetUnavailable(request.unavailable());
  if (!changed.ok()) return changed.status();
  // If the journal is full, only log and watchers miss it.
  if (*changed && setting_.journal->CheckCapacity().ok()) {
    ClusterEvent cluster_event = NewEvent();
    cluster_event.what = AvailabilityChanged{cluster_.unavailable()};
    setting_.journal->Append(std::move(cluster_event));
  }
  return reply;
}

absl::StatusOr<std::optional<PlacementMode>> LiveCluster::SetMode(
    std::optional<PlacementMode> mode) {
  if (absl::Status status = setting_.journal->CheckCapacity(); !status.ok()) {
    return status;
  }
  std::optional<PlacementMode> before;
  Journal::Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (absl::Status status = CheckServed(); !status.ok()) return status;
    before = std::exchange(mode_, mode);
    ClusterEvent cluster_event = NewEvent();
    cluster_event.what = ModeSet{mode};
    ticket = setting_.journal->Append(std::move(cluster_event));
  }
  absl::Status status = WaitForStore(ticket);
  if (!status.ok()) return status;
  return before;
}

v1::ClusterStatus LiveCluster::Status() const {
  v1::ClusterStatus status;
  status.set_name(name_);
  // Counted without the lock, for which decisions would wait.
  std::vector<std::shared_ptr<const Holding>> holdings;
  NodeSet free;
  {
    const std::lock_guard lock(mutex_);
    free = FillStatus(status);
    holdings = cluster_.allocator().ledger().Holdings();
  }
  CountHoldings(holdings, *setting_.machine, status);
  FillFreeSpace(setting_.machine->topology(),
                *setting_.config->Get()->default_ordering, free,
                *status.mutable_free_space());
  return status;
}

NodeSet LiveCluster::FillStatus(v1::ClusterStatus& status) const {
  status.set_epoch(cluster_.table().epoch());
  status.set_mode(std::string(TextOf(mode_)));
  status.set_client_mode(std::string(TextOf(client_mode_)));
  status.set_nodes(static_cast<std::uint32_t>(cluster_.table().size()));
  status.set_nodes_unavailable(cluster_.unavailable().Count());
  status.set_nodes_unknown(cluster_.table().unknown_count());
  NodeSet free = cluster_.allocator().ledger().free_whole();
  free &= cluster_.table().known();
  free -= cluster_.unavailable();
  status.set_nodes_free(free.Count());
  if (const Blocks* blocks = setting_.machine->topology().blocks()) {
    const BlockSpace space = BlockSpaceOf(*blocks, FreeByBlock(*blocks, free));
    v1::ClusterStatus::BlockSpace& shown = *status.mutable_block_space();
    shown.set_idle_blocks(space.idle_blocks);
    shown.set_largest_job(space.largest_job);
    for (const NodeCount size : SegmentSizes(*blocks)) {
      shown.add_segment_nodes(size);
    }
    for (const std::uint32_t count : space.segments) shown.add_segments(count);
  }
  status.set_last_sync_ms(last_sync_ms_);
  status.set_synced(synced_);
  if (client_counts_.has_value()) {
    *status.mutable_client() = *client_counts_;
  }
  status.set_incomplete(is_incomplete_);
  status.set_heard_ms(heard_ms_);
  const auto since = last_contact_.has_value() ? last_contact_ : tenure_since_;
  if (since.has_value()) {
    status.set_contact_age_ms(
        std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - *since)
            .count());
  }
  return free;
}

NodeSet LiveCluster::unavailable() const {
  const std::lock_guard lock(mutex_);
  return cluster_.unavailable();
}

std::vector<std::shared_ptr<const Holding>> LiveCluster::Holdings() const {
  const std::lock_guard lock(mutex_);
  return cluster_.allocator().ledger().Holdings();
}

void LiveCluster::Tick() {
  std::vector<DecisionQueue::Ended> ended;
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    waiting_.TakeEnded(
        now, [this](const auto& request) { return IsReady(request); }, ended);
    if (!is_ended_) TrackContact();
    if (!is_ended_ && last_call_ms_ != 0) {
      const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(
          now - last_call_);
      AdvanceTo(last_call_ms_ + since.count());
    }
  }
  for (DecisionQueue::Ended& call : ended) call.done(std::move(call.status));
}

absl::Status LiveCluster::CheckResponsive(
    std::chrono::steady_clock::duration max_decision) const {
  const std::lock_guard lock(mutex_);
  const auto lasts = std::chrono::steady_clock::now() - deciding_since_;
  if (!is_deciding_ || lasts <= max_decision) return absl::OkStatus();
  return absl::UnavailableError(fmt::format(
      "a decision of cluster {} has not ended for {} s", name_,
      std::chrono::duration_cast<std::chrono::seconds>(lasts).count()));
}

RedlineCounts LiveCluster::redline_counts() const {
  const std::lock_guard lock(mutex_);
  return redline_counts_;
}

void LiveCluster::AddLoads(std::span<NodeLoad> loads) const {
  const LoadsByNode own = [this] {
    const std::lock_guard lock(mutex_);
    return cluster_.allocator().ledger().loads();
  }();
  for (std::size_t node = 0; node < own.size(); ++node) {
    loads[node].compute += own[node].compute;
    loads[node].communicate += own[node].communicate;
  }
}

void LiveCluster::CorrectRoom(
    std::shared_ptr<const InletCorrection> correction) {
  const std::lock_guard lock(mutex_);
  cluster_.CorrectRoom(std::move(correction));
}

}  // namespace coolspan
