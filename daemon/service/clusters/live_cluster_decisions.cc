// SPDX-License-Identifier: GPL-3.0-or-later
// Decisions and previews of LiveCluster.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/deadline.h"
#include "formats/file_error.h"
#include "service/clusters/idle_priority.h"
#include "service/clusters/job_mapping.h"
#include "service/clusters/live_cluster.h"
#include "service/codec/job_start.h"
#include "service/codec/pattern_message.h"
#include "service/codec/wire.h"

namespace coolspan {
namespace {

using std::chrono::steady_clock;

// Limit of events queued when another is to be compared: the snapshot of each
// keeps a copy of what has changed since.
constexpr std::size_t kMaxCompared = 64;

// A decision that is requested for a time so much earlier than the latest one
// shows that the client's clock was set back: no call takes so long.
constexpr TimeMs kClockStepMs = 60'000;

// Leaves a margin: a search checks the clock only between portions of work.
steady_clock::duration TimeToDecide(TimeLimits limits) {
  return std::min(limits.decision,
                  (limits.answer_by - steady_clock::now()) * 4 / 5);
}

}  // namespace

class LiveCluster::DecisionScope {
 public:
  DecisionScope(LiveCluster& cluster, std::unique_lock<std::mutex>& lock)
      : cluster_(cluster), lock_(lock) {
    cluster_.is_deciding_ = true;
    cluster_.deciding_since_ = steady_clock::now();
  }
  ~DecisionScope() {
    if (!lock_.owns_lock()) lock_.lock();
    cluster_.is_deciding_ = false;
  }
  DecisionScope(const DecisionScope&) = delete;
  DecisionScope& operator=(const DecisionScope&) = delete;

