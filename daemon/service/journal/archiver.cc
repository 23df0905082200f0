// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/archiver.h"

#include <exception>
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
                   std::function<TimeMs()> wall_clock_ms, TimeMs retention_ms)
    : machine_(std::move(machine)),
      archive_(archive),
      log_(log),
      watchers_(watchers),
      health_("archive", log),
      wall_clock_ms_(std::move(wall_clock_ms)),
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
  absl::Status status;
  if (!unwritten_.empty()) {
    status = health_.Time([this] { return archive_.Write(unwritten_); });
  }
  if (status.ok()) unwritten_.clear();
  PurgeOld();
  return {std::move(status), unwritten_.size()};
}

void Archiver::Record(const ClusterEvent& event) {
  WriteLogLine(*machine_, event, log_);
  if (watchers_.HasWatchers()) {
    watchers_.Publish(MakeHappening(*machine_, event));
  }
  CountStarts(event);
  events_.Add(event, PairwiseMeanOf(event));
  ArchiveChange change = MakeArchiveChange(*machine_, event, wall_clock_ms_());
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
  const TimeMs now_ms = wall_clock_ms_();
  if (now_ms < next_purge_ms_ || !unwritten_.empty()) return;
  const auto purged = archive_.Forget(now_ms - retention_ms_, kMaxPurged);
  const bool is_all = !purged.ok() || *purged < kMaxPurged;
  next_purge_ms_ = is_all ? now_ms + kPurgeIntervalMs : now_ms;
}

}  // namespace coolspan
