// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/live_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/counted.h"
#include "formats/file_error.h"
#include "service/codec/job_start.h"
#include "service/codec/wire.h"

namespace coolspan {
namespace {

std::pair<EventKind, const v1::Event*> EventOf(
    const v1::SessionRequest& request) {
  switch (request.what_case()) {
    case v1::SessionRequest::kCommit:
      return {EventKind::kCommit, &request.commit()};
    case v1::SessionRequest::kRelease:
      return {EventKind::kRelease, &request.release()};
    case v1::SessionRequest::kResize:
      return {EventKind::kResize, &request.resize()};
    case v1::SessionRequest::kSuspend:
      return {EventKind::kSuspend, &request.suspend()};
    default:
      return {EventKind::kCommit, nullptr};
  }
}

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

LiveCluster::LiveCluster(std::string name, LiveSetting setting)
    : name_(std::move(name)),
      setting_(std::move(setting)),
      cluster_(name_, setting_.machine),
      decider_([this] { RunDecisions(); }) {}

LiveCluster::~LiveCluster() {
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

absl::Status LiveCluster::CheckServed() const {
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
  setting_.journal->NoteHeard(name_, heard_ms_);
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

absl::StatusOr<Journal::Ticket> LiveCluster::ApplyNext(EventKind kind,
                                                       const v1::Event& event,
                                                       v1::EventReply& reply) {
  absl::Status status = CheckServed();
  if (status.ok()) status = cluster_.CheckEpoch(event.epoch());
  if (status.ok()) status = EventQueues::CheckClientId(event.client_id());
  if (status.ok()) status = CheckTime(event.now_ms());
  if (status.ok() && event.sequence() == 0) {
    status = absl::InvalidArgumentError("sequence: 0 (expected at least 1)");
  }
  if (!status.ok()) return status;
  const EventQueues::Place place =
      queues_.Find(event.client_id(), event.sequence());
  if (place == EventQueues::Place::kClosed) {
    reply.set_sync_wanted(true);
    return Journal::Ticket{0};
  }
  if (place == EventQueues::Place::kGap) {
    return absl::OutOfRangeError(fmt::format(
        "sequence: {} of client {} skips events (expected the next event of "
        "the queue, or a Sync)",
        event.sequence(), event.client_id()));
  }
  const std::uint32_t job_id = event.job().job_id();
  Journal::Ticket ticket = setting_.journal->last();
  if (place == EventQueues::Place::kNext) {
    auto recorded = ApplyAndRecord(kind, event);
    if (!recorded.ok()) return recorded.status();
    ticket = *recorded;
  }
  const std::optional<PriorDecision> after = PriorDecisionOf(job_id);
  reply.set_as_decided(kind == EventKind::kCommit && after.has_value() &&
                       after->committed &&
                       after->job == DecodeJob(event.job()));
  reply.set_sync_wanted(IsSyncWanted(event.now_ms()));
  return ticket;
}

absl::StatusOr<Journal::Ticket> LiveCluster::ApplyAndRecord(
    EventKind kind, const v1::Event& event) {
  const TimeMs known_ms = ClientTimeMs();
  if (known_ms != 0 && event.now_ms() > known_ms + kMaxAheadMs) {
    // It happened, but not then: tentative allocations would expire.
    v1::Event now = event;
    now.set_now_ms(known_ms);
    return ApplyAndRecord(kind, now);
  }
  const JobKey job = DecodeJob(event.job());
  AdvanceTo(event.now_ms());
  const std::optional<PriorDecision> before = PriorDecisionOf(job.job_id);
  // Gang scheduling starts a job before it suspends the one on the same
  // nodes, which a Sync in between reports as disputed.
  const bool may_end_dispute =
      kind == EventKind::kSuspend && IsDisputed(job.job_id);
  std::optional<v1::JobStart> start;
  if (kind == EventKind::kCommit) start = DecodeStart(event);
  std::optional<Advice> advice = AdviceBefore(start, job);
  auto effect = cluster_.Apply(kind, event);
  if (!effect.ok()) return effect.status();
  queues_.Advance(event.client_id(), event.sequence());
  if (may_end_dispute) needs_sync_ = true;
  if (!effect->disputed.empty()) has_new_dispute_ = true;
  // Events may have waited in the client's queue.
  NoteCall(std::max(known_ms, event.now_ms()));
  NoteChange();
  JobEvent recorded{kind,
                    job,
                    effect->as_decided,
                    effect->disputed.size(),
                    event.now_ms(),
                    std::move(start)};
  recorded.advice = AdviceAfter(std::move(advice));
  return RecordEvent(std::move(recorded), event, before, effect->disputed);
}

absl::Status LiveCluster::ApplyAttached(const v1::AllocateRequest& request) {
  for (const v1::SessionRequest& attached : request.events()) {
    const auto [kind, sent] = EventOf(attached);
    if (sent == nullptr) {
      return absl::InvalidArgumentError(
          "events: unknown event (expected commit, release, resize or "
          "suspend)");
    }
    if (queues_.Find(request.client_id(), sent->sequence()) !=
        EventQueues::Place::kNext) {
      continue;
    }
    absl::Status status = setting_.journal->CheckCapacity();
    if (!status.ok()) return status;
    v1::Event event = *sent;
    event.set_epoch(request.epoch());
    event.set_client_id(request.client_id());
    v1::EventReply ignored;
    auto ticket = ApplyNext(kind, event, ignored);
    if (!ticket.ok()) return ticket.status();
  }
  return absl::OkStatus();
}

absl::StatusOr<Journal::Ticket> LiveCluster::ApplyToLedger(
    EventKind kind, const v1::Event& event, v1::EventReply& reply) {
  if (absl::Status status = setting_.journal->CheckCapacity(); !status.ok()) {
    return status;
  }
  const std::lock_guard lock(mutex_);
  NoteContact();
  return ApplyNext(kind, event, reply);
}

absl::StatusOr<v1::EventReply> LiveCluster::Apply(EventKind kind,
                                                  const v1::Event& event) {
  v1::EventReply reply;
  const auto ticket = ApplyToLedger(kind, event, reply);
  if (!ticket.ok()) return ticket.status();
  absl::Status status = setting_.journal->Wait(*ticket);
  if (!status.ok()) return status;
  return reply;
}

void LiveCluster::Apply(
    EventKind kind, const v1::Event& event,
    std::function<void(absl::StatusOr<v1::EventReply>)> done) {
  v1::EventReply reply;
  const auto ticket = ApplyToLedger(kind, event, reply);
  if (!ticket.ok()) return done(ticket.status());
  setting_.journal->WhenStored(
      *ticket, [reply = std::move(reply),
                done = std::move(done)](const absl::Status& status) {
        if (!status.ok()) return done(status);
        done(reply);
      });
}

Journal::Ticket LiveCluster::RecordEvent(
    JobEvent job_event, const v1::Event& event,
    const std::optional<PriorDecision>& before,
    const std::vector<JobKey>& disputed) {
  const std::uint32_t job_id = job_event.job.job_id;
  const bool as_decided = job_event.as_decided;
  ClusterEvent cluster_event = NewEvent();
  cluster_event.what = std::move(job_event);
  cluster_event.queue = QueueMark{event.client_id(), event.sequence(), false};
  cluster_event.jobs.push_back(AfterOf(job_id));
  for (const JobKey other : disputed) {
    cluster_event.jobs.push_back(AfterOf(other.job_id));
  }
  if (before.has_value()) {
    auto outcome = OutcomeOf(*before, "released");
    if (outcome.has_value())
      cluster_event.outcomes.push_back(*std::move(outcome));
  } else if (as_decided) {
    // The decision had expired, but its nodes were still free.
    cluster_event.outcomes.push_back(
        {cluster_event.jobs.front().holding->decision_id, "committed", {}});
  }
  const Holding* const held = cluster_.allocator().ledger().Find(job_id);
  if (held == nullptr || held->committed) tentative_.erase(job_id);
  return setting_.journal->Append(std::move(cluster_event));
}

absl::StatusOr<v1::KeepAliveReply> LiveCluster::KeepAlive(
    const v1::KeepAliveRequest& request) {
  v1::KeepAliveReply reply;
  const std::lock_guard lock(mutex_);
  if (!CheckServed().ok()) {
    reply.set_sync_wanted(true);
    return reply;
  }
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
  absl::Status status = setting_.journal->Wait(ticket);
  if (!status.ok()) return status;
  return before;
}

v1::ClusterStatus LiveCluster::Status() const {
  v1::ClusterStatus status;
  status.set_name(name_);
  // Counted without the lock, for which decisions would wait.
  std::vector<std::shared_ptr<const Holding>> holdings;
  {
    const std::lock_guard lock(mutex_);
    FillStatus(status);
    holdings = cluster_.allocator().ledger().Holdings();
  }
  CountHoldings(holdings, *setting_.machine, status);
  return status;
}

void LiveCluster::FillStatus(v1::ClusterStatus& status) const {
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
  status.set_last_sync_ms(last_sync_ms_);
  status.set_synced(synced_);
  if (client_counts_.has_value()) {
    *status.mutable_client() = *client_counts_;
  }
  status.set_incomplete(is_incomplete_);
  status.set_heard_ms(heard_ms_);
  if (last_contact_.has_value()) {
    status.set_contact_age_ms(
        std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - *last_contact_)
            .count());
  }
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
    if (!is_ended_) {
      TrackContact();
      if (last_call_ms_ != 0) {
        AdvanceTo(last_call_ms_ +
                  std::chrono::duration_cast<std::chrono::milliseconds>(
                      now - last_call_)
                      .count());
      };
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
