// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/sender.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/event_calls.h"
#include "client/wall_clock.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;
using Severity = ClientOptions::Severity;

constexpr milliseconds kEventTimeout{5000};
constexpr milliseconds kSyncTimeout{5000};
constexpr milliseconds kShortestPause{100};
constexpr milliseconds kLongestPause{1000};
// The end of the client waits no longer for a pause.
constexpr milliseconds kWithoutLook{20};
constexpr milliseconds kBetweenSyncs{1000};
constexpr milliseconds kAfterRefusedSync{10'000};
// Events that an Allocate takes along at most; a commit names the cores on each
// of its nodes, so that a few of large jobs would be more than can be sent and
// read within the deadline. Where the daemon was away there may be more: an
// Allocate then has to wait for the thread.
constexpr std::size_t kMaxAttached = 256;
constexpr std::size_t kMaxAttachedBytes = 1 << 18;
// A connection that was silent this often in a row is given up for a new one.
constexpr int kSilencesPerConnection = 5;

milliseconds PauseAfter(int failures_in_a_row) {
  return std::min(kLongestPause,
                  kShortestPause * (1 << std::min(failures_in_a_row - 1, 4)));
}

void SetTimeout(grpc::ClientContext& context, milliseconds timeout) {
  context.set_deadline(std::chrono::system_clock::now() + timeout);
}

}  // namespace

AllocatorClient::Sender::Sender(ClientOptions options,
                                std::vector<Endpoint> endpoints)
    : options_(std::move(options)),
      instance_(absl::StrCat(getpid(), ".", WallClockMs())),
      channels_(std::move(endpoints)),
      power_(channels_,
             [this](Severity severity, const std::string& text) {
               Log(severity, text);
             }),
      breaker_(options_.breaker_period),
      queue_(options_.queue_capacity),
      thread_([this] { Run(); }) {}

AllocatorClient::Sender::~Sender() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (under_way_ != nullptr) under_way_->TryCancel();
  }
  changed_.notify_all();
  thread_.join();
}

std::string AllocatorClient::Sender::ClientId(std::uint64_t generation) const {
  return absl::StrCat(instance_, ".", generation);
}

void AllocatorClient::Sender::Log(Severity severity,
                                  const std::string& text) const {
  if (options_.log) options_.log(severity, text);
}

bool AllocatorClient::Sender::SyncWanted() const {
  const std::lock_guard lock(mutex_);
  return sync_wanted_ && Clock::now() >= sync_not_before_;
}

std::string AllocatorClient::Sender::Mode() const {
  const std::lock_guard lock(mutex_);
  return mode_;
}

ClientCounters AllocatorClient::Sender::Counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

void AllocatorClient::Sender::Sync(v1::SyncRequest snapshot) {
  snapshot.set_cluster(options_.cluster);
  snapshot.set_clock(v1::CLOCK_REAL);
  snapshot.set_sequence(0);
  if (snapshot.now_ms() == 0) snapshot.set_now_ms(WallClockMs());
  {
    const std::lock_guard lock(mutex_);
    snapshot.set_client_id(ClientId(queue_.Restart()));
    snapshot_ = std::make_shared<const v1::SyncRequest>(std::move(snapshot));
    agreement_.reset();
    told_through_ = 0;
    sync_wanted_ = false;
    sync_not_before_ = Clock::now() + kBetweenSyncs;
  }
  changed_.notify_all();
}

void AllocatorClient::Sender::Queue(v1::SessionRequest event) {
  bool overflow = false;
  {
    const std::lock_guard lock(mutex_);
    switch (queue_.Push(std::move(event))) {
      case EventQueue<v1::SessionRequest>::Pushed::kNotSynced:
        return;
      case EventQueue<v1::SessionRequest>::Pushed::kQueued:
        ++counters_.events_queued;
        break;
      case EventQueue<v1::SessionRequest>::Pushed::kOverflow:
        ++counters_.overflows;
        snapshot_.reset();
        agreement_.reset();
        sync_wanted_ = true;
        overflow = true;
        break;
    }
  }
  changed_.notify_all();
  if (overflow) {
    Log(Severity::kWarning,
        absl::StrCat("more than ", options_.queue_capacity,
                     " events wait for coolspand; a Sync will replace them"));
  }
}

void AllocatorClient::Sender::Disagree(std::uint64_t generation,
                                       const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (!agreement_ || agreement_->generation != generation) return;
    agreement_.reset();
    sync_wanted_ = true;
  }
  changed_.notify_all();
  Log(Severity::kInfo, absl::StrCat("coolspand needs a Sync: ", why));
}

