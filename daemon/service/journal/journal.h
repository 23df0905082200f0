// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_JOURNAL_H_
#define COOLSPAN_SERVICE_JOURNAL_JOURNAL_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "core/machine.h"
#include "service/journal/cluster_event.h"
#include "service/journal/event_log.h"
#include "service/journal/start_counts.h"
#include "service/journal/watch_hub.h"
#include "state/store.h"

namespace coolspan {

// Processes the events of live clusters in order, on its own thread: compares
// decisions with the reference policies and advice with what Slurm chose,
// counts job starts, writes log lines, publishes to watchers and writes to the
// store. Pending changes are written in one transaction.
//
// A change that cannot be written is retried before any later one, so the store
// always has a consistent earlier state of the clusters. Thread-safe.
class Journal {
 public:
  // Grows with each Append.
  using Ticket = std::uint64_t;
  // Maximum number of pending changes.
  static constexpr std::size_t kMaxWaiting = 65'536;
  static constexpr std::chrono::seconds kMaxWait{4};

  // store, log and watchers must outlive the journal. wall_clock_ms: the
  // daemon's clock, for retention. retention_ms: of decisions.
  Journal(std::shared_ptr<const Machine> machine, Store& store, EventLog& log,
          WatchHub& watchers, std::function<TimeMs()> wall_clock_ms,
          TimeMs retention_ms);
  // Writes pending changes.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Whether fewer than kMaxWaiting changes are pending: check before a change
  // that cannot be undone. Error: UNAVAILABLE, with the error of the store.
  absl::Status CheckCapacity() const;
  // Appends an event, in the order of calls. Does not wait for the store.
  Ticket Append(ClusterEvent cluster_event);
  // Waits until all events up to the ticket are stored, at most kMaxWait: on a
  // disk that does not answer, callers would take all threads of the server.
  // Error: UNAVAILABLE (writing failed or takes too long, and goes on).
  absl::Status Wait(Ticket ticket);
  Ticket last() const;
  // Number of appended events that are not yet being processed.
  std::size_t waiting() const;
  // Job starts among the events.
  const StartCounts& starts() const { return starts_; }

 private:
  void Run();
  std::vector<ClusterEvent> TakeBatch();
  void Record(const ClusterEvent& cluster_event);
  void CountStarts(const ClusterEvent& cluster_event);
  // Compares a decision or the choices for an advised job, at most until the
  // given time, and sets the texts of a decision.
  void Complete(ClusterEvent& cluster_event,
                std::chrono::steady_clock::time_point until) const;
  // Drops pending changes of a cluster's holdings and queues: a Sync replaces
  // them. Otherwise repeated Syncs would accumulate while the store cannot be
  // written.
  void DropReplacedBy(const StoredChange& sync);
  void WriteWaiting(Ticket through);
  void PurgeOld();

  const std::shared_ptr<const Machine> machine_;
  Store& store_;
  EventLog& log_;
  WatchHub& watchers_;
  StartCounts starts_;
  const std::function<TimeMs()> wall_clock_ms_;
  const TimeMs retention_ms_;

  mutable std::mutex mutex_;
  std::condition_variable appended_;
  std::condition_variable written_;
  std::vector<ClusterEvent> queue_;
  Ticket appended_through_ = 0;
  Ticket durable_through_ = 0;
  Ticket attempted_through_ = 0;
  absl::Status write_status_;  // of the last attempt
  std::size_t unwritten_count_ = 0;
  bool has_waiter_ = false;  // a call waits for events in queue_
  bool stopping_ = false;

  // Used by the thread only.
  std::vector<StoredChange> unwritten_;
  TimeMs next_purge_ms_ = 0;
  std::thread thread_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_JOURNAL_H_
