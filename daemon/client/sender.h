// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_SENDER_H_
#define COOLSPAN_CLIENT_SENDER_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

// What is behind an AllocatorClient: the state that callers and the background
// thread share, and that thread. mutex_ guards state and is never held during
// an RPC, so a caller waits on it for microseconds only.
class AllocatorClient::Sender {
 public:
  using Clock = CircuitBreaker::Clock;

  Sender(ClientOptions options, std::vector<Endpoint> endpoints);
  ~Sender();

  bool SyncWanted() const;
  void Sync(v1::SyncRequest snapshot);
  void Queue(v1::SessionRequest event);
  absl::StatusOr<v1::AllocateReply> Allocate(v1::AllocateRequest request);
  void TellPower(std::span<const NodePower> powers) { power_.Tell(powers); }
  std::string Mode() const;
  ClientCounters Counters() const;

 private:
  using Queued = EventQueue<v1::SessionRequest>::Entry;
  // What the last acknowledged Sync agreed on.
  struct Agreement {
    std::uint64_t generation;  // of the event queue
    std::string epoch;
  };

  enum class Step { kSync, kEvent, kProbe };
  struct Done {
    Step step;
    absl::Status status;
  };

  // The background thread. These return an error where no daemon answered;
  // an answer that refuses is dealt with and OK.
  void Run();
  bool WaitForWork();
  Done DoOne();
  absl::Status SendSync(grpc::ClientContext& context, std::uint64_t generation,
                        const v1::SyncRequest& snapshot);
  absl::Status SendEvent(grpc::ClientContext& context,
                         const Agreement& agreement, const Queued& queued);
  absl::Status Probe(grpc::ClientContext& context,
                     const std::optional<Agreement>& agreement);
  void Pause(Clock::duration length);
  // Shorter where a connection that was lost comes back.
  void PauseAfterFailure();
  // True: nothing is left to send.
  bool NoteAnswer();
  // An event's answer waits for the daemon's disk and a decision does not: only
  // a probe tells whether more is slow, or fails, than the disk.
  void NoteUnconfirmed(const absl::Status& why);
  void NoteFailure(const absl::Status& why);

  // Events that the daemon was not told of, as many as an Allocate may take
  // along. REQUIRES mutex_.
  std::vector<Queued> Undelivered() const;
  // Whether those are all. REQUIRES mutex_.
  bool CanTellAll() const;

  // Of a caller's Allocate.
  absl::StatusOr<std::uint64_t> FillIn(v1::AllocateRequest& request,
                                       Clock::time_point deadline);
  absl::StatusOr<v1::AllocateReply> Ask(const v1::AllocateRequest& request,
                                        Clock::time_point deadline);
  void NoteOutcome(const absl::Status& status, Clock::time_point start);
  void NoteTold(std::uint64_t generation, std::uint64_t sequence);

  void NoteSilence(const absl::Status& why);
  // The daemon does not know our table and jobs as of `generation` (any more).
  void Disagree(std::uint64_t generation, const std::string& why);
  std::string ClientId(std::uint64_t generation) const;
  void Log(ClientOptions::Severity severity, const std::string& text) const;

  const ClientOptions options_;
  const std::string instance_;  // of this client, unlike that of any other
  Channels channels_;
  PowerReports power_;
  CircuitBreaker breaker_;
  EventQueue<v1::SessionRequest> queue_;
  Attempts attempts_;
  BoundedCalls calls_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  grpc::ClientContext* under_way_ = nullptr;
  // Given, not acknowledged. Shared, since one of a large cluster takes longer
  // to copy than a caller may wait for mutex_.
  std::shared_ptr<const v1::SyncRequest> snapshot_;
  std::optional<Agreement> agreement_;
  // The last event that an answered Allocate had taken along or come after. A
  // daemon that was started anew does not know it, and asks for a Sync.
  std::uint64_t told_through_ = 0;
  std::string mode_;
  bool sync_wanted_ = true;
  Clock::time_point sync_not_before_{};
  std::uint64_t failed_syncs_ = 0;
  std::optional<Clock::time_point> silent_since_;
  ClientCounters counters_;

  // The background thread's own.
  int failures_ = 0;           // in a row
  int unconfirmed_calls_ = 0;  // of an event, since the last that was confirmed
  bool doubtful_ = false;      // the last call went unanswered

  std::thread thread_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_SENDER_H_
