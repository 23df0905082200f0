// SPDX-License-Identifier: GPL-3.0-or-later
// Sender: the background thread.
#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/event_calls.h"
#include "client/sender.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;
using Severity = ClientOptions::Severity;

constexpr milliseconds kEventTimeout{5000};
constexpr milliseconds kSyncTimeout{5000};
// If no call has failed: a stall that no job notices must not open the breaker.
constexpr milliseconds kKeepAliveTimeout{1000};
// While the daemon is drained.
constexpr milliseconds kDrainedKeepAlivePeriod{1000};
constexpr milliseconds kMinPause{100};
constexpr milliseconds kMaxPause{1000};
// Max time that the destructor waits for a pause.
constexpr milliseconds kStopCheckPeriod{20};
constexpr milliseconds kAfterRefusedSync{10'000};
// Consecutive timeouts after which a connection is replaced.
constexpr int kTimeoutsPerConnection = 5;

milliseconds PauseAfter(int consecutive_failures) {
  return std::min(kMaxPause,
                  kMinPause * (1 << std::min(consecutive_failures - 1, 4)));
}

void SetTimeout(grpc::ClientContext& context, milliseconds timeout) {
  context.set_deadline(std::chrono::system_clock::now() + timeout);
}

}  // namespace

bool AllocatorClient::Sender::NoteAnswer() {
  failures_ = 0;
  last_call_unanswered_ = false;
  std::size_t waiting = 0;
  bool usable = false;
  std::optional<Clock::time_point> since;
  {
    const std::lock_guard lock(mutex_);
    next_keep_alive_ =
        Clock::now() + (is_drained_ ? std::min(kDrainedKeepAlivePeriod,
                                               options_.keep_alive_period)
                                    : options_.keep_alive_period);
    if (sync_state_) waiting = queue_.Waiting();
    // Otherwise an Allocate would wait for the Sync, or for events that it
    // cannot carry.
    usable = !snapshot_ && (waiting == 0 || CanAttachAll());
    if (usable && breaker_.ProbeSucceeded(Clock::now()))
      since = std::exchange(unreachable_since_, std::nullopt);
  }
  if (since) {
    const auto outage_ms =
        std::chrono::duration_cast<milliseconds>(Clock::now() - *since).count();
    Log(Severity::kInfo,
        absl::StrCat("coolspand at ", channels_.Current().endpoint.text,
                     " responds again after ", outage_ms, " ms"));
  }
  return usable && waiting == 0;
}

void AllocatorClient::Sender::NoteFailure(const absl::Status& why,
                                          const Channels::Route& route) {
  ++failures_;
  breaker_.ProbeFailed(Clock::now());
  if (why.code() == absl::StatusCode::kDeadlineExceeded &&
      failures_ % kTimeoutsPerConnection == 0) {
    channels_.Reconnect(route.index);
  }
  if (const auto leader = LeaderInRefusal(why)) {
    // It responds: until there is a leader, all are asked often.
    failures_ = 1;
    channels_.MoveToLeader(route.index, *leader);
  } else {
    channels_.MoveOn(route.index);
  }
  NoteUnreachable(why, route.endpoint);
  {
    const std::lock_guard lock(mutex_);
    // Whether the next one to answer is drained is not known.
    is_drained_ = false;
    if (LeaderInRefusal(why).has_value()) moves_by_drain_ = 0;
    if (snapshot_) ++failed_syncs_;
  }
  changed_.notify_all();
}

void AllocatorClient::Sender::NoteRefusalByDrain(const Done& done) {
  NoteAnswer();
  // The next daemon gets the Sync, for which decisions still wait.
  if (NoteDrained(true, done.route, done.generation)) return;
  {
    const std::lock_guard lock(mutex_);
    if (snapshot_) ++failed_syncs_;
  }
  changed_.notify_all();
  Pause(std::min(kDrainedKeepAlivePeriod, options_.keep_alive_period));
}

void AllocatorClient::Sender::NoteUnconfirmed(const absl::Status& why) {
  last_call_unanswered_ = true;
  // Not the first one, which may also be due to a daemon that has just died.
  if (++unconfirmed_calls_ != 2) return;
  Log(Severity::kWarning,
      absl::StrCat("coolspand responds but does not acknowledge events (",
                   why.message(), "): retrying"));
}

void AllocatorClient::Sender::Pause(Clock::duration length) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, length, [this] { return stopping_; });
}

void AllocatorClient::Sender::PauseAfterFailure() {
  const Clock::time_point end = Clock::now() + PauseAfter(failures_);
  const std::shared_ptr<grpc::Channel> channel = channels_.Current().channel;
  if (channel->GetState(false) == GRPC_CHANNEL_READY) {
    return Pause(end - Clock::now());
  }
  // Waiting makes gRPC connect; after probes alone, which fail immediately, it
  // would do so by a timer of five seconds.
  while (Clock::now() < end &&
         !channel->WaitForConnected(std::chrono::system_clock::now() +
                                    kStopCheckPeriod)) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
  }
}

