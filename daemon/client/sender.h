// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_SENDER_H_
#define COOLSPAN_CLIENT_SENDER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/attempts.h"
#include "client/bounded_call.h"
#include "client/channels.h"
#include "client/circuit_breaker.h"
#include "client/client.h"
#include "client/event_queue.h"
#include "client/power_reports.h"

namespace coolspan {

// Implementation of AllocatorClient: the background thread and the state that
// it shares with callers. mutex_ guards that state. It is never held during an
// RPC, so that callers wait for it for microseconds only.
class AllocatorClient::Sender {
 public:
  using Clock = CircuitBreaker::Clock;

  Sender(ClientOptions options, std::vector<Endpoint> endpoints);
  ~Sender();

  bool SyncNeeded() const;
  void Sync(v1::SyncRequest snapshot);
  void Queue(v1::SessionRequest event);
  void SetUnavailable(std::string bitmap);
  absl::StatusOr<v1::AllocateReply> Allocate(v1::AllocateRequest request);
  void ReportPower(std::span<const NodePower> powers) { power_.Report(powers); }
  ClientCounters Counters() const;

 private:
  using Queued = EventQueue<v1::SessionRequest>::Entry;
  // Result of the last acknowledged Sync.
  struct SyncState {
    std::uint64_t generation;  // of the event queue
    std::string epoch;
    std::size_t route;  // of the daemon: others know nothing of it
  };

  enum class Step { kSync, kEvent, kProbe };
  struct Done {
    Step step;
    Channels::Route route;
    absl::Status status;
    std::uint64_t generation = 0;  // of the event queue
  };

  // The background thread. SendNext and the three below it return an error only
  // if no daemon answered; they handle a refusal and return OK.
  void Run();
  bool WaitForWork();
  Done SendNext();
  absl::Status SendSync(grpc::ClientContext& context,
                        const Channels::Route& route, std::uint64_t generation,
                        const v1::SyncRequest& snapshot);
  absl::Status SendEvent(grpc::ClientContext& context,
                         const Channels::Route& route,
                         const SyncState& sync_state, const Queued& queued);
  absl::Status KeepAlive(grpc::ClientContext& context,
                         const Channels::Route& route,
                         const std::optional<SyncState>& sync_state,
                         const std::string& unavailable,
                         std::chrono::milliseconds timeout);
  void FillCounts(v1::ClientCounts& counts) const;
  void Pause(Clock::duration length);
  // Returns early when a lost connection is restored.
  void PauseAfterFailure();
  // Returns true if nothing is left to send.
  bool NoteAnswer();
  // REQUIRES mutex_.
  bool IsKeepAliveDue(Clock::time_point now) const;
  // The answer to an event waits for the daemon's disk, a decision does not:
  // only a probe tells whether the daemon is unreachable or its disk is slow.
  void NoteUnconfirmed(const absl::Status& why);
  void NoteFailure(const absl::Status& why, const Channels::Route& route);
  // A drained daemon has refused a call that must be made again.
  void NoteRefusalByDrain(const Done& done);

  // The oldest events not yet received by the daemon, as many as an Allocate
  // may carry. REQUIRES mutex_.
  std::vector<Queued> Undelivered() const;
  // Whether Undelivered() has all of them. REQUIRES mutex_.
  bool CanAttachAll() const;

  // Parts of Allocate, called by the caller's thread.
  absl::StatusOr<SyncState> FillIn(v1::AllocateRequest& request,
                                   Clock::time_point deadline);
  // FAILED_PRECONDITION without an answer: see HasMoved.
  absl::StatusOr<v1::AllocateReply> CallAllocate(
      const v1::AllocateRequest& request, const Channels::Route& route,
      const SyncState& sync_state, Clock::time_point deadline);
  // Whether another daemon is used now than that of the Sync, so that the next
  // call to it must be a Sync.
  bool HasMoved(const SyncState& sync_state) const {
    return channels_.Current().index != sync_state.route;
  }
  void NoteOutcome(const absl::Status& status, const Endpoint& endpoint,
                   Clock::time_point start);
  void NoteDelivered(std::uint64_t generation, std::uint64_t sequence);

  void NoteUnreachable(const absl::Status& why, const Endpoint& endpoint);
  // Moves on from a drained daemon, unless all others are drained, too. True:
  // it has moved.
  bool NoteDrained(bool is_drained, const Channels::Route& route,
                   std::uint64_t generation);
  // The daemon no longer has the state of the Sync of `generation`.
  void InvalidateSync(std::uint64_t generation, const std::string& why);
  std::string MovedTo() const;
  std::string ClientId(std::uint64_t generation) const;
  void Log(ClientOptions::Severity severity, const std::string& text) const;

  const ClientOptions options_;
  const std::string instance_;  // unique to this client
  Channels channels_;
  PowerReports power_;
  CircuitBreaker breaker_;
  EventQueue<v1::SessionRequest> queue_;
  Attempts attempts_;
  BoundedCalls calls_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool probe_needed_ = false;  // a call exceeded its deadline
  grpc::ClientContext* current_call_ = nullptr;
  // The Sync not yet acknowledged. Shared, since copying the Sync of a large
  // cluster takes longer than a caller may wait for mutex_.
  std::shared_ptr<const v1::SyncRequest> snapshot_;
  std::optional<SyncState> sync_state_;
  // Sequence number of the last event that the daemon had received when it
  // answered an Allocate. A restarted daemon may not have it, and then asks for
  // a Sync.
  std::uint64_t delivered_through_ = 0;
  std::string unavailable_;       // bitmap of the node table
  std::string sent_unavailable_;  // by the last Sync or KeepAlive
  Clock::time_point next_keep_alive_{};
  bool is_drained_ = false;  // at the last answer that tells
  // Of daemons that are drained, one after the other.
  std::size_t moves_by_drain_ = 0;
  std::optional<std::size_t> drain_logged_of_;  // the last one
  bool sync_needed_ = true;
  Clock::time_point sync_not_before_{};
  std::uint64_t failed_syncs_ = 0;
  std::optional<Clock::time_point> unreachable_since_;
  ClientCounters counters_;

  // Used by the background thread only.
  int failures_ = 0;           // consecutive
  int unconfirmed_calls_ = 0;  // event calls since the last confirmed one
  bool last_call_unanswered_ = false;
  // Of the last call, if it was answered.
  std::optional<std::size_t> answered_route_;

  std::thread thread_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_SENDER_H_
