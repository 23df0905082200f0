// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/journal.h"

#include <fmt/format.h>

#include <utility>

#include "core/deadline.h"
#include "service/journal/log_lines.h"
#include "service/journal/records.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;

// Decisions that nobody waits for are collected for this long.
constexpr milliseconds kCollect{20};
constexpr milliseconds kBetweenTries{500};
// Of the decisions taken together: events wait for the store behind them.
constexpr milliseconds kComparing{100};
constexpr TimeMs kBetweenForgettingsMs = TimeMs{10} * 60 * 1000;
constexpr std::size_t kForgottenAtOnce = 10'000;

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
    ending_ = true;
  }
  appended_.notify_all();
  thread_.join();
}

absl::Status Journal::CheckRoom() const {
  const std::lock_guard lock(mutex_);
  if (queue_.size() + unwritten_count_ < kMaxWaiting) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("journal full: {} changes not yet stored{}{}",
                  queue_.size() + unwritten_count_, problem_.ok() ? "" : ": ",
                  std::string(problem_.message())));
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
  waited_for_ = true;
  appended_.notify_one();
  written_.wait(lock, [&] {
    return durable_through_ >= ticket || tried_through_ >= ticket;
  });
  if (durable_through_ >= ticket) return absl::OkStatus();
  // Whatever the store's trouble is: the change is kept and tried again.
  return absl::UnavailableError(problem_.message());
}

Journal::Ticket Journal::last() const {
  const std::lock_guard lock(mutex_);
  return appended_through_;
}

std::size_t Journal::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

std::vector<ClusterEvent> Journal::Take() {
  std::unique_lock lock(mutex_);
  const auto is_due = [this] { return ending_ || waited_for_; };
  if (unwritten_.empty()) {
    appended_.wait(lock, [&] { return is_due() || !queue_.empty(); });
    appended_.wait_for(lock, kCollect, is_due);
  } else {
    appended_.wait_for(lock, kBetweenTries, is_due);
  }
  waited_for_ = false;
  // So that CheckRoom counts them meanwhile.
  unwritten_count_ += queue_.size();
  return std::exchange(queue_, {});
}

void Journal::Run() {
  while (true) {
    std::vector<ClusterEvent> batch = Take();
    const auto until = std::chrono::steady_clock::now() + kComparing;
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
      last_round = ending_ && queue_.empty();
    }
    WriteWaiting(through);
    if (last_round) return;
    ForgetOld();
  }
}

void Journal::Complete(ClusterEvent& cluster_event,
                       std::chrono::steady_clock::time_point until) const {
  auto* const decided = std::get_if<Decided>(&cluster_event.what);
  if (decided == nullptr) return;
  const Decision& decision = *decided->decision;
  decided->trace = decision.trace;
  if (decided->basis != nullptr) {
    const ComparisonBasis& basis = *decided->basis;
    Budget budget = BudgetUntil(until, &std::chrono::steady_clock::now);
    NoteComparison(basis.references, basis.snapshot, basis.call, decision,
                   budget, decided->trace);
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
  StoredChange change = MakeChange(*machine_, cluster_event, wall_clock_ms_());
  if (change.synced.has_value()) DropReplacedBy(change);
  unwritten_.push_back(std::move(change));
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
           change.decisions.empty() && change.outcomes.empty();
  });
}

void Journal::WriteWaiting(Ticket through) {
  const absl::Status status =
      unwritten_.empty() ? absl::OkStatus() : store_.Write(unwritten_);
  if (status.ok()) unwritten_.clear();
  bool is_news = false;
  {
    const std::lock_guard lock(mutex_);
    is_news = status.ok() != problem_.ok();
    problem_ = status;
    unwritten_count_ = unwritten_.size();
    tried_through_ = through;
    if (status.ok()) durable_through_ = through;
  }
  written_.notify_all();
  if (!is_news) return;
  if (status.ok()) {
    log_.Write(spdlog::level::warn, "store", {{"state", "written again"}});
  } else {
    log_.Write(spdlog::level::err, "store",
               {{"state", "cannot be written"},
                {"why", std::string(status.message())}});
  }
}

void Journal::ForgetOld() {
  const TimeMs now_ms = wall_clock_ms_();
  if (now_ms < next_forgetting_ms_ || !unwritten_.empty()) return;
  const auto forgotten =
      store_.ForgetDecisions(now_ms - retention_ms_, kForgottenAtOnce);
  const bool is_all = !forgotten.ok() || *forgotten < kForgottenAtOnce;
  next_forgetting_ms_ = is_all ? now_ms + kBetweenForgettingsMs : now_ms;
}

}  // namespace coolspan
