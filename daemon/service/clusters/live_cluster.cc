// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/live_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/deadline.h"
#include "service/clusters/idle_priority.h"
#include "service/codec/wire.h"

namespace coolspan {
namespace {

using std::chrono::steady_clock;

// Limit of decisions queued for comparison: the snapshot of each keeps a copy
// of what has changed since.
constexpr std::size_t kMaxCompared = 64;

// Leaves a margin: a search checks the clock only between portions of work.
steady_clock::duration TimeToDecide(TimeLimits limits) {
  return std::min(limits.decision,
                  (limits.answer_by - steady_clock::now()) * 4 / 5);
}

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

}  // namespace

class LiveCluster::DecisionScope {
 public:
  DecisionScope(LiveCluster& cluster, std::unique_lock<std::mutex>& lock)
      : cluster_(cluster), lock_(lock) {
    cluster_.is_deciding_ = true;
  }
  ~DecisionScope() {
    if (!lock_.owns_lock()) lock_.lock();
    cluster_.is_deciding_ = false;
    cluster_.changed_.notify_all();
  }
  DecisionScope(const DecisionScope&) = delete;
  DecisionScope& operator=(const DecisionScope&) = delete;

 private:
  LiveCluster& cluster_;
  std::unique_lock<std::mutex>& lock_;
};

LiveCluster::LiveCluster(std::string name, LiveSetting setting)
    : name_(std::move(name)),
      setting_(std::move(setting)),
      cluster_(name_, setting_.machine) {}

std::optional<LiveCluster::PriorDecision> LiveCluster::PriorDecisionOf(
    std::uint32_t job_id) const {
  const Holding* const held = cluster_.allocator().ledger().Find(job_id);
  if (held == nullptr || held->decision_id.empty()) return std::nullopt;
  return PriorDecision{held->job, held->decision_id, held->committed};
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

absl::Status LiveCluster::CheckCurrent(
    const v1::AllocateRequest& request) const {
  if (absl::Status status = cluster_.CheckEpoch(request.epoch());
      !status.ok()) {
    return status;
  }
  if (!queues_.IsClosed(request.client_id())) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "client_id: queue closed by a later Sync (expected a new Sync)");
}

absl::StatusOr<v1::AllocateReply> LiveCluster::Allocate(
    const v1::AllocateRequest& request, TimeLimits limits) {
  if (absl::Status status = CheckTime(request.now_ms()); !status.ok()) {
    return status;
  }
  const PolicyChoice choice = setting_.rules->Choose(request);
  std::unique_lock lock(mutex_);
  absl::Status status = ApplyAttached(request);
  if (status.ok()) status = WaitForTurn(request, limits, lock);
  if (!status.ok()) return status;
  absl::StatusOr<Decided> decided;
  std::shared_ptr<const NodeTable> table;
  {
    const DecisionScope scope(*this, lock);
    decided = DecideAndHold(request, choice, limits, lock);
    table = cluster_.shared_table();
  }
  lock.unlock();
  if (!decided.ok()) return decided.status();
  const Decision& decision = *decided->decision;
  if (!decision.is_repeat) {
    setting_.times->Add(decided->elapsed_us, decision.placed);
  }
  return EncodeDecision(decision, *table);
}

// Until the events before the request are applied and no other decision runs.
absl::Status LiveCluster::WaitForTurn(const v1::AllocateRequest& request,
                                      TimeLimits limits,
                                      std::unique_lock<std::mutex>& lock) {
  const auto reached = [&] {
    return queues_.Reached(request.client_id(), request.after_sequence());
  };
  changed_.wait_until(lock, limits.answer_by, [&] {
    return !CheckCurrent(request).ok() || (reached() && !is_deciding_);
  });
  absl::Status status = CheckCurrent(request);
  if (!status.ok()) return status;
  if (!reached()) {
    return absl::UnavailableError(fmt::format(
        "after_sequence: events up to {} not received before the deadline",
        request.after_sequence()));
  }
  if (is_deciding_ || steady_clock::now() >= limits.answer_by) {
    // The client no longer waits: nodes must not be held for it.
    return absl::UnavailableError(
        "deadline exceeded before the decision started");
  }
  return absl::OkStatus();
}

// Releases the lock while the policy searches.
absl::StatusOr<Decided> LiveCluster::DecideAndHold(
    const v1::AllocateRequest& request, const PolicyChoice& choice,
    TimeLimits limits, std::unique_lock<std::mutex>& lock) {
  AdvanceTo(request.now_ms());
  NoteCall(request.now_ms());
  const auto start = steady_clock::now();
  const auto call = cluster_.Decode(request);
  if (!call.ok()) return call.status();
  const auto decide_by = start + TimeToDecide(limits);
  Budget budget = BudgetUntil(decide_by, &steady_clock::now);
  Decided decided;
  decided.ordering = choice.ordering;
  decided.rule = choice.rule;
  decided.partition = request.partition();
  decided.user = request.user();
  std::optional<PriorDecision> before;
  absl::StatusOr<DecisionPtr> answer = cluster_.Begin(*call);
  for (int round = 0; answer.ok() && *answer == nullptr; ++round) {
    if (round > 0 && steady_clock::now() >= decide_by) {
      return absl::UnavailableError(
          "deadline exceeded: other jobs took the chosen nodes");
    }
    std::optional<MachineSnapshot> snapshot =
        cluster_.allocator().SnapshotFor(*call);
    lock.unlock();
    auto decision =
        Decide(*snapshot, *call,
               {*choice.policy, setting_.redline_fallback.get()}, budget);
    lock.lock();
    if (!decision.ok()) return decision.status();
    absl::Status status = CheckCurrent(request);
    if (!status.ok()) return status;
    if (steady_clock::now() >= limits.answer_by) {
      return absl::UnavailableError("deadline exceeded during the decision");
    }
    decided.basis = nullptr;
    if (IsCompared(*decision)) {
      decided.basis = std::make_shared<const ComparisonBasis>(ComparisonBasis{
          setting_.rules->reference_policies(), *snapshot, *call});
    }
    before = PriorDecisionOf(request.job().job_id());
    // Unless the snapshot is shared, the ledger changes without a copy.
    snapshot.reset();
    answer = cluster_.Hold(*call, *std::move(decision));
  }
  if (!answer.ok()) return answer.status();
  decided.decision = *answer;
  decided.elapsed_us =
      std::chrono::duration<double, std::micro>(steady_clock::now() - start)
          .count();
  if (!decided.decision->is_repeat) RecordDecision(decided, before);
  return decided;
}

void LiveCluster::NoteCall(TimeMs now_ms) {
  last_call_ms_ = now_ms;
  last_call_ = steady_clock::now();
}

bool LiveCluster::IsCompared(const Decision& decision) const {
  return decision.placed && setting_.machine->room() != nullptr &&
         setting_.rules->reference_policies().coolest != nullptr;
}

void LiveCluster::RecordDecision(Decided decided,
                                 const std::optional<PriorDecision>& before) {
  const Decision& decision = *decided.decision;
  if (decision.guarded) ++redline_counts_.guarded;
  if (decision.over_redline) ++redline_counts_.over;
  if (decision.placed) tentative_[decision.job.job_id] = decision.id;
  // If the journal is full, the decision is valid but not stored.
  if (!setting_.journal->CheckCapacity().ok()) return;
  if (decided.basis != nullptr && setting_.journal->waiting() > kMaxCompared) {
    decided.basis = nullptr;
    decided.is_overloaded = true;
  }
  ClusterEvent cluster_event = NewEvent();
  cluster_event.jobs.push_back(AfterOf(decision.job.job_id));
  cluster_event.what = std::move(decided);
  if (before.has_value()) {
    auto outcome =
        OutcomeOf(*before, before->committed ? "released" : "replaced");
    if (outcome.has_value()) {
      cluster_event.outcomes.push_back(*std::move(outcome));
    }
  }
  setting_.journal->Append(std::move(cluster_event));
}

absl::StatusOr<Journal::Ticket> LiveCluster::ApplyNext(EventKind kind,
                                                       const v1::Event& event,
                                                       v1::EventReply& reply) {
  absl::Status status = cluster_.CheckEpoch(event.epoch());
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
    AdvanceTo(event.now_ms());
    const std::optional<PriorDecision> before = PriorDecisionOf(job_id);
    auto effect = cluster_.Apply(kind, event);
    if (!effect.ok()) return effect.status();
    queues_.Advance(event.client_id(), event.sequence());
    if (!effect->disputed.empty()) needs_sync_ = true;
    NoteCall(event.now_ms());
    changed_.notify_all();
    ticket = RecordEvent(kind, event, before, *effect);
  }
  const std::optional<PriorDecision> after = PriorDecisionOf(job_id);
  reply.set_as_decided(kind == EventKind::kCommit && after.has_value() &&
                       after->committed &&
                       after->job == DecodeJob(event.job()));
  reply.set_sync_wanted(needs_sync_);
  return ticket;
}