void AllocatorClient::Sender::NoteSilence(const absl::Status& why) {
  {
    const std::lock_guard lock(mutex_);
    if (silent_since_ || stopping_) return;
    silent_since_ = Clock::now();
  }
  Log(Severity::kWarning,
      absl::StrCat("no answer (", why.message(),
                   "); jobs are placed without coolspand until it answers"));
}

std::vector<AllocatorClient::Sender::Queued>
AllocatorClient::Sender::Undelivered() const {
  return queue_.Oldest(
      told_through_, kMaxAttached, kMaxAttachedBytes,
      [](const v1::SessionRequest& event) { return event.ByteSizeLong(); });
}

bool AllocatorClient::Sender::CanTellAll() const {
  const std::vector<Queued> undelivered = Undelivered();
  const std::uint64_t told =
      undelivered.empty() ? told_through_ : undelivered.back().sequence;
  return told >= queue_.LastSequence();
}

bool AllocatorClient::Sender::NoteAnswer() {
  failures_ = 0;
  doubtful_ = false;
  std::size_t waiting = 0;
  bool usable = false;
  std::optional<Clock::time_point> since;
  {
    const std::lock_guard lock(mutex_);
    if (agreement_) waiting = queue_.Waiting();
    // An Allocate would have to wait for a Sync, and for events that it cannot
    // take along.
    usable = !snapshot_ && (waiting == 0 || CanTellAll());
    if (usable) since = std::exchange(silent_since_, std::nullopt);
  }
  if (usable) breaker_.ProbeSucceeded(Clock::now());
  if (since) {
    const auto silent_ms =
        std::chrono::duration_cast<milliseconds>(Clock::now() - *since).count();
    Log(Severity::kInfo,
        absl::StrCat("coolspand at ", channels_.Current().text,
                     " answers again after ", silent_ms, " ms"));
  }
  return usable && waiting == 0;
}

void AllocatorClient::Sender::NoteFailure(const absl::Status& why) {
  ++failures_;
  breaker_.ProbeFailed(Clock::now());
  const Channels::Route route = channels_.Current();
  if (why.code() == absl::StatusCode::kDeadlineExceeded &&
      failures_ % kSilencesPerConnection == 0) {
    channels_.Reconnect(route.index);
  }
  channels_.MoveOn(route.index);
  NoteSilence(why);
  {
    const std::lock_guard lock(mutex_);
    if (snapshot_) ++failed_syncs_;
  }
  changed_.notify_all();
}

void AllocatorClient::Sender::NoteUnconfirmed(const absl::Status& why) {
  doubtful_ = true;
  // Not the first one: a daemon that has just died confirms nothing either.
  if (++unconfirmed_calls_ != 2) return;
  Log(Severity::kWarning,
      absl::StrCat("coolspand answers and does not confirm what happened (",
                   why.message(), "); it is told again until it does"));
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
  // gRPC connects while somebody waits for it; probes, which fail at once,
  // leave that to a timer of five seconds.
  while (Clock::now() < end &&
         !channel->WaitForConnected(std::chrono::system_clock::now() +
                                    kWithoutLook)) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
  }
}

bool AllocatorClient::Sender::WaitForWork() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    return stopping_ || snapshot_ || (agreement_ && queue_.Waiting() > 0) ||
           breaker_.state(Clock::now()) != CircuitBreaker::State::kClosed;
  });
  return !stopping_;
}

void AllocatorClient::Sender::Run() {
  while (WaitForWork()) {
    calls_.Bury();
    const auto [step, status] = DoOne();
    if (status.ok()) {
      if (step != Step::kProbe) unconfirmed_calls_ = 0;
      const bool caught_up = NoteAnswer();
      if (unconfirmed_calls_ > 0) {
        Pause(PauseAfter(unconfirmed_calls_));
      } else if (caught_up && breaker_.state(Clock::now()) !=
                                  CircuitBreaker::State::kClosed) {
        // Still open: probes are answered, but two calls in a row were not.
        Pause(kLongestPause);
      }
    } else if (step == Step::kEvent) {
      NoteUnconfirmed(status);
    } else {
      doubtful_ = true;
      NoteFailure(status);
      PauseAfterFailure();
    }
  }
}