bool AllocatorClient::Sender::IsKeepAliveDue(Clock::time_point now) const {
  return sync_state_ &&
         (now >= next_keep_alive_ || unavailable_ != sent_unavailable_);
}

bool AllocatorClient::Sender::WaitForWork() {
  std::unique_lock lock(mutex_);
  const auto has_work = [this] {
    return stopping_ || snapshot_ || probe_needed_ ||
           (sync_state_ && queue_.Waiting() > 0) ||
           IsKeepAliveDue(Clock::now()) ||
           breaker_.state(Clock::now()) != CircuitBreaker::State::kClosed;
  };
  while (!has_work()) {
    if (sync_state_) {
      changed_.wait_until(lock, next_keep_alive_);
    } else {
      changed_.wait(lock);
    }
  }
  return !stopping_;
}

void AllocatorClient::Sender::Run() {
  while (WaitForWork()) {
    calls_.FreeAbandoned();
    const Done done = SendNext();
    const auto& [step, route, status, generation] = done;
    answered_route_ = status.ok() ? std::optional(route.index) : std::nullopt;
    if (status.ok()) {
      if (step != Step::kProbe) unconfirmed_calls_ = 0;
      const bool caught_up = NoteAnswer();
      if (unconfirmed_calls_ > 0) {
        Pause(PauseAfter(unconfirmed_calls_));
      } else if (caught_up && breaker_.state(Clock::now()) !=
                                  CircuitBreaker::State::kClosed) {
        // Still open: probes are answered, but too many calls were not.
        Pause(kMaxPause);
      }
    } else if (IsRefusedByDrain(status)) {
      NoteRefusalByDrain(done);
    } else if (step == Step::kEvent) {
      NoteUnconfirmed(status);
    } else {
      last_call_unanswered_ = true;
      NoteFailure(status, route);
      PauseAfterFailure();
    }
  }
}

AllocatorClient::Sender::Done AllocatorClient::Sender::SendNext() {
  std::shared_ptr<const v1::SyncRequest> snapshot;
  std::optional<SyncState> sync_state;
  std::optional<Queued> event;
  std::uint64_t generation = 0;
  std::string unavailable;
  milliseconds timeout = CircuitBreaker::kMaxMisses * options_.deadline;
  grpc::ClientContext context;
  const Channels::Route route = channels_.Current();
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      return {Step::kProbe, route,
              absl::CancelledError("the client is stopping"), 0};
    }
    // A Sync may take long. Of several daemons, the one to get it is first
    // asked for a sign of life, and one that is drained may refuse it.
    if ((channels_.size() == 1 && !is_drained_) ||
        answered_route_ == route.index) {
      snapshot = snapshot_;
    }
    sync_state = sync_state_;
    generation = queue_.Generation();
    const Clock::time_point now = Clock::now();
    if (sync_state && route.index == sync_state->route &&
        !last_call_unanswered_ && !probe_needed_) {
      if (!IsKeepAliveDue(now)) event = queue_.Front();
      if (breaker_.state(now) == CircuitBreaker::State::kClosed)
        timeout = std::max(timeout, kKeepAliveTimeout);
    }
    if (!snapshot) probe_needed_ = false;
    if (!snapshot && !event) unavailable = unavailable_;
    current_call_ = &context;
  }
  Done done{Step::kProbe, route, absl::OkStatus(), generation};
  if (snapshot) {
    done.step = Step::kSync;
    done.status = SendSync(context, route, generation, *snapshot);
  } else if (event) {
    done.step = Step::kEvent;
    done.status = SendEvent(context, route, *sync_state, *event);
  } else {
    done.status = KeepAlive(context, route, sync_state, unavailable, timeout);
  }
  const std::lock_guard lock(mutex_);
  current_call_ = nullptr;
  return done;
}

absl::Status AllocatorClient::Sender::SendSync(
    grpc::ClientContext& context, const Channels::Route& route,
    std::uint64_t generation, const v1::SyncRequest& snapshot) {
  SetTimeout(context, kSyncTimeout);
  v1::SyncReply reply;
  absl::Status status = ToAbsl(route.stub->Sync(&context, snapshot, &reply));
  if (IsUnanswered(status.code())) return status;
  {
    const std::lock_guard lock(mutex_);
    if (queue_.Generation() != generation || !snapshot_) return {};
    snapshot_.reset();
    if (status.ok()) {
      channels_.BeginTerm(generation, reply.term());
      sync_state_ = SyncState{generation, reply.epoch(), route.index};
      ++counters_.syncs_acknowledged;
    } else {
      sync_needed_ = true;
      sync_not_before_ = Clock::now() + kAfterRefusedSync;
    }
  }
  changed_.notify_all();
  if (!status.ok()) {
    Log(Severity::kError,
        absl::StrCat("coolspand rejected the Sync: ", status.message()));
    return absl::OkStatus();
  }
  Log(Severity::kInfo,
      absl::StrCat("synced with coolspand at ", route.endpoint.text, ": ",
                   snapshot.holdings_size(), " running jobs, ",
                   reply.disagreed_size(), " differed from its ledger"));
  if (reply.unknown_nodes() > 0) {
    Log(Severity::kWarning,
        absl::StrCat(reply.unknown_nodes(),
                     " nodes are not in coolspand's machine file: it will not "
                     "place jobs on them"));
  }
  NoteDrained(reply.drained(), route, generation);
  return absl::OkStatus();
}

