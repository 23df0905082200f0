// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/journal.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "service/journal/records.h"

namespace coolspan {

Journal::Journal(std::shared_ptr<const Machine> machine, Stores stores,
                 EventLog& log, WatchHub& watchers,
                 std::function<TimeMs()> clock_ms, TimeMs retention_ms)
    : archiver_(machine, stores.archive, log, watchers, std::move(clock_ms),
                retention_ms),
      ledger_(std::move(machine), stores.ledger, stores.term, log) {}

absl::Status Journal::CheckCapacity() const {
  const std::size_t pending = ledger_.unwritten();
  if (pending < kMaxWaiting) return absl::OkStatus();
  const absl::Status status = ledger_.status();
  return absl::UnavailableError(
      fmt::format("journal full: {} changes not yet stored{}{}", pending,
                  status.ok() ? "" : ": ", std::string(status.message())));
}

Journal::Ticket Journal::Append(ClusterEvent&& cluster_event) {
  LedgerEvent ledger_event = LedgerPartOf(cluster_event);
  const std::lock_guard lock(appending_);
  ledger_.Append(std::move(ledger_event));
  return archiver_.Append(std::move(cluster_event));
}

void Journal::NoteHeard(const std::string& cluster,
                        std::shared_ptr<Tenure> tenure, TimeMs heard_ms) {
  LedgerEvent event;
  event.cluster = cluster;
  event.tenure = std::move(tenure);
  event.heard_ms = heard_ms;
  AppendToLedger(std::move(event));
}

void Journal::NoteIncomplete(const std::string& cluster,
                             std::shared_ptr<Tenure> tenure) {
  LedgerEvent event;
  event.cluster = cluster;
  event.tenure = std::move(tenure);
  event.is_incomplete = true;
  AppendToLedger(std::move(event));
}

void Journal::NoteLearned(StoredLearning learned) {
  LedgerEvent event;
  event.learned = std::move(learned);
  AppendToLedger(std::move(event));
}

void Journal::AppendToLedger(LedgerEvent event) {
  const std::lock_guard lock(appending_);
  ledger_.Append(std::move(event));
  archiver_.Skip();
}

void Journal::WhenWritten(Ticket ticket, Clock::time_point until,
                          std::function<void(const absl::Status&)> done) {
  ledger_.WhenWritten(ticket, until, std::move(done));
}

void Journal::WhenStored(Ticket ticket,
                         std::function<void(const absl::Status&)> done) {
  // The archive is written while the ledger is synced.
  struct Parts {
    std::mutex mutex;
    int left = 2;
    absl::Status status;
    std::function<void(const absl::Status&)> done;
  };
  const auto parts = std::make_shared<Parts>();
  parts->done = std::move(done);
  const auto end_part = [parts](const absl::Status& status) {
    {
      const std::lock_guard lock(parts->mutex);
      parts->status.Update(status);
      if (--parts->left > 0) return;
    }
    parts->done(parts->status);
  };
  const Clock::time_point until = Clock::now() + kMaxWait;
  ledger_.WhenDurable(ticket, until, end_part);
  // The daemon goes on without an archive.
  archiver_.WhenArchived(
      ticket, Clock::now() + kMaxArchiveWait,
      [end_part](const absl::Status&) { end_part(absl::OkStatus()); });
}

void Journal::FailOverdue() {
  ledger_.FailOverdue();
  archiver_.FailOverdue();
}

absl::Status Journal::Wait(Ticket ticket) {
  auto status = ResultBy(Clock::now() + kMaxWait,
                         [&](std::function<void(const absl::Status&)> done) {
                           WhenStored(ticket, std::move(done));
                         });
  if (status.has_value()) return *std::move(status);
  return absl::UnavailableError(
      "deadline exceeded before the state was stored");
}

}  // namespace coolspan