AllocatorClient::Sender::Done AllocatorClient::Sender::DoOne() {
  std::shared_ptr<const v1::SyncRequest> snapshot;
  std::optional<Agreement> agreement;
  std::optional<Queued> event;
  std::uint64_t generation = 0;
  grpc::ClientContext context;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return {Step::kProbe, absl::CancelledError("it ends")};
    snapshot = snapshot_;
    agreement = agreement_;
    generation = queue_.Generation();
    if (agreement && !doubtful_) event = queue_.Front();
    under_way_ = &context;
  }
  Done done{Step::kProbe, absl::OkStatus()};
  if (snapshot) {
    done = {Step::kSync, SendSync(context, generation, *snapshot)};
  } else if (event) {
    done = {Step::kEvent, SendEvent(context, *agreement, *event)};
  } else {
    done.status = Probe(context, agreement);
  }
  const std::lock_guard lock(mutex_);
  under_way_ = nullptr;
  return done;
}

absl::Status AllocatorClient::Sender::SendSync(
    grpc::ClientContext& context, std::uint64_t generation,
    const v1::SyncRequest& snapshot) {
  const Channels::Route route = channels_.Current();
  SetTimeout(context, kSyncTimeout);
  v1::SyncReply reply;
  absl::Status status = ToAbsl(route.stub->Sync(&context, snapshot, &reply));
  if (status.ok()) status = channels_.CheckTerm(reply.term());
  if (IsUnanswered(status.code())) return status;
  {
    const std::lock_guard lock(mutex_);
    if (queue_.Generation() != generation || !snapshot_)
      return absl::OkStatus();
    snapshot_.reset();
    if (status.ok()) {
      agreement_ = Agreement{generation, reply.epoch()};
      mode_ = reply.mode();
      ++counters_.syncs_acknowledged;
    } else {
      sync_wanted_ = true;
      sync_not_before_ = Clock::now() + kAfterRefusedSync;
    }
  }
  changed_.notify_all();
  if (!status.ok()) {
    Log(Severity::kError,
        absl::StrCat("coolspand refused the Sync: ", status.message()));
    return absl::OkStatus();
  }
  Log(Severity::kInfo,
      absl::StrCat("coolspand at ", route.text, " knows ",
                   snapshot.holdings_size(), " running jobs; it had ",
                   reply.disagreed_size(), " otherwise"));
  if (reply.unknown_nodes() > 0) {
    Log(Severity::kWarning,
        absl::StrCat(reply.unknown_nodes(),
                     " nodes are not in coolspand's machine file; it will "
                     "not place jobs on them"));
  }
  return absl::OkStatus();
}

absl::Status AllocatorClient::Sender::SendEvent(grpc::ClientContext& context,
                                                const Agreement& agreement,
                                                const Queued& queued) {
  v1::SessionRequest request = queued.event;
  v1::Event& event = *MutableEvent(request);
  event.set_epoch(agreement.epoch);
  event.set_client_id(ClientId(queued.generation));
  event.set_sequence(queued.sequence);
  SetTimeout(context, kEventTimeout);
  v1::EventReply reply;
  absl::Status status =
      ToAbsl(CallForEvent(*channels_.Current().stub, context, request, reply));
  if (status.ok()) status = channels_.CheckTerm(reply.term());
  if (IsUnanswered(status.code())) return status;
  if (!status.ok()) {
    Disagree(agreement.generation, std::string(status.message()));
    return absl::OkStatus();
  }
  if (!queue_.Acknowledge(queued.generation, queued.sequence))
    return absl::OkStatus();
  const std::lock_guard lock(mutex_);
  ++counters_.events_acknowledged;
  if (reply.sync_wanted()) sync_wanted_ = true;
  return absl::OkStatus();
}

absl::Status AllocatorClient::Sender::Probe(
    grpc::ClientContext& context, const std::optional<Agreement>& agreement) {
  SetTimeout(context, options_.deadline);
  v1::StatusReply reply;
  absl::Status status = ToAbsl(
      channels_.Current().stub->Status(&context, v1::StatusRequest(), &reply));
  if (status.ok()) status = channels_.CheckTerm(reply.term());
  if (!status.ok()) return status;
  if (!agreement) return absl::OkStatus();
  const bool agrees = std::any_of(
      reply.clusters().begin(), reply.clusters().end(),
      [&](const auto& cluster) {
        return cluster.name() == options_.cluster && cluster.synced() &&
               cluster.epoch() == agreement->epoch;
      });
  if (!agrees) Disagree(agreement->generation, "it was started anew");
  return absl::OkStatus();
}

}  // namespace coolspan