absl::Status AllocatorClient::Sender::SendEvent(grpc::ClientContext& context,
                                                const Channels::Route& route,
                                                const SyncState& sync_state,
                                                const Queued& queued) {
  v1::SessionRequest request = queued.event;
  v1::Event& event = *MutableEvent(request);
  event.set_cluster(options_.cluster);
  event.set_epoch(sync_state.epoch);
  event.set_client_id(ClientId(queued.generation));
  event.set_sequence(queued.sequence);
  SetTimeout(context, kEventTimeout);
  v1::EventReply reply;
  absl::Status status =
      ToAbsl(CallForEvent(*route.stub, context, request, reply));
  if (status.ok()) {
    status = channels_.CheckTerm(sync_state.generation, reply.term());
  }
  // Events are never refused; gRPC's server has no free thread.
  if (IsUnanswered(status.code()) || absl::IsResourceExhausted(status)) {
    return status;
  }
  if (!status.ok()) {
    InvalidateSync(sync_state.generation, std::string(status.message()));
    return absl::OkStatus();
  }
  if (!queue_.Acknowledge(queued.generation, queued.sequence))
    return absl::OkStatus();
  const std::lock_guard lock(mutex_);
  ++counters_.events_acknowledged;
  if (reply.sync_wanted()) sync_needed_ = true;
  return absl::OkStatus();
}

void AllocatorClient::Sender::FillCounts(v1::ClientCounts& counts) const {
  const std::lock_guard lock(mutex_);
  counts.set_allocates(counters_.allocates);
  counts.set_answered(counters_.answered);
  counts.set_deadlines_exceeded(counters_.deadlines_exceeded);
  counts.set_rejected_by_breaker(counters_.rejected_by_breaker);
  counts.set_outages(counters_.outages);
  counts.set_overflows(counters_.overflows);
  counts.set_breaker_open(breaker_.state(Clock::now()) !=
                          CircuitBreaker::State::kClosed);
}

absl::Status AllocatorClient::Sender::KeepAlive(
    grpc::ClientContext& context, const Channels::Route& route,
    const std::optional<SyncState>& sync_state, const std::string& unavailable,
    milliseconds timeout) {
  const bool has_moved = sync_state && route.index != sync_state->route;
  v1::KeepAliveRequest request;
  request.set_cluster(options_.cluster);
  if (sync_state && !has_moved) {
    request.set_epoch(sync_state->epoch);
    request.set_client_id(ClientId(sync_state->generation));
    request.set_unavailable(unavailable);
    FillCounts(*request.mutable_client());
  }
  SetTimeout(context, timeout);
  v1::KeepAliveReply reply;
  absl::Status status =
      ToAbsl(route.stub->KeepAlive(&context, request, &reply));
  if (IsUnanswered(status.code()) || absl::IsResourceExhausted(status)) {
    return status;
  }
  if (!sync_state) return absl::OkStatus();
  if (has_moved) {
    // The reply to the Sync tells whether it is drained.
    InvalidateSync(sync_state->generation, MovedTo());
    return absl::OkStatus();
  }
  if (status.ok() && !reply.sync_wanted()) {
    // From a former leader, or etcd was set up anew: the next Sync decides.
    const absl::Status term =
        channels_.CheckTerm(sync_state->generation, reply.term());
    if (!term.ok()) {
      InvalidateSync(sync_state->generation, std::string(term.message()));
      return absl::OkStatus();
    }
  }
  if (status.ok() &&
      NoteDrained(reply.drained(), route, sync_state->generation)) {
    return absl::OkStatus();
  }
  if (reply.replaced()) {
    Log(Severity::kWarning,
        absl::StrCat(
            "another slurmctld has reported the jobs of cluster ",
            options_.cluster,
            " to coolspand, which replaced those of this one (as after "
            "a takeover; otherwise each needs its own ClusterName)"));
  }
  if (reply.sync_wanted()) {
    InvalidateSync(sync_state->generation, reply.replaced()
                                               ? "its jobs were replaced"
                                               : "coolspand was restarted");
    return absl::OkStatus();
  }
  // Also if it was refused: it is repeated soon.
  const std::lock_guard lock(mutex_);
  if (sync_state_ && sync_state_->generation == sync_state->generation)
    sent_unavailable_ = unavailable;
  return absl::OkStatus();
}

}  // namespace coolspan