absl::Status LiveCluster::ApplyAttached(const v1::AllocateRequest& request) {
  if (request.events().empty() || !setting_.journal->CheckCapacity().ok()) {
    return absl::OkStatus();
  }
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
    v1::Event event = *sent;
    event.set_epoch(request.epoch());
    event.set_client_id(request.client_id());
    v1::EventReply ignored;
    auto ticket = ApplyNext(kind, event, ignored);
    if (!ticket.ok()) return ticket.status();
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::EventReply> LiveCluster::Apply(EventKind kind,
                                                  const v1::Event& event) {
  if (absl::Status status = setting_.journal->CheckCapacity(); !status.ok()) {
    return status;
  }
  v1::EventReply reply;
  absl::StatusOr<Journal::Ticket> ticket;
  {
    const std::lock_guard lock(mutex_);
    ticket = ApplyNext(kind, event, reply);
  }
  if (!ticket.ok()) return ticket.status();
  absl::Status status = setting_.journal->Wait(*ticket);
  if (!status.ok()) return status;
  return reply;
}

Journal::Ticket LiveCluster::RecordEvent(
    EventKind kind, const v1::Event& event,
    const std::optional<PriorDecision>& before,
    const ServedCluster::Effect& effect) {
  const std::uint32_t job_id = event.job().job_id();
  ClusterEvent cluster_event = NewEvent();
  cluster_event.what = JobEvent{kind, DecodeJob(event.job()), effect.as_decided,
                                effect.disputed.size()};
  cluster_event.queue = QueueMark{event.client_id(), event.sequence(), false};
  cluster_event.jobs.push_back(AfterOf(job_id));
  for (const JobKey other : effect.disputed) {
    cluster_event.jobs.push_back(AfterOf(other.job_id));
  }
  if (before.has_value()) {
    auto outcome = OutcomeOf(*before, "released");
    if (outcome.has_value())
      cluster_event.outcomes.push_back(*std::move(outcome));
  } else if (effect.as_decided) {
    // The decision had expired, but its nodes were still free.
    cluster_event.outcomes.push_back(
        {cluster_event.jobs.front().holding->decision_id, "committed", {}});
  }
  const Holding* const held = cluster_.allocator().ledger().Find(job_id);
  if (held == nullptr || held->committed) tentative_.erase(job_id);
  return setting_.journal->Append(std::move(cluster_event));
}

// No job waits for a preview, so its search runs at idle priority.
absl::StatusOr<v1::AllocateReply> LiveCluster::Preview(
    const v1::AllocateRequest& request, const Policy& policy, TimeLimits limits,
    SearchControl control) const {
  // Without bitmaps the request does not depend on the node table.
  const bool needs_table =
      !request.epoch().empty() || !request.candidates().empty() ||
      !request.required().empty() || !request.excluded().empty();
  absl::StatusOr<AllocateCall> call;
  std::optional<MachineSnapshot> snapshot;
  std::shared_ptr<const NodeTable> table;
  {
    const std::lock_guard lock(mutex_);
    absl::Status status = cluster_.CheckEpoch(
        needs_table ? request.epoch() : cluster_.table().epoch());
    if (!status.ok()) return status;
    call = cluster_.Decode(request);
    if (!call.ok()) return call.status();
    snapshot = cluster_.allocator().SnapshotFor(*call);
    table = cluster_.shared_table();
  }
  if (absl::Status status = CheckCall(*call, *snapshot->availability);
      !status.ok()) {
    return status;
  }
  absl::StatusOr<Decision> decision;
  RunAtIdlePriority([&] {
    Budget budget = BudgetUntil(control.now() + TimeToDecide(limits),
                                control.now, control.stop);
    decision = Decide(*snapshot, *call,
                      {policy, setting_.redline_fallback.get()}, budget);
  });
  if (!decision.ok()) return decision.status();
  return EncodeDecision(*decision, *table);
}

v1::ClusterStatus LiveCluster::Status() const {
  const std::lock_guard lock(mutex_);
  const Ledger& ledger = cluster_.allocator().ledger();
  v1::ClusterStatus status;
  status.set_name(name_);
  status.set_epoch(cluster_.table().epoch());
  status.set_nodes(static_cast<std::uint32_t>(cluster_.table().size()));
  status.set_nodes_free(
      ledger.free_whole().CountCommon(cluster_.table().known()));
  for (const auto& held : ledger.Holdings()) {
    if (!held->committed) {
      status.set_jobs_tentative(status.jobs_tentative() + 1);
      continue;
    }
    status.set_jobs_committed(status.jobs_committed() + 1);
    if (held->disputed) status.set_jobs_disputed(status.jobs_disputed() + 1);
    if (held->suspended) status.set_jobs_suspended(status.jobs_suspended() + 1);
  }
  status.set_last_sync_ms(last_sync_ms_);
  status.set_synced(synced_);
  return status;
}

std::vector<std::shared_ptr<const Holding>> LiveCluster::Holdings() const {
  const std::lock_guard lock(mutex_);
  return cluster_.allocator().ledger().Holdings();
}

void LiveCluster::Tick() {
  const std::lock_guard lock(mutex_);
  if (last_call_ms_ == 0) return;
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(
      steady_clock::now() - last_call_);
  AdvanceTo(last_call_ms_ + since.count());
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
