// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/ledger_writer.h"

#include <algorithm>
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
      log_(log),
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

void LedgerWriter::Add(const LedgerEvent& event) {
  if (event.learned.has_value()) {
    unwritten_learned_.insert_or_assign(event.learned->name, *event.learned);
    return;
  }
  LedgerChange change = MakeLedgerChange(*machine_, event);
  if (change.empty()) return;
  auto group = std::find_if(
      unwritten_.begin(), unwritten_.end(), [&](const TermChanges& other) {
        const auto i = static_cast<std::size_t>(&other - unwritten_.data());
        return tenures_[i] == event.tenure && other.cluster == event.cluster;
      });
  if (group == unwritten_.end()) {
    const std::uint64_t term =
        event.tenure == nullptr ? term_ : event.tenure->term();
    unwritten_.push_back({event.cluster, term, {}});
    tenures_.push_back(event.tenure);
    group = unwritten_.end() - 1;
  }
  if (change.synced.has_value() || change.is_removed) {
    DropReplaced(group->changes);
  }
  group->changes.push_back(std::move(change));
}

LedgerWriter::Writer::Result LedgerWriter::Write(
    const std::vector<LedgerEvent>& batch) {
  for (const LedgerEvent& event : batch) Add(event);
  // Their changes were not acknowledged, and the store would refuse them.
  KeepIf([this](std::size_t i) {
    return tenures_[i] == nullptr || !tenures_[i]->is_over();
  });
  absl::Status status;
  if (!unwritten_.empty() || !unwritten_learned_.empty()) {
    status = health_.Time([this] { return WriteAll(); });
  }
  if (++writes_ % kWritesPerSync == 0) syncer_.Append({});
  std::size_t left = 0;
  for (const TermChanges& write : unwritten_) left += write.changes.size();
  return {std::move(status), left};
}

absl::Status LedgerWriter::WriteAll() {
  absl::Status status;
  if (!unwritten_.empty()) {
    const std::vector<absl::Status> written = store_.Write(unwritten_);
    KeepIf([&](std::size_t i) {
      if (written[i].ok()) return false;
      // Another cluster's changes must not wait for what will fail again.
      if (!absl::IsUnavailable(written[i]) && tenures_[i] != nullptr) {
        // Before the calls that wait for these changes end.
        tenures_[i]->End();
        log_.Write(spdlog::level::warn, "leader",
                   {{"cluster", unwritten_[i].cluster},
                    {"term", unwritten_[i].term},
                    {"state", "lost"},
                    {"why", std::string(written[i].message())}});
        return false;
      }
      status.Update(written[i]);
      return true;
    });
  }
  if (status.ok()) SaveLearned();
  return status;
}

// No call waits for it, and what is not stored now comes again within a minute.
void LedgerWriter::SaveLearned() {
  for (const auto& [name, learned] : std::exchange(unwritten_learned_, {})) {
    const absl::Status status = store_.SaveLearned(learned);
    if (status.ok() != learned_status_.ok()) {
      log_.Write(status.ok() ? spdlog::level::info : spdlog::level::warn,
                 "learned",
                 {{"name", name},
                  {"state", status.ok() ? "stored again" : "cannot be stored"},
                  {"why", std::string(status.message())}});
    }
    learned_status_ = status;
  }
}

void LedgerWriter::KeepIf(const std::function<bool(std::size_t)>& is_kept) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < unwritten_.size(); ++i) {
    if (!is_kept(i)) continue;
    if (kept != i) {
      unwritten_[kept] = std::move(unwritten_[i]);
      tenures_[kept] = std::move(tenures_[i]);
    }
    ++kept;
  }
  unwritten_.resize(kept);
  tenures_.resize(kept);
}

void LedgerWriter::DropReplaced(std::vector<LedgerChange>& changes) {
  for (LedgerChange& change : changes) {
    if (change.is_removed) continue;
    change.synced.reset();
    change.held.clear();
    change.gone.clear();
    change.queue.reset();
  }
  std::erase_if(changes,
                [](const LedgerChange& change) { return change.empty(); });
}

}  // namespace coolspan
