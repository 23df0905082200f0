// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/ledger_writer.h"

#include <utility>

#include "service/journal/records.h"

namespace coolspan {
namespace {

// Of which no call waits for the disk.
constexpr std::uint64_t kWritesPerSync = 100;

}  // namespace

LedgerWriter::LedgerWriter(std::shared_ptr<const Machine> machine,
                           LedgerStore& store, std::uint64_t term,
                           EventLog& log)
    : machine_(std::move(machine)),
      store_(store),
      term_(term),
      health_("ledger", log),
      disk_health_("ledger on disk", log),
      // What it syncs was gathered by the writer.
      syncer_(
          [this](const std::vector<std::monostate>&) {
            return Syncer::Result{
                disk_health_.Time([this] { return store_.MakeDurable(); })};
          },
          std::chrono::microseconds::zero()),
      writer_([this](const std::vector<LedgerEvent>& batch) {
        return Write(batch);
      }) {}

void LedgerWriter::WhenDurable(Ticket ticket, Clock::time_point until,
                               Writer::Done done) {
  writer_.WhenWritten(
      ticket, until,
      [this, until, done = std::move(done)](const absl::Status& status) {
        if (!status.ok()) return done(status);
        syncer_.WhenWritten(syncer_.Append({}), until, done);
      });
}

void LedgerWriter::FailOverdue() {
  writer_.FailOverdue();
  syncer_.FailOverdue();
}

LedgerWriter::Writer::Result LedgerWriter::Write(
    const std::vector<LedgerEvent>& batch) {
  for (const LedgerEvent& event : batch) {
    LedgerChange change = MakeLedgerChange(*machine_, event);
    if (change.empty()) continue;
    if (change.synced.has_value() || change.is_removed) DropReplacedBy(change);
    if (change.learned.has_value()) DropLearned(change.learned->name);
    unwritten_.push_back(std::move(change));
  }
  absl::Status status;
  if (!unwritten_.empty()) {
    status = health_.Time([this] { return store_.Write(term_, unwritten_); });
  }
  if (status.ok()) unwritten_.clear();
  if (++writes_ % kWritesPerSync == 0) syncer_.Append({});
  return {std::move(status), unwritten_.size()};
}

void LedgerWriter::DropLearned(const std::string& name) {
  std::erase_if(unwritten_, [&name](const LedgerChange& change) {
    return change.learned.has_value() && change.learned->name == name;
  });
}

void LedgerWriter::DropReplacedBy(const LedgerChange& sync) {
  for (LedgerChange& change : unwritten_) {
    if (change.cluster != sync.cluster || change.is_removed) continue;
    change.synced.reset();
    change.held.clear();
    change.gone.clear();
    change.queue.reset();
  }
  std::erase_if(unwritten_,
                [](const LedgerChange& change) { return change.empty(); });
}

}  // namespace coolspan
