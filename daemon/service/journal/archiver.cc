// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/archiver.h"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "core/deadline.h"
#include "service/journal/log_lines.h"
#include "service/journal/records.h"

namespace coolspan {
namespace {

// For all comparisons of a batch: calls wait for the archive until they are
// done.
constexpr std::chrono::milliseconds kComparisonTime{100};
constexpr TimeMs kPurgeIntervalMs = TimeMs{10} * 60 * 1000;
constexpr std::size_t kMaxPurged = 10'000;
constexpr std::size_t kMaxMeasuredQueue = 64;
constexpr std::size_t kMaxMeasuredNodes = 2048;

// Of one batch.
constexpr std::chrono::milliseconds kRemovalTime{200};
constexpr std::size_t kMaxRemoved = 1000;

// Bounds on one transaction, and so on what it adds to a write-ahead log.
constexpr std::size_t kMaxPortion = 200;
constexpr std::size_t kMaxPortionBytes = std::size_t{256} * 1024;

// About, of its texts.
std::size_t BytesOf(const ArchiveChange& change) {
  std::size_t bytes = 0;
  for (const StoredDecision& decision : change.decisions) {
    bytes += decision.nodes.size() + decision.why.size();
    for (const auto& [name, value] : decision.facts) {
      bytes += name.size() + value.size();
    }
  }
  for (const StoredStart& start : change.starts) bytes += start.nodes.size();
  for (const StoredOutcome& outcome : change.outcomes) {
    bytes += outcome.committed_nodes.size();
  }
  return bytes;
}

// Number of changes to write at once. REQUIRES that the first is not of a
// removed cluster.
std::size_t PortionOf(std::span<const ArchiveChange> changes) {
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (count < std::min(changes.size(), kMaxPortion) &&
         !changes[count].is_removed) {
    bytes += BytesOf(changes[count]);
    if (count > 0 && bytes > kMaxPortionBytes) break;
    ++count;
  }
  return count;
}

void CompareAdvice(JobEvent& event,
                   std::chrono::steady_clock::time_point until) {
  if (event.advice == nullptr) return;
  try {
    if (std::chrono::steady_clock::now() < until) {
      event.cost = CostOf(*event.advice);
    }
  } catch (const std::exception&) {
    // Such as out of memory: the event is recorded nevertheless.
  }
  event.advice = nullptr;
}

}  // namespace

Archiver::Archiver(std::shared_ptr<const Machine> machine,
                   DecisionArchive& archive, EventLog& log, WatchHub& watchers,
                   std::function<TimeMs()> clock_ms, TimeMs retention_ms)
    : machine_(std::move(machine)),
      archive_(archive),
      log_(log),
      watchers_(watchers),
      health_("archive", log),
      clock_ms_(std::move(clock_ms)),
      retention_ms_(retention_ms),
      writer_([this](std::vector<ClusterEvent> batch) {
        return Write(std::move(batch));
      }) {}

Archiver::Writer::Result Archiver::Write(std::vector<ClusterEvent> batch) {
  const auto until = Clock::now() + kComparisonTime;
  for (ClusterEvent& event : batch) {
    Complete(event, until);
    Record(event);
  }
  log_.Flush();
  absl::Status status = WriteUnwritten();
  DropOldest();
  NoteCondition();
  PurgeOld();
  return {std::move(status), unwritten_.size()};
}

Archiver::Ticket Archiver::Append(ClusterEvent&& event) {
  // The archive's disk does not answer: decisions go on.
  if (writer_.queued() < kMaxQueued) return writer_.Append(std::move(event));
  ++dropped_;
  return writer_.Skip();
}

absl::Status Archiver::WriteUnwritten() {
  absl::Status status = RemoveHistory();
  std::size_t written = 0;
  while (status.ok() && written < unwritten_.size()) {
    const std::span rest = std::span(unwritten_).subspan(written);
    if (rest.front().is_removed) {
      const std::string& cluster = rest.front().cluster;
      status = health_.Time([&] { return archive_.BeginRemoval(cluster); });
      if (!status.ok()) break;
      ++written;
      may_have_removals_ = true;
      status = RemoveHistory();
      continue;
    }
    const std::size_t portion = PortionOf(rest);
    status = health_.Time([&] { return archive_.Write(rest.first(portion)); });
    if (status.ok()) written += portion;
  }
  unwritten_.erase(unwritten_.begin(),
                   unwritten_.begin() + static_cast<std::ptrdiff_t>(written));
  return status;
}

absl::Status Archiver::RemoveHistory() {
  if (!may_have_removals_) return absl::OkStatus();
  const auto until = Clock::now() + kRemovalTime;
  while (Clock::now() < until) {
    std::size_t removed = 0;
    absl::Status status = health_.Time([&] {
      const auto count = archive_.ContinueRemovals(kMaxRemoved);
      if (count.ok()) removed = *count;
      return count.status();
    });
    if (!status.ok()) return status;
    may_have_removals_ = removed > 0;
    if (removed == 0) return absl::OkStatus();
  }
  return absl::UnavailableError("the history of a cluster is being removed");
}

void Archiver::DropOldest() {
  if (unwritten_.size() > kMaxUnwritten) {
    const std::size_t excess = unwritten_.size() - kMaxUnwritten;
    // Removals are small and stay.
    std::size_t left = excess;
    std::erase_if(unwritten_, [&left](const ArchiveChange& change) {
      if (left == 0 || change.is_removed) return false;
      --left;
      return true;
    });
    dropped_ += excess - left;
  }
  // Once, and again when all is written.
  const std::uint64_t dropped = dropped_;
  if (dropped == logged_dropped_) return;
  if (logged_dropped_ != 0 && !unwritten_.empty()) return;
  logged_dropped_ = dropped;
  log_.Write(spdlog::level::err, "archive",
             {{"what", "entries dropped: the archive could not be written"},
              {"dropped_since_start", dropped}});
}

void Archiver::NoteCondition() {
  const ArchiveCondition condition = archive_.Condition();
  for (; logged_set_aside_ < condition.set_aside.size(); ++logged_set_aside_) {
    log_.Write(spdlog::level::err, "archive",
               {{"what", "corrupt, replaced by an empty one"},
                {"renamed_to", condition.set_aside[logged_set_aside_]}});
  }
}

void Archiver::Record(const ClusterEvent& event) {
  WriteLogLine(*machine_, event, log_);
  if (watchers_.HasWatchers()) {
    watchers_.Publish(MakeHappening(*machine_, event));
  }
  CountStarts(event);
  events_.Add(event, PairwiseMeanOf(event));
  ArchiveChange change = MakeArchiveChange(*machine_, event, clock_ms_());
  if (!change.empty()) unwritten_.push_back(std::move(change));
}

void Archiver::Complete(ClusterEvent& event, Clock::time_point until) const {
  if (auto* const job = std::get_if<JobEvent>(&event.what)) {
    CompareAdvice(*job, until);
  }
  auto* const decided = std::get_if<Decided>(&event.what);
  if (decided == nullptr) return;
  const Decision& decision = *decided->decision;
  decided->trace = decision.trace;
  if (decided->basis != nullptr) {
    const ComparisonBasis& basis = *decided->basis;
    Budget budget = BudgetUntil(until, &std::chrono::steady_clock::now);
    try {
      NoteComparison(basis.references, basis.snapshot, basis.call, decision,
                     budget, decided->trace);
    } catch (const std::exception&) {
      // Such as out of memory: the decision is recorded nevertheless.
      decided->trace.Note("compared", "failed");
    }
    decided->basis = nullptr;
  } else if (decided->is_overloaded) {
    decided->trace.Note("compared", "no time");
  }
  decided->hostlist = machine_->FormatNodes(decision.allocation.nodes);
  decided->why = WhyText(decision, decided->trace);
}

// Only while little is queued: decisions of large jobs on irregular networks
// take up to milliseconds.
std::optional<double> Archiver::PairwiseMeanOf(
    const ClusterEvent& event) const {
  const auto* const decided = std::get_if<Decided>(&event.what);
  if (decided == nullptr || queued() > kMaxMeasuredQueue) return std::nullopt;
  const std::vector<NodeId>& nodes = decided->decision->allocation.nodes;
  if (nodes.size() < 2 || nodes.size() > kMaxMeasuredNodes) return std::nullopt;
  ChoiceCost cost;
  cost.nodes = static_cast<NodeCount>(nodes.size());
  cost.pairwise_total = machine_->topology().PairwiseTotal(nodes);
  return cost.pairwise_mean();
}

void Archiver::CountStarts(const ClusterEvent& event) {
  if (std::holds_alternative<Removed>(event.what)) {
    starts_.Remove(event.cluster);
  }
  const auto count = [&](const JobEvent& job) {
    if (!job.start.has_value()) return;
    starts_.Add(event.cluster, *job.start, job.cost);
  };
  if (const auto* job = std::get_if<JobEvent>(&event.what)) {
    count(*job);
  } else if (const auto* synced = std::get_if<Synced>(&event.what)) {
    for (const JobEvent& start : synced->starts) count(start);
  }
}

void Archiver::PurgeOld() {
  const TimeMs now_ms = clock_ms_();
  if (now_ms < next_purge_ms_ || !unwritten_.empty()) return;
  const auto purged = archive_.Forget(now_ms - retention_ms_, kMaxPurged);
  const bool is_all = !purged.ok() || *purged < kMaxPurged;
  next_purge_ms_ = is_all ? now_ms + kPurgeIntervalMs : now_ms;
}

}  // namespace coolspan
