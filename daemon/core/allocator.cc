// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/heat/job_load.h"

namespace coolspan {
namespace {

// Rebuilds an answer from its holding, once the answer itself is forgotten.
DecisionPtr DecisionOf(const Holding& held, std::uint64_t ledger_version,
                       TimeMs now_ms) {
  Decision decision;
  decision.id = held.decision_id;
  decision.job = held.job;
  decision.attempt = held.attempt;
  decision.placed = true;
  decision.allocation.nodes = held.nodes;
  decision.is_repeat = true;
  decision.ledger_version = ledger_version;
  decision.decided_ms = now_ms;
  return std::make_shared<const Decision>(std::move(decision));
}

}  // namespace

Allocator::Allocator(std::shared_ptr<const Machine> machine,
                     std::vector<Units> capacity)
    : machine_(std::move(machine)), ledger_({}) {
  if (const auto& room = machine_->room(); room != nullptr) {
    ledger_.TrackLoads(static_cast<float>(room->communication_share()));
    room_states_ = std::make_shared<RoomStates>(room);
  }
  SetCapacity(std::move(capacity));
}

void Allocator::SetCapacity(std::vector<Units> capacity) {
  if (capacity.empty()) capacity.assign(machine_->node_count(), 1);
  for (Units& units : capacity) units = std::max<Units>(units, 1);
  ledger_.Reset(std::move(capacity));
}

std::vector<JobKey> Allocator::AdvanceTo(TimeMs now_ms) {
  now_ms_ = std::max(now_ms_, now_ms);
  while (!forget_times_.empty() && forget_times_.front().first <= now_ms_) {
    const auto found = answered_.find(forget_times_.front().second);
    if (found != answered_.end() && found->second.forget_ms <= now_ms_) {
      answered_.erase(found);
    }
    forget_times_.pop_front();
  }
  return ledger_.Expire(now_ms_);
}

void Allocator::SetClock(TimeMs now_ms) {
  now_ms_ = now_ms;
  ledger_.ExpireAtLatest(now_ms + kTentativeMs);
  recent_starts_.Mutable().LimitTo(now_ms);
  const TimeMs forget_ms = now_ms + kRememberMs;
  for (auto& [job_id, answered] : answered_) {
    answered.forget_ms = std::min(answered.forget_ms, forget_ms);
  }
  for (auto& [when_ms, job_id] : forget_times_) {
    when_ms = std::min(when_ms, forget_ms);
  }
}

const Allocator::Answered* Allocator::FindAnswered(std::uint32_t job_id) const {
  const auto found = answered_.find(job_id);
  return found == answered_.end() ? nullptr : &found->second;
}

void Allocator::Remember(JobKey job, std::uint64_t attempt,
                         DecisionPtr decision) {
  Answered& answered = answered_[job.job_id];
  answered = {job.restart, attempt, 0, std::move(decision)};
  RenewMemory(job.job_id, answered);
}

void Allocator::RenewMemory(std::uint32_t job_id, Answered& answered) {
  answered.forget_ms = now_ms_ + kRememberMs;
  forget_times_.emplace_back(answered.forget_ms, job_id);
}

absl::Status Allocator::CheckNotOutdated(const AllocateCall& call,
                                         const Answered* last,
                                         const Holding* held) const {
  const auto requested = std::pair(call.job.restart, call.attempt);
  const auto outdated = [&call](std::uint32_t restart, std::uint64_t attempt) {
    return absl::AbortedError(
        fmt::format("request {} is outdated (latest: restart {} attempt {})",
                    DecisionId(call.job, call.attempt), restart, attempt));
  };
  if (last != nullptr && requested < std::pair(last->restart, last->attempt)) {
    return outdated(last->restart, last->attempt);
  }
  if (held != nullptr &&
      requested < std::pair(held->job.restart, held->attempt)) {
    return outdated(held->job.restart, held->attempt);
  }
  return absl::OkStatus();
}

absl::StatusOr<DecisionPtr> Allocator::Begin(const AllocateCall& call) {
  AdvanceTo(call.now_ms);
  deciding_.reset();
  const Answered* const last = FindAnswered(call.job.job_id);
  const Holding* const held = ledger_.Find(call.job.job_id);
  absl::Status status = CheckCall(call, *ledger_.availability());
  if (status.ok()) status = CheckNotOutdated(call, last, held);
  if (!status.ok()) return status;

  if (last != nullptr && last->restart == call.job.restart &&
      last->attempt == call.attempt) {
    if (last->decision != nullptr) return Repeat(call, last->decision);
    return absl::AbortedError(fmt::format("the job run of request {} has ended",
                                          DecisionId(call.job, call.attempt)));
  }
  if (held != nullptr && held->job == call.job) {
    if (held->attempt == call.attempt && !held->decision_id.empty() &&
        !held->disputed) {
      return DecisionOf(*held, ledger_.version(), now_ms_);
    }
    if (held->committed) {
      return absl::FailedPreconditionError(
          fmt::format("job {} already holds nodes, from attempt {}",
                      call.job.job_id, held->attempt));
    }
  }
  deciding_ = call.job;
  return nullptr;
}

absl::StatusOr<DecisionPtr> Allocator::Allocate(
    const AllocateCall& call, const DecidingPolicies& policies,
    Budget& budget) {
  absl::StatusOr<DecisionPtr> known = Begin(call);
  if (!known.ok() || *known != nullptr) return known;
  // The snapshot is destroyed before the ledger changes: no copy on write.
  absl::StatusOr<Decision> decision =
      Decide(SnapshotFor(call), call, policies, budget);
  if (!decision.ok()) return decision.status();
  absl::StatusOr<DecisionPtr> held = HoldDecided(call, *std::move(decision));
  if (held.ok() && *held == nullptr) {
    return absl::InternalError(
        "the allocation of the policy conflicts with the ledger");
  }
  return held;
}

absl::StatusOr<DecisionPtr> Allocator::Hold(const AllocateCall& call,
                                            Decision decision) {
  if (deciding_ != call.job) {
    return absl::AbortedError(fmt::format(
        "the job run of request {} ended during the decision", decision.id));
  }
  const Holding* const held = ledger_.Find(call.job.job_id);
  if (held != nullptr && held->committed && held->job == call.job) {
    return absl::FailedPreconditionError(
        fmt::format("job {} already holds nodes", call.job.job_id));
  }
  absl::Status status =
      CheckNotOutdated(call, FindAnswered(call.job.job_id), held);
  if (!status.ok()) return status;
  return HoldDecided(call, std::move(decision));
}

// Replaces the job's earlier holding, unless the decision no longer fits.
absl::StatusOr<DecisionPtr> Allocator::HoldDecided(const AllocateCall& call,
                                                   Decision decision) {
  const auto replaced = ledger_.FindShared(call.job.job_id);
  if (replaced != nullptr) ledger_.Release(call.job.job_id);
  if (decision.placed) {
    std::optional<Holding> holding = HoldingFor(call, decision);
    if (!holding.has_value()) {
      if (replaced != nullptr) Restore(*replaced);
      return nullptr;
    }
    ledger_.HoldTentatively(*std::move(holding));
  }
  deciding_.reset();
  auto answer = std::make_shared<const Decision>(std::move(decision));
  Remember(call.job, call.attempt, answer);
  return answer;
}

absl::StatusOr<DecisionPtr> Allocator::Repeat(const AllocateCall& call,
                                              const DecisionPtr& decision) {
  if (!decision->placed || ledger_.Find(call.job.job_id) != nullptr) {
    Decision repeated = *decision;
    repeated.is_repeat = true;
    return std::make_shared<const Decision>(std::move(repeated));
  }
  std::optional<Holding> holding = HoldingFor(call, *decision);
  if (!holding.has_value()) {
    return absl::AbortedError(fmt::format(
        "the nodes of request {} expired and are held by other jobs (expected "
        "a new attempt)",
        decision->id));
  }
  DecisionPtr answer = decision;
  ledger_.HoldTentatively(*std::move(holding));
  RenewMemory(call.job.job_id, answered_.find(call.job.job_id)->second);
  return answer;
}

const Holding* Allocator::ReplacedBy(const AllocateCall& call) const {
  const Holding* held = ledger_.Find(call.job.job_id);
  const bool replaces =
      held != nullptr &&
      (!held->committed || held->job.restart < call.job.restart);
  return replaces ? held : nullptr;
}

MachineSnapshot Allocator::Snapshot() const {
  return {machine_,      ledger_.availability(), room_states_,
          correction_,   ledger_.version(),      now_ms_,
          recent_starts_};
}

MachineSnapshot Allocator::SnapshotFor(const AllocateCall& call) const {
  MachineSnapshot snapshot = Snapshot();
  snapshot.taken_ms = std::max(now_ms_, call.now_ms);
  const std::optional<TimeMs> expiry_ms = ledger_.next_expiry_ms();
  const bool expires = expiry_ms.has_value() && *expiry_ms <= snapshot.taken_ms;
  const Holding* const replaced = ReplacedBy(call);
  if (replaced == nullptr && !expires) return snapshot;
  snapshot.availability = ledger_.AvailabilityWithout(
      snapshot.taken_ms,
      replaced == nullptr ? std::nullopt : std::optional(call.job.job_id));
  return snapshot;
}

absl::StatusOr<Decision> Allocator::Preview(const AllocateCall& call,
                                            const DecidingPolicies& policies,
                                            Budget& budget) const {
  const MachineSnapshot snapshot = SnapshotFor(call);
  if (absl::Status status = CheckCall(call, *snapshot.availability);
      !status.ok()) {
    return status;
  }
  return Decide(snapshot, call, policies, budget);
}

std::optional<Holding> Allocator::HoldingFor(const AllocateCall& call,
                                             const Decision& decision) const {
  Holding holding;
  holding.job = call.job;
  holding.attempt = call.attempt;
  holding.whole = call.request.whole;
  holding.nodes = decision.allocation.nodes;
  holding.expires_ms = now_ms_ + kTentativeMs;
  holding.decision_id = decision.id;
  holding.communication_share = decision.communication_share;
  if (call.request.expected_run_ms > 0) {
    holding.expected_end_ms =
        now_ms_ + std::min(call.request.expected_run_ms,
                           std::numeric_limits<TimeMs>::max() - now_ms_);
  }
  UnitsOfJob taken = UnitsTaken(call.request, holding.nodes,
                                ledger_.availability()->free_units);
  if (!taken.suffice) return std::nullopt;
  holding.units = std::move(taken.units);
  if (!ledger_.Fits(holding)) return std::nullopt;
  return holding;
}

}  // namespace coolspan
