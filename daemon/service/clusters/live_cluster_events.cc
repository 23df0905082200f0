// SPDX-License-Identifier: GPL-3.0-or-later
// LiveCluster: the events of its client.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "service/clusters/live_cluster.h"
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

}  // namespace

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
  reply.set_term(term());
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
  absl::Status status = WaitForStore(*ticket);
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
      *ticket, [is_leader = TenureCheck(), reply = std::move(reply),
                done = std::move(done)](absl::Status status) {
        status.Update(is_leader());
        if (!status.ok()) return done(std::move(status));
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
  // The job is stored without what is missing: the next daemon must know, even
  // if it has the machine file that this one lacks.
  if (is_incomplete_ && !std::exchange(is_incomplete_stored_, true)) {
    setting_.journal->NoteIncomplete(name_, tenure_);
  }
  return setting_.journal->Append(std::move(cluster_event));
}

}  // namespace coolspan
