// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/client.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/event_calls.h"
#include "client/sender.h"
#include "client/wall_clock.h"

namespace coolspan {
namespace {

constexpr const char* kSyncRequired = "sync required";

void SetHolding(v1::Holding holding, v1::Event& event) {
  event.set_now_ms(WallClockMs());
  *event.mutable_job() = holding.job();
  *event.mutable_holding() = std::move(holding);
}

}  // namespace

absl::StatusOr<AllocatorClient::Sender::SyncState>
AllocatorClient::Sender::FillIn(v1::AllocateRequest& request,
                                Clock::time_point deadline) {
  request.set_cluster(options_.cluster);
  if (request.now_ms() == 0) request.set_now_ms(WallClockMs());
  request.set_attempt(
      attempts_.Next(request.job().job_id(), request.job().restart(),
                     static_cast<std::uint64_t>(WallClockMs())));
  std::unique_lock lock(mutex_);
  const std::uint64_t failed_syncs = failed_syncs_;
  const bool in_time = changed_.wait_until(lock, deadline, [&] {
    return sync_state_ || !snapshot_ || failed_syncs_ != failed_syncs ||
           stopping_;
  });
  if (!in_time)
    return absl::DeadlineExceededError(
        "sync failed: no response within the deadline");
  if (!sync_state_) {
    if (snapshot_ && is_drained_) return absl::UnavailableError(kDaemonDrained);
    if (snapshot_)
      return absl::UnavailableError("sync failed: coolspand unreachable");
    return absl::FailedPreconditionError(kSyncRequired);
  }
  request.set_epoch(sync_state_->epoch);
  request.set_client_id(ClientId(sync_state_->generation));
  request.set_after_sequence(queue_.LastSequence());
  // The separate call for each event waits for the daemon's disk; the decision
  // does not, if the request carries the events.
  request.clear_events();
  for (Queued& queued : Undelivered()) {
    v1::SessionRequest& attached = *request.add_events();
    attached = std::move(queued.event);
    MutableEvent(attached)->set_sequence(queued.sequence);
  }
  return *sync_state_;
}

absl::StatusOr<v1::AllocateReply> AllocatorClient::Sender::CallAllocate(
    const v1::AllocateRequest& request, const Channels::Route& route,
    const SyncState& sync_state, Clock::time_point deadline) {
  if (route.index != sync_state.route)
    return absl::FailedPreconditionError(MovedTo());
  absl::StatusOr<v1::AllocateReply> reply =
      calls_.Allocate(*route.stub, request, deadline);
  const absl::Status status =
      reply.ok() ? channels_.CheckTerm(sync_state.generation, reply->term())
                 : reply.status();
  if (status.ok()) return reply;
  if (!IsUnanswered(status.code()) || IsRefusedByDrain(status)) return status;
  if (const auto leader = LeaderInRefusal(status)) {
    channels_.MoveToLeader(route.index, *leader);
  } else {
    channels_.MoveOn(route.index);
  }
  if (status.code() == absl::StatusCode::kDeadlineExceeded) {
    return absl::DeadlineExceededError(
        absl::StrCat("no answer from ", route.endpoint.text, " within ",
                     options_.deadline.count(), " ms"));
  }
  const std::string why =
      absl::StrCat(route.endpoint.text, ": ", status.message());
  // There is time for another daemon.
  if (HasMoved(sync_state))
    return absl::FailedPreconditionError(absl::StrCat(why, "; ", MovedTo()));
  return absl::Status(status.code(), why);
}

void AllocatorClient::Sender::NoteDelivered(std::uint64_t generation,
                                            std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  if (sync_state_ && sync_state_->generation == generation)
    delivered_through_ = std::max(delivered_through_, sequence);
}

void AllocatorClient::Sender::NoteOutcome(const absl::Status& status,
                                          const Endpoint& endpoint,
                                          Clock::time_point start) {
  const Clock::time_point now = Clock::now();
  if (!IsUnanswered(status.code())) {
    breaker_.Succeeded(now);
    const std::lock_guard lock(mutex_);
    ++counters_.answered;
    return;
  }
  const auto delay = 2 * (now - start) >= options_.deadline
                         ? CircuitBreaker::Delay::kDeadline
                         : CircuitBreaker::Delay::kNone;
  const bool opened = breaker_.Failed(now, delay);
  {
    const std::lock_guard lock(mutex_);
    probe_needed_ = true;
    if (delay == CircuitBreaker::Delay::kDeadline)
      ++counters_.deadlines_exceeded;
  }
  changed_.notify_all();  // the thread starts probing
  if (opened) NoteUnreachable(status, endpoint);
}

absl::StatusOr<v1::AllocateReply> AllocatorClient::Sender::Allocate(
    v1::AllocateRequest request) {
  const Clock::time_point start = Clock::now();
  const Clock::time_point deadline = start + options_.deadline;
  {
    const std::lock_guard lock(mutex_);
    ++counters_.allocates;
    if (!sync_state_ && !snapshot_) {
      return absl::FailedPreconditionError(kSyncRequired);
    }
    if (is_drained_) {
      ++counters_.rejected_by_drain;
      return absl::UnavailableError(kDaemonDrained);
    }
  }
  if (!breaker_.Admit(start)) {
    const std::lock_guard lock(mutex_);
    ++counters_.rejected_by_breaker;
    return absl::UnavailableError(kCircuitBreakerOpen);
  }
  const absl::StatusOr<SyncState> sync_state = FillIn(request, deadline);
  if (absl::IsFailedPrecondition(sync_state.status())) {
    breaker_.Cancelled();
    return sync_state.status();
  }
  const Channels::Route route = channels_.Current();
  absl::StatusOr<v1::AllocateReply> reply =
      sync_state.ok() ? CallAllocate(request, route, *sync_state, deadline)
                      : absl::StatusOr<v1::AllocateReply>(sync_state.status());
  const bool must_sync =
      sync_state.ok() && (absl::IsFailedPrecondition(reply.status()) ||
                          absl::IsOutOfRange(reply.status()));
  if (must_sync && HasMoved(*sync_state)) {
    breaker_.Cancelled();
    InvalidateSync(sync_state->generation,
                   std::string(reply.status().message()));
    return reply.status();
  }
  if (IsRefusedByDrain(reply.status())) {
    breaker_.Succeeded(Clock::now());
    if (NoteDrained(true, route, sync_state->generation))
      return absl::FailedPreconditionError(kSyncRequired);
    const std::lock_guard lock(mutex_);
    ++counters_.rejected_by_drain;
    return absl::UnavailableError(kDaemonDrained);
  }
  NoteOutcome(reply.status(), route.endpoint, start);
  if (reply.ok())
    NoteDelivered(sync_state->generation, request.after_sequence());
  if (must_sync) {
    InvalidateSync(sync_state->generation,
                   std::string(reply.status().message()));
    return absl::FailedPreconditionError(reply.status().message());
  }
  return reply;
}

AllocatorClient::AllocatorClient(std::unique_ptr<Sender> sender)
    : sender_(std::move(sender)) {}
AllocatorClient::~AllocatorClient() = default;

absl::StatusOr<std::unique_ptr<AllocatorClient>> AllocatorClient::Create(
    ClientOptions options) {
  absl::StatusOr<std::vector<Endpoint>> endpoints =
      ParseEndpoints(options.address);
  if (!endpoints.ok()) return endpoints.status();
  if (options.cluster.empty())
    return absl::InvalidArgumentError("cluster name is empty");
  if (options.deadline.count() < 1) {
    return absl::InvalidArgumentError("deadline must be at least 1 ms");
  }
  if (options.breaker_period < options.deadline) {
    return absl::InvalidArgumentError(
        "breaker period must not be shorter than the deadline");
  }
  if (options.queue_capacity < 1 || options.queue_bytes < 1) {
    return absl::InvalidArgumentError("queue capacity must be at least 1");
  }
  return std::unique_ptr<AllocatorClient>(new AllocatorClient(
      std::make_unique<Sender>(std::move(options), *std::move(endpoints))));
}

bool AllocatorClient::SyncNeeded() const { return sender_->SyncNeeded(); }

void AllocatorClient::Sync(v1::SyncRequest snapshot) {
  sender_->Sync(std::move(snapshot));
}

void AllocatorClient::Commit(v1::Holding holding,
                             std::optional<v1::JobStart> start) {
  v1::SessionRequest request;
  SetHolding(std::move(holding), *request.mutable_commit());
  if (start.has_value()) {
    *request.mutable_commit()->mutable_start() = *std::move(start);
  }
  sender_->Queue(std::move(request));
}

void AllocatorClient::Release(v1::Job job) {
  v1::SessionRequest request;
  v1::Event& event = *request.mutable_release();
  event.set_now_ms(WallClockMs());
  *event.mutable_job() = std::move(job);
  sender_->Queue(std::move(request));
}

void AllocatorClient::Resize(v1::Holding holding) {
  v1::SessionRequest request;
  SetHolding(std::move(holding), *request.mutable_resize());
  sender_->Queue(std::move(request));
}

void AllocatorClient::Suspend(v1::Job job, bool suspended) {
  v1::SessionRequest request;
  v1::Event& event = *request.mutable_suspend();
  event.set_now_ms(WallClockMs());
  *event.mutable_job() = std::move(job);
  event.set_suspended(suspended);
  sender_->Queue(std::move(request));
}

void AllocatorClient::SetUnavailable(std::string bitmap) {
  sender_->SetUnavailable(std::move(bitmap));
}

absl::StatusOr<v1::AllocateReply> AllocatorClient::Allocate(
    v1::AllocateRequest request) {
  return sender_->Allocate(std::move(request));
}

void AllocatorClient::ReportPower(std::span<const NodePower> powers) {
  sender_->ReportPower(powers);
}

ClientCounters AllocatorClient::Counters() const { return sender_->Counters(); }

}  // namespace coolspan
