// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/journal.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "core/deadline.h"
#include "service/journal/log_lines.h"
#include "service/journal/records.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;

// Collects events that no call waits for, for one transaction.
constexpr milliseconds kBatchTime{20};
constexpr milliseconds kRetryInterval{500};
// For all comparisons of a batch: calls wait for the store until they are done.
constexpr milliseconds kComparisonTime{100};
constexpr TimeMs kPurgeIntervalMs = TimeMs{10} * 60 * 1000;
constexpr std::size_t kMaxPurged = 10'000;

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

Journal::Journal(std::shared_ptr<const Machine> machine, Store& store,
                 EventLog& log, WatchHub& watchers,
                 std::function<TimeMs()> wall_clock_ms, TimeMs retention_ms)
    : machine_(std::move(machine)),
      store_(store),
      log_(log),
      watchers_(watchers),
      wall_clock_ms_(std::move(wall_clock_ms)),
      retention_ms_(retention_ms),
      thread_([this] { Run(); }) {}

Journal::~Journal() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  appended_.notify_all();
  thread_.join();
}

absl::Status Journal::CheckCapacity() const {
  const std::lock_guard lock(mutex_);
  if (queue_.size() + unwritten_count_ < kMaxWaiting) return absl::OkStatus();
  return absl::UnavailableError(fmt::format(
      "journal full: {} changes not yet stored{}{}",
      queue_.size() + unwritten_count_, write_status_.ok() ? "" : ": ",
      std::string(write_status_.message())));
}

Journal::Ticket Journal::Append(ClusterEvent cluster_event) {
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(cluster_event));
    ticket = ++appended_through_;
  }
  appended_.notify_one();
  return ticket;
}

absl::Status Journal::Wait(Ticket ticket) {
  std::unique_lock lock(mutex_);
  has_waiter_ = true;
  appended_.notify_one();
  const bool is_attempted = written_.wait_for(lock, kMaxWait, [&] {
    return durable_through_ >= ticket || attempted_through_ >= ticket;
  });
  if (durable_through_ >= ticket) return absl::OkStatus();
  if (!is_attempted) {
    return absl::UnavailableError(fmt::format(
        "the state file has not been written for {} s", kMaxWait.count()));
  }
  // The change is kept, and writing is retried.
  return absl::UnavailableError(write_status_.message());
}

Journal::Ticket Journal::last() const {
  const std::lock_guard lock(mutex_);
  return appended_through_;
}

std::size_t Journal::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

std::vector<ClusterEvent> Journal::TakeBatch() {
  std::unique_lock lock(mutex_);
  const auto is_due = [this] { return stopping_ || has_waiter_; };
  if (unwritten_.empty()) {
    appended_.wait(lock, [&] { return is_due() || !queue_.empty(); });
    appended_.wait_for(lock, kBatchTime, is_due);
  } else {
    appended_.wait_for(lock, kRetryInterval, is_due);
  }
  has_waiter_ = false;
  // For CheckCapacity, until they are in unwritten_.
  unwritten_count_ += queue_.size();
  return std::exchange(queue_, {});
}

void Journal::Run() {
  while (true) {
    std::vector<ClusterEvent> batch = TakeBatch();
    const auto until = std::chrono::steady_clock::now() + kComparisonTime;
    for (ClusterEvent& cluster_event : batch) {
      Complete(cluster_event, until);
      Record(cluster_event);
    }
    log_.Flush();
    Ticket through = 0;
    bool last_round = false;
    {
      const std::lock_guard lock(mutex_);
      through = appended_through_ - queue_.size();
      last_round = stopping_ && queue_.empty();
    }
    WriteWaiting(through);
    if (last_round) return;
    PurgeOld();
  }
}

void Journal::Complete(ClusterEvent& cluster_event,
                       std::chrono::steady_clock::time_point until) const {
  if (auto* const event = std::get_if<JobEvent>(&cluster_event.what)) {
    CompareAdvice(*event, until);
  }
  auto* const decided = std::get_if<Decided>(&cluster_event.what);
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

void Journal::Record(const ClusterEvent& cluster_event) {
  WriteLogLine(*machine_, cluster_event, log_);
  if (watchers_.HasWatchers()) {
    watchers_.Publish(MakeHappening(*machine_, cluster_event));
  }
  CountStarts(cluster_event);
  StoredChange change = MakeChange(*machine_, cluster_event, wall_clock_ms_());
  if (change.synced.has_value()) DropReplacedBy(change);
  unwritten_.push_back(std::move(change));
}

void Journal::CountStarts(const ClusterEvent& cluster_event) {
  const auto count = [&](const JobEvent& event) {
    if (!event.start.has_value()) return;
    starts_.Add(cluster_event.cluster, *event.start, event.cost);
  };
  if (const auto* event = std::get_if<JobEvent>(&cluster_event.what)) {
    count(*event);
  } else if (const auto* synced = std::get_if<Synced>(&cluster_event.what)) {
    for (const JobEvent& start : synced->starts) count(start);
  }
}

void Journal::DropReplacedBy(const StoredChange& sync) {
  for (StoredChange& change : unwritten_) {
    if (change.cluster != sync.cluster) continue;
    change.synced.reset();
    change.held.clear();
    change.gone.clear();
    change.queue.reset();
  }
  std::erase_if(unwritten_, [](const StoredChange& change) {
    return !change.synced.has_value() && change.held.empty() &&
           change.gone.empty() && !change.queue.has_value() &&
           change.decisions.empty() && change.outcomes.empty() &&
           change.starts.empty() && change.ends.empty() &&
           !change.mode.has_value();
  });
}

void Journal::WriteWaiting(Ticket through) {
  const absl::Status status =
      unwritten_.empty() ? absl::OkStatus() : store_.Write(unwritten_);
  if (status.ok()) unwritten_.clear();
  bool is_changed = false;
  {
    const std::lock_guard lock(mutex_);
    is_changed = status.ok() != write_status_.ok();
    write_status_ = status;
    unwritten_count_ = unwritten_.size();
    attempted_through_ = through;
    if (status.ok()) durable_through_ = through;
  }
  written_.notify_all();
  if (!is_changed) return;
  if (status.ok()) {
    log_.Write(spdlog::level::warn, "store", {{"state", "written again"}});
  } else {
    log_.Write(spdlog::level::err, "store",
               {{"state", "cannot be written"},
                {"why", std::string(status.message())}});
  }
}

void Journal::PurgeOld() {
  const TimeMs now_ms = wall_clock_ms_();
  if (now_ms < next_purge_ms_ || !unwritten_.empty()) return;
  const auto purged = store_.Forget(now_ms - retention_ms_, kMaxPurged);
  const bool is_all = !purged.ok() || *purged < kMaxPurged;
  next_purge_ms_ = is_all ? now_ms + kPurgeIntervalMs : now_ms;
}

}  // namespace coolspan
