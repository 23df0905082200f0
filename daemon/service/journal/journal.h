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
#include "service/journal/watch_hub.h"
#include "state/store.h"

namespace coolspan {

// Takes what happens in live clusters, in order, and does on a thread of its
// own what takes time: a decision's comparison with what else could have been
// chosen, the log's line, the watchers' message, the store's change. What waits
// together is written in one transaction.
//
// A change that cannot be written is kept and tried again before any later
// one, so that the store is always a state the clusters were in. Thread-safe.
class Journal {
 public:
  // Grows with each Append.
  using Ticket = std::uint64_t;
  // More waiting changes than this and nothing more is taken.
  static constexpr std::size_t kMaxWaiting = 65'536;

  // store, log and watchers outlive the journal. wall_clock_ms: the daemon's
  // clock, for retention. retention_ms: of decisions.
  Journal(std::shared_ptr<const Machine> machine, Store& store, EventLog& log,
          WatchHub& watchers, std::function<TimeMs()> wall_clock_ms,
          TimeMs retention_ms);
  // Writes what waits.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Whether there is room: ask before changing what cannot be taken back.
  // Error: UNAVAILABLE, the store's reason.
  absl::Status CheckRoom() const;
  // The order of calls is the order in the store. Not waited for.
  Ticket Append(ClusterEvent cluster_event);
  // Until everything up to the ticket is durable.
  // Error: UNAVAILABLE: it is not yet, and will be tried again.
  absl::Status Wait(Ticket ticket);
  Ticket last() const;
  // Of those appended, how many the thread has not begun with.
  std::size_t waiting() const;

 private:
  void Run();
  std::vector<ClusterEvent> Take();
  void Record(const ClusterEvent& cluster_event);
  // Compares a decision, until then at most, and makes its texts.
  void Complete(ClusterEvent& cluster_event,
                std::chrono::steady_clock::time_point until) const;
  // Drops what waits to be stored of a cluster's holdings and queues: a Sync
  // says all that anew, and each try of one would otherwise keep the cluster
  // once more while the store cannot be written.
  void DropReplacedBy(const StoredChange& sync);
  void WriteWaiting(Ticket through);
  void ForgetOld();

  const std::shared_ptr<const Machine> machine_;
  Store& store_;
  EventLog& log_;
  WatchHub& watchers_;
  const std::function<TimeMs()> wall_clock_ms_;
  const TimeMs retention_ms_;

  mutable std::mutex mutex_;
  std::condition_variable appended_;
  std::condition_variable written_;
  std::vector<ClusterEvent> queue_;
  Ticket appended_through_ = 0;
  Ticket durable_through_ = 0;
  Ticket tried_through_ = 0;
  absl::Status problem_;  // of the last try
  std::size_t unwritten_count_ = 0;
  bool waited_for_ = false;  // somebody waits for what is in queue_
  bool ending_ = false;

  // The thread's own.
  std::vector<StoredChange> unwritten_;
  TimeMs next_forgetting_ms_ = 0;
  std::thread thread_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_JOURNAL_H_
