// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_ARCHIVER_H_
#define COOLSPAN_SERVICE_JOURNAL_ARCHIVER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/machine.h"
#include "service/journal/batch_writer.h"
#include "service/journal/cluster_event.h"
#include "service/journal/event_counts.h"
#include "service/journal/event_log.h"
#include "service/journal/start_counts.h"
#include "service/journal/store_health.h"
#include "service/journal/watch_hub.h"
#include "state/decision_archive.h"

namespace coolspan {

// Tells the events of live clusters, in order: compares decisions with the
// reference policies and advice with what Slurm chose, counts job starts,
// writes log lines, publishes to watchers and writes to the archive.
// Thread-safe.
class Archiver {
 public:
  using Clock = std::chrono::steady_clock;
  using Writer = BatchWriter<ClusterEvent>;
  using Ticket = Writer::Ticket;

  // archive, log and watchers must outlive the archiver. clock_ms:
  // RetentionClock's, by which entries are recorded and grow old. retention_ms:
  // of decisions and starts.
  Archiver(std::shared_ptr<const Machine> machine, DecisionArchive& archive,
           EventLog& log, WatchHub& watchers, std::function<TimeMs()> clock_ms,
           TimeMs retention_ms);

  // Numbers of events and of entries that are kept while the archive cannot be
  // written; the oldest entries, and further events, are dropped.
  static constexpr std::size_t kMaxQueued = 65'536;
  static constexpr std::size_t kMaxUnwritten = 16'384;

  Ticket Append(ClusterEvent&& event);
  // Counts an event that is not for the archive.
  Ticket Skip() { return writer_.Skip(); }
  // Calls done once the events up to the ticket are archived, from the
  // archiver's thread or at once. Error: BatchWriter::WhenWritten's.
  void WhenArchived(Ticket ticket, Clock::time_point until, Writer::Done done) {
    writer_.WhenWritten(ticket, until, std::move(done));
  }
  void FailOverdue() { writer_.FailOverdue(); }
  // Events that are not being processed yet.
  std::size_t queued() const { return writer_.queued(); }
  // Events that are not archived.
  std::size_t unwritten() const { return writer_.unwritten(); }
  // Events and entries that were dropped.
  std::uint64_t dropped() const { return dropped_; }
  // From the next time on that old decisions and starts are deleted.
  void SetRetention(TimeMs retention_ms) { retention_ms_ = retention_ms; }
  // Job starts among the events.
  const StartCounts& starts() const { return starts_; }
  const EventCounts& events() const { return events_; }
  StoreHealth::Reading health() const { return health_.Read(); }
  // Duration of the write in progress; 0: none.
  Clock::duration busy_for() const { return writer_.busy_for(); }

 private:
  Writer::Result Write(std::vector<ClusterEvent> batch);
  absl::Status WriteUnwritten();
  // Of removed clusters. Error: UNAVAILABLE (there is more to remove).
  absl::Status RemoveHistory();
  void DropOldest();
  // Logs what has happened to the archive itself.
  void NoteCondition();
  void Record(const ClusterEvent& event);
  void CountStarts(const ClusterEvent& event);
  // Mean distance of the nodes of a decision in hops; nullopt: of one node, or
  // not measured.
  std::optional<double> PairwiseMeanOf(const ClusterEvent& event) const;
  // Compares a decision or the choices for an advised job, at most until the
  // given time, and sets the texts of a decision.
  void Complete(ClusterEvent& event, Clock::time_point until) const;
  void PurgeOld();

  const std::shared_ptr<const Machine> machine_;
  DecisionArchive& archive_;
  EventLog& log_;
  WatchHub& watchers_;
  StoreHealth health_;
  StartCounts starts_;
  EventCounts events_;
  const std::function<TimeMs()> clock_ms_;
  std::atomic<TimeMs> retention_ms_;

  std::atomic<std::uint64_t> dropped_ = 0;

  // Used by the writer's thread only.
  std::vector<ArchiveChange> unwritten_;
  bool may_have_removals_ = true;  // an earlier process may have begun some
  std::uint64_t logged_dropped_ = 0;
  std::size_t logged_set_aside_ = 0;
  TimeMs next_purge_ms_ = 0;

  Writer writer_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_ARCHIVER_H_
