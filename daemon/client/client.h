// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_CLIENT_H_
#define COOLSPAN_CLIENT_CLIENT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "client/endpoints.h"
#include "coolspan/v1/allocator.pb.h"

namespace coolspan {

// The message of Allocate's UNAVAILABLE without a call.
inline constexpr const char* kCircuitBreakerOpen =
    "circuit breaker open: no response to the last request";
// The same while the daemon is drained.
inline constexpr const char* kDaemonDrained = "coolspand is drained";

// Connection of a resource manager's controller to the daemon.
struct ClientOptions {
  enum class Severity { kInfo, kWarning, kError };

  DaemonAddress address;
  std::string cluster;
  std::chrono::milliseconds deadline{20};  // of one Allocate
  std::chrono::milliseconds breaker_period{30'000};
  // Max queued events, and their total size as messages; a Sync replaces the
  // events of a full queue. In memory, events take up to four times the size.
  std::size_t queue_capacity = 65'536;
  std::size_t queue_bytes = 16 << 20;
  // Without other calls, KeepAlive shows that the client is connected.
  std::chrono::milliseconds keep_alive_period{10'000};
  // Receives log messages, one line without a newline each. Called from any
  // thread; the client holds no lock during the call.
  std::function<void(Severity, std::string_view)> log;
};

// Power drawn by a node, all its servers together.
struct NodePower {
  std::string_view node;
  double watts = 0;
};

struct ClientCounters {
  std::uint64_t allocates = 0;           // calls of Allocate
  std::uint64_t answered = 0;            // answered by the daemon
  std::uint64_t deadlines_exceeded = 0;  // waited the deadline, no answer
  // Returned immediately because the circuit breaker was open.
  std::uint64_t rejected_by_breaker = 0;
  // Not made, or refused at once, because the daemon is drained.
  std::uint64_t rejected_by_drain = 0;
  std::uint64_t events_queued = 0;
  std::uint64_t events_acknowledged = 0;
  std::uint64_t overflows = 0;
  std::uint64_t syncs_acknowledged = 0;
  std::uint64_t outages = 0;  // times that the daemon became unreachable
};

// Client of the Allocator service (semantics in allocator.proto) for one
// cluster on the real clock.
//
// For callers that hold their controller's locks: Allocate returns within the
// deadline whatever the daemon does, all other functions return immediately. A
// background thread sends Syncs and events in order, and a KeepAlive every few
// seconds. While the circuit breaker is open, it sends more of them, so that a
// recovered daemon is used again without delaying a job. A drained daemon is
// not asked either, until a KeepAlive, each second, tells that it is drained no
// longer.
//
// The caller sends its jobs in a Sync before anything else, and again whenever
// SyncNeeded() is true (new daemon, stale epoch, full queue, contradicted
// ledger). A Sync replaces all events queued before it, so the caller must take
// the snapshot under the same lock that orders the events.
//
// Thread-safe. Fields set by the client: cluster, epoch, client_id, sequence,
// after_sequence, events, attempt, clock; now_ms if 0.
class AllocatorClient {
 public:
  // INVALID_ARGUMENT: invalid endpoints or options. Does not wait for the
  // daemon.
  static absl::StatusOr<std::unique_ptr<AllocatorClient>> Create(
      ClientOptions options);
  // Stops the background thread and drops queued events (the Sync of the next
  // controller replaces them). Does not wait for the daemon.
  ~AllocatorClient();
  AllocatorClient(const AllocatorClient&) = delete;
  AllocatorClient& operator=(const AllocatorClient&) = delete;

  // True initially, and whenever the daemon's state may be out of date. False
  // for a second after each Sync.
  bool SyncNeeded() const;
  // snapshot: hostlist, capacity, holdings and unavailable set. Replaces all
  // queued events.
  void Sync(v1::SyncRequest snapshot);

  // Events, in the order in which they happened. Ignored before the first Sync.
  // start: how the job got its nodes, if known.
  void Commit(v1::Holding holding,
              std::optional<v1::JobStart> start = std::nullopt);
  void Release(v1::Job job);
  void Resize(v1::Holding holding);
  void Suspend(v1::Job job, bool suspended);

  // The nodes that cannot be used now, as SyncRequest.unavailable, whose value
  // it replaces. Sent when it changes. Ignored before the first Sync.
  void SetUnavailable(std::string bitmap);

  // A new attempt to place the job. The reply may be placed = false, with a
  // reason.
  //   UNAVAILABLE, DEADLINE_EXCEEDED: no answer, or none before the call:
  //     kCircuitBreakerOpen, kDaemonDrained.
  //   FAILED_PRECONDITION: if SyncNeeded() is true, Sync and retry once; the
  //     second call waits for the Sync within its own deadline. After a Sync
  //     that was just made or was refused, SyncNeeded() is false for a while.
  //   ABORTED: the daemon has seen a newer attempt.
  //   INVALID_ARGUMENT: refused by the daemon.
  absl::StatusOr<v1::AllocateReply> Allocate(v1::AllocateRequest request);

  // Current measurements. Sent by another background thread; dropped if the
  // daemon does not accept them.
  void ReportPower(std::span<const NodePower> powers);

  ClientCounters Counters() const;

 private:
  class Sender;
  explicit AllocatorClient(std::unique_ptr<Sender> sender);
  std::unique_ptr<Sender> sender_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_CLIENT_H_
