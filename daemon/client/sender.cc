// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/sender.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/unconfirmed_starts.h"
#include "client/wall_clock.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;
using Severity = ClientOptions::Severity;

constexpr milliseconds kBetweenSyncs{1000};
// Max events that an Allocate carries, and bytes: a few commits of large jobs
// could not be sent and read within the deadline. After an outage there may be
// more: an Allocate then waits until the thread has sent them.
constexpr std::size_t kMaxAttached = 256;
constexpr std::size_t kMaxAttachedBytes = 1 << 18;

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
      queue_(options_.queue_capacity, options_.queue_bytes),
      thread_([this] { Run(); }) {}

AllocatorClient::Sender::~Sender() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (current_call_ != nullptr) current_call_->TryCancel();
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

bool AllocatorClient::Sender::SyncNeeded() const {
  const std::lock_guard lock(mutex_);
  return sync_needed_ && Clock::now() >= sync_not_before_;
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
    CarryStarts(queue_, ClientId(queue_.Generation()), snapshot_.get(),
                snapshot);
    snapshot.set_client_id(ClientId(queue_.Restart()));
    unavailable_ = snapshot.unavailable();
    sent_unavailable_ = unavailable_;
    snapshot_ = std::make_shared<const v1::SyncRequest>(std::move(snapshot));
    sync_state_.reset();
    delivered_through_ = 0;
    sync_needed_ = false;
    sync_not_before_ = Clock::now() + kBetweenSyncs;
  }
  changed_.notify_all();
}

void AllocatorClient::Sender::Queue(v1::SessionRequest event) {
  const std::size_t bytes = event.ByteSizeLong();
  bool overflow = false;
  {
    const std::lock_guard lock(mutex_);
    switch (queue_.Push(std::move(event), bytes)) {
      case EventQueue<v1::SessionRequest>::Pushed::kNotSynced:
        return;
      case EventQueue<v1::SessionRequest>::Pushed::kQueued:
        ++counters_.events_queued;
        break;
      case EventQueue<v1::SessionRequest>::Pushed::kOverflow:
        ++counters_.overflows;
        snapshot_.reset();
        sync_state_.reset();
        sync_needed_ = true;
        overflow = true;
        break;
    }
  }
  changed_.notify_all();
  if (overflow) {
    Log(Severity::kWarning,
        absl::StrCat("event queue full (max ", options_.queue_capacity,
                     " events, ", options_.queue_bytes,
                     " bytes): events dropped, a Sync will replace them"));
  }
}

void AllocatorClient::Sender::SetUnavailable(std::string bitmap) {
  {
    const std::lock_guard lock(mutex_);
    // Without a Sync there is no node table.
    if ((!sync_state_ && !snapshot_) || bitmap == unavailable_) return;
    unavailable_ = std::move(bitmap);
  }
  changed_.notify_all();
}

void AllocatorClient::Sender::InvalidateSync(std::uint64_t generation,
                                             const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (!sync_state_ || sync_state_->generation != generation) return;
    sync_state_.reset();
    sync_needed_ = true;
  }
  changed_.notify_all();
  Log(Severity::kInfo, absl::StrCat("sync required: ", why));
}

std::string AllocatorClient::Sender::MovedTo() const {
  return absl::StrCat("coolspand at ", channels_.Current().endpoint.text,
                      " is used now");
}

void AllocatorClient::Sender::NoteUnreachable(const absl::Status& why,
                                              const Endpoint& endpoint) {
  {
    const std::lock_guard lock(mutex_);
    if (unreachable_since_ || stopping_) return;
    unreachable_since_ = Clock::now();
    ++counters_.outages;
  }
  Log(Severity::kWarning,
      absl::StrCat("coolspand at ", endpoint.text, ": ",
                   WithTlsReason(why, endpoint).message(),
                   channels_.size() == 1
                       ? "; jobs are placed without it until it responds"
                       : "; the next one is tried"));
}

bool AllocatorClient::Sender::NoteDrained(bool is_drained,
                                          const Channels::Route& route,
                                          std::uint64_t generation) {
  // Another call has moved on already.
  if (is_drained && channels_.Current().index != route.index) return true;
  bool moves = false;
  bool is_logged = true;
  {
    const std::lock_guard lock(mutex_);
    if (!is_drained) {
      moves_by_drain_ = 0;
      drain_logged_of_.reset();
    }
    if (is_drained_ == is_drained) return false;
    moves = is_drained && moves_by_drain_ + 1 < channels_.size();
    if (moves) {
      ++moves_by_drain_;
      is_logged = drain_logged_of_ != route.index;
      drain_logged_of_ = route.index;
    } else {
      is_drained_ = is_drained;
      // Soon, to learn when it ends.
      next_keep_alive_ = Clock::now();
    }
  }
  changed_.notify_all();
  const std::string daemon = absl::StrCat("coolspand at ", route.endpoint.text);
  if (moves) {
    channels_.MoveOn(route.index);
    if (is_logged) Log(Severity::kInfo, absl::StrCat(daemon, " is drained"));
    InvalidateSync(generation, MovedTo());
  } else if (is_drained) {
    Log(Severity::kWarning,
        absl::StrCat(daemon, " is drained: jobs are placed without it"));
  } else {
    Log(Severity::kInfo, absl::StrCat(daemon, " is drained no longer"));
  }
  return moves;
}

std::vector<AllocatorClient::Sender::Queued>
AllocatorClient::Sender::Undelivered() const {
  return queue_.Oldest(delivered_through_, kMaxAttached, kMaxAttachedBytes);
}

bool AllocatorClient::Sender::CanAttachAll() const {
  const std::vector<Queued> undelivered = Undelivered();
  const std::uint64_t last_attached =
      undelivered.empty() ? delivered_through_ : undelivered.back().sequence;
  return last_attached >= queue_.LastSequence();
}

}  // namespace coolspan
