// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "service/journal/records.h"

namespace coolspan {

Journal::Journal(std::shared_ptr<const Machine> machine, Stores stores,
                 EventLog& log, WatchHub& watchers,
                 std::function<TimeMs()> wall_clock_ms, TimeMs retention_ms)
    : ledger_(machine, stores.ledger, stores.term, log),
      archiver_(std::move(machine), stores.archive, log, watchers,
                std::move(wall_clock_ms), retention_ms) {}

absl::Status Journal::CheckCapacity() const {
  const std::size_t pending =
      std::max(ledger_.unwritten(), archiver_.unwritten());
  if (pending < kMaxWaiting) return absl::OkStatus();
  absl::Status status = ledger_.status();
  status.Update(archiver_.status());
  return absl::UnavailableError(
      fmt::format("journal full: {} changes not yet stored{}{}", pending,
                  status.ok() ? "" : ": ", std::string(status.message())));
}

Journal::Ticket Journal::Append(ClusterEvent cluster_event) {
  LedgerEvent ledger_event = LedgerPartOf(cluster_event);
  const std::lock_guard lock(appending_);
  ledger_.Append(std::move(ledger_event));
  return archiver_.Append(std::move(cluster_event));
}

absl::Status Journal::WaitWritten(Ticket ticket, Clock::time_point until) {
  return ledger_.WaitWritten(ticket, until);
}

absl::Status Journal::Wait(Ticket ticket) {
  const Clock::time_point until = Clock::now() + kMaxWait;
  absl::Status status = ledger_.WaitDurable(ticket, until);
  return status.ok() ? archiver_.Wait(ticket, until) : status;
}

}  // namespace coolspan
