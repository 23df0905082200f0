// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_JOURNAL_H_
#define COOLSPAN_SERVICE_JOURNAL_JOURNAL_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "core/machine.h"
#include "service/journal/archiver.h"
#include "service/journal/cluster_event.h"
#include "service/journal/event_log.h"
#include "service/journal/ledger_writer.h"
#include "service/journal/watch_hub.h"
#include "state/decision_archive.h"
#include "state/ledger_store.h"

namespace coolspan {

// Where a daemon stores its state; must outlive its users.
struct Stores {
  LedgerStore& ledger;
  std::uint64_t term;  // of events without a tenure: LedgerStore::BeginTerm's
  DecisionArchive& archive;
};

// Takes the events of live clusters in order, to the ledger's store and to the
// archive. Thread-safe.
class Journal {
 public:
  using Clock = std::chrono::steady_clock;
  // Grows with each Append.
  using Ticket = std::uint64_t;
  // Maximum number of pending changes.
  static constexpr std::size_t kMaxWaiting = 65'536;
  static constexpr std::chrono::seconds kMaxWait{4};
  static constexpr std::chrono::seconds kMaxArchiveWait{2};

  // stores, log and watchers must outlive the journal. clock_ms, retention_ms:
  // Archiver's.
  Journal(std::shared_ptr<const Machine> machine, Stores stores, EventLog& log,
          WatchHub& watchers, std::function<TimeMs()> clock_ms,
          TimeMs retention_ms);

  // Whether fewer than kMaxWaiting changes of ledgers are pending: check before
  // a change that cannot be undone. Error: UNAVAILABLE, with the error of the
  // store.
  absl::Status CheckCapacity() const;
  // Appends an event, in the order of calls. Does not wait for the stores.
  Ticket Append(ClusterEvent&& cluster_event);
  // Stores when a cluster was last in contact. tenure: ClusterEvent's.
  void NoteHeard(const std::string& cluster, std::shared_ptr<Tenure> tenure,
                 TimeMs heard_ms);
  // Stores that jobs of a cluster are not known, until its next Sync.
  void NoteIncomplete(const std::string& cluster,
                      std::shared_ptr<Tenure> tenure);
  void NoteLearned(StoredLearning learned);
  // Calls done once the ledgers up to the ticket survive the end of this
  // process; from a thread of the journal or at once. Error: UNAVAILABLE
  // (writing failed; or takes longer, if FailOverdue is called, and goes on).
  void WhenWritten(Ticket ticket, Clock::time_point until,
                   std::function<void(const absl::Status&)> done);
  // Calls done once the ledgers up to the ticket survive a crash of the host
  // and the events are archived, if the archive can be written: the daemon goes
  // on without it. From a thread of the journal or at once. Error: UNAVAILABLE
  // (writing failed; or takes longer than kMaxWait, if FailOverdue is called,
  // and goes on).
  void WhenStored(Ticket ticket, std::function<void(const absl::Status&)> done);
  // Ends calls of WhenStored after kMaxWait: call it from time to time.
  void FailOverdue();
  // Waits for that, at most kMaxWait: on a disk that does not
  // answer, callers would take all threads of the server. Error: WhenStored's.
  absl::Status Wait(Ticket ticket);
  Ticket last() const { return ledger_.last(); }
  // Number of appended events that are not yet being archived.
  std::size_t waiting() const { return archiver_.queued(); }
  // Archiver's.
  void SetRetention(TimeMs retention_ms) {
    archiver_.SetRetention(retention_ms);
  }
  // Events and archive entries that were dropped because the archive could not
  // be written.
  std::uint64_t dropped() const { return archiver_.dropped(); }
  // Job starts among the events.
  const StartCounts& starts() const { return archiver_.starts(); }
  const EventCounts& events() const { return archiver_.events(); }
  const LedgerWriter& ledger() const { return ledger_; }
  const Archiver& archiver() const { return archiver_; }

 private:
  void AppendToLedger(LedgerEvent event);

  std::mutex appending_;  // tickets of both are the same
  Archiver archiver_;
  LedgerWriter ledger_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_JOURNAL_H_