 private:
  LiveCluster& cluster_;
  std::unique_lock<std::mutex>& lock_;
};

void LiveCluster::Allocate(const v1::AllocateRequest& request,
                           TimeLimits limits, std::function<bool()> has_left,
                           DecisionQueue::Done done) {
  absl::Status status = CheckTime(request.now_ms());
  if (!status.ok()) return done(std::move(status));
  // Before the lock, and not on the thread of decisions.
  auto pattern = PatternOf(request);
  if (!pattern.ok()) return done(pattern.status());
  CurrentConfig::Ptr config = setting_.config->Get();
  PolicyChoice choice = config->rules.Choose(request);
  DecisionQueue::Call call{&request,
                           limits,
                           std::move(has_left),
                           std::move(done),
                           std::move(config),
                           std::move(choice),
                           *std::move(pattern)};
  {
    const std::lock_guard lock(mutex_);
    NoteContact();
    const auto mode = ModeOf(request, call.choice.mode);
    status = mode.ok() ? ApplyAttached(request) : mode.status();
    if (status.ok() && waiting_.is_full()) {
      status = absl::ResourceExhaustedError(
          fmt::format("too many decisions are waited for (expected at most {})",
                      DecisionQueue::kMaxCalls));
    }
    if (status.ok()) {
      waiting_.Add(std::move(call));
      return work_.notify_one();
    }
  }
  call.done(std::move(status));
}

absl::StatusOr<bool> LiveCluster::IsReady(
    const v1::AllocateRequest& request) const {
  if (absl::Status status = CheckCurrent(request); !status.ok()) return status;
  return queues_.Reached(request.client_id(), request.after_sequence());
}

std::optional<DecisionQueue::Call> LiveCluster::NextCall(
    std::unique_lock<std::mutex>& lock) {
  for (;;) {
    std::vector<DecisionQueue::Ended> ended;
    std::optional<DecisionQueue::Call> next;
    const auto now = steady_clock::now();
    if (is_stopping_) {
      const absl::Status removed = CheckServed();
      waiting_.EndAll(
          removed.ok() ? absl::UnavailableError("the daemon is shutting down")
                       : removed,
          ended);
    } else {
      next = waiting_.TakeNext(
          now, [this](const auto& request) { return IsReady(request); }, ended);
    }
    if (!ended.empty()) {
      lock.unlock();
      for (DecisionQueue::Ended& call : ended) {
        call.done(std::move(call.status));
      }
      lock.lock();
    }
    if (next.has_value()) return next;
    if (is_stopping_ && waiting_.is_empty()) return std::nullopt;
    if (!ended.empty()) continue;
    if (waiting_.is_empty()) {
      work_.wait(lock);
    } else {
      work_.wait_until(lock, waiting_.NextLook(now));
    }
  }
}

void LiveCluster::RunDecisions() {
  std::unique_lock lock(mutex_);
  while (auto call = NextCall(lock)) {
    AnswerCall(*std::move(call), lock);
    if (!lock.owns_lock()) lock.lock();
  }
}

// Also without a decision, an answer confirms the events before the request.
void LiveCluster::AnswerCall(DecisionQueue::Call call,
                             std::unique_lock<std::mutex>& lock) {
  // It may have changed while the call waited; it was valid before.
  const PlacementMode mode = *ModeOf(*call.request, call.choice.mode);
  if (mode == PlacementMode::kOff) {
    lock.unlock();
    v1::AllocateReply reply;
    reply.set_term(term());
    reply.set_reason("mode=off");
    reply.set_mode(std::string(NameOf(mode)));
    return call.done(std::move(reply));
  }
  absl::StatusOr<Answer> answer;
  std::shared_ptr<const NodeTable> table;
  {
    const DecisionScope scope(*this, lock);
    answer = DecideAndHold(call, mode, lock);
    table = cluster_.shared_table();
  }
  lock.unlock();
  if (!answer.ok()) return call.done(answer.status());
  const Decision& decision = *answer->decision;
  if (!decision.is_repeat) {
    setting_.times->Add({decision.policy, mode, answer->elapsed_us,
                         decision.placed, decision.stopped_early});
  }
  v1::AllocateReply reply = EncodeDecision(decision, *table);
  reply.set_term(term());
  reply.set_mode(std::string(NameOf(mode)));
  if (!decision.placed) return call.done(std::move(reply));
  if (call.pattern == nullptr) {
    return ReplyOnceStored(answer->ticket, std::move(reply), std::move(call));
  }
  MapAndReply(*std::move(answer), std::move(table), std::move(reply),
              std::move(call));
}

// Other jobs do not wait for the mapping. If it cannot be made in time, the
// answer is without it.
void LiveCluster::MapAndReply(Answer answer,
                              std::shared_ptr<const NodeTable> table,
                              v1::AllocateReply reply,
                              DecisionQueue::Call call) {
  struct Mapped {
    Answer answer;
    std::shared_ptr<const NodeTable> table;
    v1::AllocateReply reply;
    DecisionQueue::Call call;
  };
  const auto mapped = std::make_shared<Mapped>(Mapped{
      std::move(answer), std::move(table), std::move(reply), std::move(call)});
  const bool is_added = mapping_.Add([this, mapped] {
    Request request;
    request.seed = mapped->call.request->seed();
    request.pattern = mapped->call.pattern;
    Budget budget =
        BudgetUntil(steady_clock::now() + TimeToDecide(mapped->call.limits),
                    &steady_clock::now, nullptr, kRankBitsWork);
    if (budget.HasTime()) {
      AddRankBits(*setting_.machine, request,
                  mapped->answer.decision->allocation.nodes, *mapped->table,
                  std::move(budget), mapped->reply);
    }
    ReplyOnceStored(mapped->answer.ticket, std::move(mapped->reply),
                    std::move(mapped->call));
  });
  if (is_added) return;
  ReplyOnceStored(mapped->answer.ticket, std::move(mapped->reply),
                  std::move(mapped->call));
}

void LiveCluster::ReplyOnceStored(Journal::Ticket ticket,
                                  v1::AllocateReply reply,
                                  DecisionQueue::Call call) {
  // After a restart, the nodes must not be given to another job.
  setting_.journal->WhenWritten(
      ticket, call.limits.answer_by,
      [is_leader = TenureCheck(), reply = std::move(reply),
       done = std::move(call.done)](absl::Status status) mutable {
        status.Update(is_leader());
        if (!status.ok()) return done(std::move(status));
        done(std::move(reply));
      });
}

absl::StatusOr<PlacementMode> LiveCluster::ModeOf(
    const v1::AllocateRequest& request, PlacementMode max) const {
  const std::optional<PlacementMode> of_client =
      request.mode().empty() ? PlacementMode::kEnforce
                             : ParsePlacementMode(request.mode());
  if (!of_client.has_value()) {
    return absl::InvalidArgumentError(
        fmt::format("mode: {} (expected {})", Quoted(request.mode()),
                    fmt::join(kPlacementModes, ", ")));
  }
  return std::min(mode_.value_or(*of_client), max);
}

// Releases the lock while the policy searches.
absl::StatusOr<LiveCluster::Answer> LiveCluster::DecideAndHold(
    const DecisionQueue::Call& queued, PlacementMode mode,
    std::unique_lock<std::mutex>& lock) {
  const v1::AllocateRequest& request = *queued.request;
  const DecisionConfig& config = *queued.config;
  const PolicyChoice& choice = queued.choice;
  const auto start = steady_clock::now();
  const auto call = cluster_.Decode(request, queued.pattern);
  if (!call.ok()) return call.status();
  const TimeMs known_ms = ClientTimeMs();
  if (known_ms != 0 && request.now_ms() > known_ms + kMaxAheadMs) {
    // Taken as the time, it would end all tentative allocations, and keep this
    // one until the clock of the other calls has reached it.
    return absl::FailedPreconditionError(fmt::format(
        "now_ms: {} s ahead of the time since the last call (expected a Sync "
        "first: it sets the clock)",
        (request.now_ms() - known_ms) / kMsPerSecond));
  }
  // Otherwise holdings would expire late by the time that the clock was ahead,
  // perhaps before the daemon was restarted.
  if (!is_clock_known_ ||
      request.now_ms() + kClockStepMs < cluster_.allocator().now_ms()) {
    cluster_.SetClock(request.now_ms());
    is_clock_known_ = true;
  }
  AdvanceTo(request.now_ms());
  NoteCall(request.now_ms());
  if (absl::Status status = setting_.journal->CheckCapacity(); !status.ok()) {
    return status;
  }
  const auto decide_by = start + TimeToDecide(queued.limits);
  Budget budget = BudgetUntil(decide_by, &steady_clock::now,
                              [this] { return is_hurried_.load(); });
  Decided decided;
  decided.ordering = choice.ordering;
  decided.rule = choice.rule;
  decided.mode = mode;
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
    absl::StatusOr<Decision> decision;
    try {
      decision =
          Decide(*snapshot, *call,
                 {*choice.policy, config.redline_fallback.get()}, budget);
    } catch (const std::exception& error) {
      // Such as out of memory: this job's decision failed, not the daemon.
      decision = absl::InternalError(
          fmt::format("the decision failed: {}", error.what()));
    }
    lock.lock();
    if (!decision.ok()) return decision.status();
    absl::Status status = CheckCurrent(request);
    if (!status.ok()) return status;
    if (steady_clock::now() >= queued.limits.answer_by) {
      return absl::UnavailableError("deadline exceeded during the decision");
    }
    decided.basis = nullptr;
    if (IsCompared(*decision, config.rules.reference_policies())) {
      decided.basis = std::make_shared<const ComparisonBasis>(
          ComparisonBasis{config.rules.reference_policies(), *snapshot, *call});
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
  Answer held{*answer, decided.elapsed_us, setting_.journal->last()};
  if (!held.decision->is_repeat) {
    held.ticket = RecordDecision(std::move(decided), before);
  }
  return held;
}

bool LiveCluster::IsCompared(const Decision& decision,
                             const ReferencePolicies& references) const {
  return decision.placed && setting_.machine->room() != nullptr &&
         references.coolest != nullptr;
}

Journal::Ticket LiveCluster::RecordDecision(
    Decided decided, const std::optional<PriorDecision>& before) {
  const Decision& decision = *decided.decision;
  if (decision.guarded) ++redline_counts_.guarded;
  if (decision.over_redline) ++redline_counts_.over;
  if (decision.placed) tentative_[decision.job.job_id] = decision.id;
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
  return setting_.journal->Append(std::move(cluster_event));
}

std::optional<Advice> LiveCluster::AdviceBefore(
    const std::optional<v1::JobStart>& start, JobKey job) const {
  if (!start.has_value() || start->verdict() != kAdvised ||
      setting_.journal->waiting() > kMaxCompared) {
    return std::nullopt;
  }
  std::shared_ptr<const Holding> decided =
      cluster_.allocator().ledger().FindShared(job.job_id);
  if (decided == nullptr || decided->committed || decided->job != job ||
      decided->decision_id != start->decision_id()) {
    return std::nullopt;
  }
  const MachineSnapshot before = cluster_.allocator().Snapshot();
  return Advice{std::move(decided), nullptr, before, before};
}

std::shared_ptr<const Advice> LiveCluster::AdviceAfter(
    std::optional<Advice> advice) const {
  if (!advice.has_value()) return nullptr;
  advice->actual =
      cluster_.allocator().ledger().FindShared(advice->decided->job.job_id);
  if (advice->actual == nullptr) return nullptr;
  advice->after = cluster_.allocator().Snapshot();
  return std::make_shared<const Advice>(*std::move(advice));
}

// No job waits for a preview, so its search runs at idle priority.
absl::StatusOr<v1::AllocateReply> LiveCluster::Preview(
    const v1::AllocateRequest& request, const Policy& policy, TimeLimits limits,
    SearchControl control) const {
  // Without bitmaps and tiers the request does not depend on the node table.
  const bool needs_table =
      !request.epoch().empty() || !request.candidates().empty() ||
      !request.required().empty() || !request.excluded().empty() ||
      !request.tiers().empty();
  auto pattern = PatternOf(request);
  if (!pattern.ok()) return pattern.status();
  absl::StatusOr<AllocateCall> call;
  std::optional<MachineSnapshot> snapshot;
  std::shared_ptr<const NodeTable> table;
  {
    const std::lock_guard lock(mutex_);
    absl::Status status = cluster_.CheckEpoch(
        needs_table ? request.epoch() : cluster_.table().epoch());
    if (!status.ok()) return status;
    call = cluster_.Decode(request, *std::move(pattern));
    if (!call.ok()) return call.status();
    snapshot = cluster_.allocator().SnapshotFor(*call);
    table = cluster_.shared_table();
  }
  if (absl::Status status = CheckCall(*call, *snapshot->availability);
      !status.ok()) {
    return status;
  }
  const CurrentConfig::Ptr config = setting_.config->Get();
  absl::StatusOr<Decision> decision;
  RunAtIdlePriority([&] {
    Budget budget = BudgetUntil(control.now() + TimeToDecide(limits),
                                control.now, control.stop);
    decision = Decide(*snapshot, *call,
                      {policy, config->redline_fallback.get()}, budget);
  });
  if (!decision.ok()) return decision.status();
  v1::AllocateReply reply = EncodeDecision(*decision, *table);
  RunAtIdlePriority([&] {
    AddRankBits(*setting_.machine, call->request, decision->allocation.nodes,
                *table,
                BudgetUntil(control.now() + TimeToDecide(limits), control.now,
                            control.stop, kRankBitsWork),
                reply);
  });
  return reply;
}

absl::StatusOr<std::vector<NodeId>> LiveCluster::NodesOf(
    std::uint32_t job_id) const {
  const std::lock_guard lock(mutex_);
  const Holding* const holding = cluster_.allocator().ledger().Find(job_id);
  if (holding != nullptr) return holding->nodes;
  return absl::NotFoundError(fmt::format(
      "job {} holds no nodes in cluster {} (expected a running job)", job_id,
      cluster_.name()));
}

}  // namespace coolspan
