// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_LEDGER_WRITER_H_
#define COOLSPAN_SERVICE_JOURNAL_LEDGER_WRITER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "core/machine.h"
#include "service/journal/batch_writer.h"
#include "service/journal/cluster_event.h"
#include "service/journal/event_log.h"
#include "service/journal/store_health.h"
#include "state/ledger_store.h"

namespace coolspan {

// Writes the changes of all ledgers to their store, in order. A change that
// cannot be written is tried again before any later one, so the store always
// has a consistent earlier state of the clusters. Thread-safe.
class LedgerWriter {
 public:
  using Clock = std::chrono::steady_clock;
  using Writer = BatchWriter<LedgerEvent>;
  using Ticket = Writer::Ticket;

  // The store and the log must outlive the writer. term: of events without a
  // tenure. A tenure is ended if the store refuses its term, or a change for
  // good, before the calls that wait for its changes end; its changes are
  // dropped.
  LedgerWriter(std::shared_ptr<const Machine> machine, LedgerStore& store,
               std::uint64_t term, EventLog& log);

  Ticket Append(LedgerEvent event) { return writer_.Append(std::move(event)); }
  // Calls done once the changes up to the ticket survive the end of this
  // process, from a thread of the writer or at once. Error:
  // BatchWriter::WhenWritten's.
  void WhenWritten(Ticket ticket, Clock::time_point until, Writer::Done done) {
    writer_.WhenWritten(ticket, until, std::move(done));
  }
  // Calls done once the changes up to the ticket survive a crash of the host,
  // from a thread of the writer or at once. Error: BatchWriter::WhenWritten's.
  void WhenDurable(Ticket ticket, Clock::time_point until, Writer::Done done);
  void FailOverdue();
  // Changes that are not written.
  std::size_t unwritten() const { return writer_.unwritten(); }
  // Of the last attempt.
  absl::Status status() const { return writer_.status(); }
  Ticket last() const { return writer_.last(); }
  StoreHealth::Reading health() const { return health_.Read(); }
  // Of making the store survive a crash of the host.
  StoreHealth::Reading disk_health() const { return disk_health_.Read(); }
  // Duration of the write or of the sync to the disk that is in progress, the
  // longer one; 0: none.
  Clock::duration busy_for() const {
    return std::max(writer_.busy_for(), syncer_.busy_for());
  }

 private:
  using Syncer = BatchWriter<std::monostate>;  // an item for each waiting call

  Writer::Result Write(const std::vector<LedgerEvent>& batch);
  void Add(const LedgerEvent& event);
  absl::Status WriteAll();
  void SaveLearned();
  // Keeps the entries of unwritten_ for whose index the function returns true.
  void KeepIf(const std::function<bool(std::size_t)>& is_kept);
  // Drops changes of a cluster's holdings and queues: a Sync, or the removal of
  // the cluster, replaces them. Otherwise repeated Syncs would accumulate while
  // the store cannot be written.
  static void DropReplaced(std::vector<LedgerChange>& changes);

  const std::shared_ptr<const Machine> machine_;
  LedgerStore& store_;
  const std::uint64_t term_;
  EventLog& log_;
  StoreHealth health_;       // written by the writer's thread
  StoreHealth disk_health_;  // written by the syncer's thread
  // Used by the writer's thread only.
  std::vector<TermChanges> unwritten_;
  std::vector<std::shared_ptr<Tenure>> tenures_;             // of unwritten_
  std::map<std::string, StoredLearning> unwritten_learned_;  // by name
  absl::Status learned_status_;                              // of the last one
  std::uint64_t writes_ = 0;
  // A sync to the disk may take long; meanwhile changes are written on.
  Syncer syncer_;
  Writer writer_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_LEDGER_WRITER_H_
