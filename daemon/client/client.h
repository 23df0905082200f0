// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_CLIENT_H_
#define COOLSPAN_CLIENT_CLIENT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"

namespace coolspan {

// How a resource manager's controller reaches the daemon.
struct ClientOptions {
  enum class Severity { kInfo, kWarning, kError };

  std::string endpoints;  // as ParseEndpoints (client/endpoints.h) takes them
  std::string cluster;
  std::chrono::milliseconds deadline{20};  // of one Allocate
  std::chrono::milliseconds breaker_period{30'000};
  std::size_t queue_capacity =
      65'536;  // events; more than this asks for a Sync
  // Told what an operator should know, in one sentence without a newline;
  // called from any thread, with no lock of the client's held.
  std::function<void(Severity, std::string_view)> log;
};

// What a node draws, all its servers together.
struct NodePower {
  std::string_view node;
  double watts = 0;
};

struct ClientCounters {
  std::uint64_t allocates = 0;       // calls of Allocate
  std::uint64_t answered = 0;        // got an answer of the daemon
  std::uint64_t deadlines_paid = 0;  // waited the whole deadline for nothing
  std::uint64_t kept_by_breaker =
      0;  // returned at once, the breaker being open
  std::uint64_t events_queued = 0;
  std::uint64_t events_acknowledged = 0;
  std::uint64_t overflows = 0;
  std::uint64_t syncs_acknowledged = 0;
};

// The resource manager's end of the Allocator service (semantics in
// allocator.proto) for one cluster on the real clock.
//
// Made for a caller that holds its controller's locks: Allocate returns within
// the deadline whatever the daemon does, every other call returns at once. One
// background thread sends Syncs and events in order, and while the breaker is
// open it asks the daemon for its status, so that a daemon that came back is
// used again without a job having paid for the trial.
//
// The caller states its jobs in a Sync first and again whenever SyncWanted()
// says so (new daemon, stale epoch, overflow, contradicted ledger). Events
// queued after a Sync follow it; those before it are taken to be part of it, so
// take the snapshot under the same lock that orders the events.
//
// Thread-safe, Allocate too. Fields that the client fills itself: cluster,
// epoch, client_id, sequence, after_sequence, events, attempt, clock; now_ms
// where 0.
class AllocatorClient {
 public:
  // INVALID_ARGUMENT: endpoints or options. Does not wait for the daemon.
  static absl::StatusOr<std::unique_ptr<AllocatorClient>> Create(
      ClientOptions options);
  // Ends the background thread; what is still queued is dropped (the next
  // controller's Sync replaces it). Does not wait for the daemon.
  ~AllocatorClient();
  AllocatorClient(const AllocatorClient&) = delete;
  AllocatorClient& operator=(const AllocatorClient&) = delete;

  // True from the start and whenever the daemon's picture may be wrong. Wanted
  // Syncs are at least a second apart.
  bool SyncWanted() const;
  // hostlist, capacity and holdings filled. Replaces everything queued.
  void Sync(v1::SyncRequest snapshot);

  // Facts, in the order in which they happened. Ignored before the first Sync.
  void Commit(v1::Holding holding);
  void Release(v1::Job job);
  void Resize(v1::Holding holding);
  void Suspend(v1::Job job, bool suspended);

  // A new attempt for the job. The reply may be placed = false, with a reason.
  //   UNAVAILABLE, DEADLINE_EXCEEDED: no answer; the message says why.
  //   FAILED_PRECONDITION: worth Sync and one more try, which waits for that
  //     Sync within its own deadline, but only if SyncWanted() is true: after a
  //     Sync that was refused, or was just made, it is false for a while.
  //   ABORTED: a newer attempt was seen.
  //   INVALID_ARGUMENT: as the daemon says.
  absl::StatusOr<v1::AllocateReply> Allocate(v1::AllocateRequest request);

  // Measured just now. Sent in the background, beside events and Syncs; dropped
  // where no daemon takes it.
  void TellPower(std::span<const NodePower> powers);

  // "enforce", "advise", "off", or empty where the daemon leaves it to the
  // caller.
  std::string Mode() const;
  ClientCounters Counters() const;

 private:
  class Sender;
  explicit AllocatorClient(std::unique_ptr<Sender> sender);
  std::unique_ptr<Sender> sender_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_CLIENT_H_
