// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_BATCH_WRITER_H_
#define COOLSPAN_SERVICE_JOURNAL_BATCH_WRITER_H_

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace coolspan {

// The result of start, which is given a function to call with it, from any
// thread; nullopt if it does not come by the given time. Each caller has a
// mutex of its own: if many are woken, they do not wait for one another.
std::optional<absl::Status> ResultBy(
    std::chrono::steady_clock::time_point until,
    const std::function<void(std::function<void(const absl::Status&)>)>& start);

// Hands items in order to a function that writes them, on a thread of its own.
// Items that arrive while it writes form the next batch (group commit).
// Thread-safe.
template <typename Item>
class BatchWriter {
 public:
  using Clock = std::chrono::steady_clock;
  // Number of the item, from 1.
  using Ticket = std::uint64_t;

  struct Result {
    absl::Status status;
    std::size_t unwritten = 0;  // items kept to be written with the next batch
  };
  // While many items arrive, a batch is begun so much later: more of them share
  // its cost. A single caller never waits for that.
  static constexpr std::chrono::microseconds kGatherTime{300};

  // Writes the items and those that it kept; called with an empty batch to try
  // again what it kept. Only on the writer's thread.
  using Write = std::function<Result(std::vector<Item>)>;
  using Done = std::function<void(const absl::Status&)>;

  explicit BatchWriter(Write write,
                       std::chrono::microseconds gather_time = kGatherTime)
      : write_(std::move(write)),
        gather_time_(gather_time),
        thread_([this] { Run(); }) {}
  // Writes the items that are queued.
  ~BatchWriter() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    appended_.notify_all();
    thread_.join();
  }
  BatchWriter(const BatchWriter&) = delete;
  BatchWriter& operator=(const BatchWriter&) = delete;

  // Does not wait.
  Ticket Append(Item&& item) {
    const std::lock_guard lock(mutex_);
    // Of later items of a batch, the thread need not know.
    if (queue_.empty()) appended_.notify_one();
    queue_.push_back(std::move(item));
    return ++appended_through_;
  }

  // Calls done once all items up to the ticket are written, or an attempt at
  // them that had not ended before the call has failed, or by FailOverdue: from
  // the writer's thread, or at once. Error: UNAVAILABLE (writing failed, or
  // takes too long; it goes on). During an attempt that takes longer than
  // kStalledAfter, the call fails at once: otherwise callers would pile up
  // while a disk does not answer.
  void WhenWritten(Ticket ticket, Clock::time_point until, Done done) {
    absl::Status status;
    {
      const std::lock_guard lock(mutex_);
      if (written_through_ < ticket && !IsStalled(Clock::now())) {
        calls_.push_back({ticket, AttemptAt(ticket), until, std::move(done)});
        Hurry();
        return;
      }
      if (written_through_ < ticket) status = StalledError();
    }
    done(status);
  }

  // Ends the calls that have waited until their time.
  void FailOverdue() {
    const Clock::time_point now = Clock::now();
    std::vector<Call> overdue;
    {
      const std::lock_guard lock(mutex_);
      overdue = Take([now](const Call& call) { return call.until <= now; });
    }
    for (const Call& call : overdue) call.done(OverdueError());
  }

  // Counts an item that is not to be written.
  Ticket Skip() {
    const std::lock_guard lock(mutex_);
    return ++appended_through_;
  }

  Ticket last() const {
    const std::lock_guard lock(mutex_);
    return appended_through_;
  }
  // Items that are not in the hands of the function yet.
  std::size_t queued() const {
    const std::lock_guard lock(mutex_);
    return queue_.size();
  }
  // Items that are not written.
  std::size_t unwritten() const {
    const std::lock_guard lock(mutex_);
    return queue_.size() + unwritten_;
  }
  // Duration of the attempt in progress; 0: none.
  Clock::duration busy_for() const {
    const std::lock_guard lock(mutex_);
    return is_writing_ ? Clock::now() - writing_since_ : Clock::duration{0};
  }
  // Of the last attempt.
  absl::Status status() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  // Collects items that no call waits for.
  static constexpr std::chrono::milliseconds kBatchTime{20};
  static constexpr std::chrono::milliseconds kRetryInterval{500};
  static constexpr std::size_t kManyItems = 4;
  // Longer than any healthy disk takes.
  static constexpr std::chrono::seconds kStalledAfter{4};

  struct Call {
    Ticket ticket;
    std::uint64_t attempt;
    Clock::time_point until;
    Done done;
  };

  // Begins the next attempt without collecting more items. REQUIRES mutex_.
  void Hurry() {
    if (!has_waiter_) appended_.notify_one();
    has_waiter_ = true;
  }
  // The number of the first attempt at the ticket that has not ended. REQUIRES
  // mutex_.
  std::uint64_t AttemptAt(Ticket ticket) const {
    const bool is_under_way = is_writing_ && ticket <= taken_through_;
    return begun_ + (is_under_way ? 0 : 1);
  }
  static absl::Status OverdueError() {
    return absl::UnavailableError(
        "deadline exceeded before the state was stored");
  }
  // Takes the calls that have ended. REQUIRES mutex_.
  template <typename HasEnded>
  std::vector<Call> Take(const HasEnded& has_ended) {
    const auto ended = std::stable_partition(calls_.begin(), calls_.end(),
                                             std::not_fn(has_ended));
    std::vector<Call> taken(std::make_move_iterator(ended),
                            std::make_move_iterator(calls_.end()));
    calls_.erase(ended, calls_.end());
    return taken;
  }

  bool IsStalled(Clock::time_point now) const {
    return is_writing_ && now - writing_since_ > kStalledAfter;
  }
  absl::Status StalledError() const {
    return absl::UnavailableError(fmt::format(
        "the state has not been written for {} s",
        std::chrono::duration_cast<std::chrono::seconds>(Clock::now() -
                                                         writing_since_)
            .count()));
  }

  std::vector<Item> Take() {
    std::unique_lock lock(mutex_);
    const auto is_due = [this] { return is_stopping_ || has_waiter_; };
    if (unwritten_ == 0) {
      appended_.wait(lock, [&] { return is_due() || !queue_.empty(); });
      appended_.wait_for(lock, kBatchTime, is_due);
      if (last_batch_ >= kManyItems && !is_stopping_ &&
          gather_time_ > gather_time_.zero()) {
        lock.unlock();
        std::this_thread::sleep_for(gather_time_);
        lock.lock();
      }
    } else {
      appended_.wait_for(lock, kRetryInterval, is_due);
    }
    has_waiter_ = false;
    is_writing_ = true;
    ++begun_;
    taken_through_ = appended_through_;
    writing_since_ = Clock::now();
    unwritten_ += queue_.size();
    last_batch_ = queue_.size();
    return std::exchange(queue_, {});
  }

  void Run() {
    bool is_last = false;
    while (!is_last) {
      Result result = write_(Take());
      std::vector<Call> calls;
      Ticket written = 0;
      absl::Status status = result.status;
      {
        const std::lock_guard lock(mutex_);
        is_writing_ = false;
        ++ended_;
        unwritten_ = result.unwritten;
        if (result.status.ok()) written_through_ = taken_through_;
        status_ = std::move(result.status);
        is_last = is_stopping_ && queue_.empty();
        calls = Take([this](const Call& call) {
          return written_through_ >= call.ticket || ended_ >= call.attempt;
        });
        written = written_through_;
      }
      // Of a failed attempt, some may have been written by an earlier one.
      const absl::Status error = absl::UnavailableError(status.message());
      for (const Call& call : calls) {
        const bool is_written = status.ok() || call.ticket <= written;
        call.done(is_written ? absl::OkStatus() : error);
      }
    }
    // Calls that came after the last attempt had begun.
    std::vector<Call> left;
    {
      const std::lock_guard lock(mutex_);
      left.swap(calls_);
    }
    for (const Call& call : left) {
      call.done(absl::UnavailableError("the daemon is shutting down"));
    }
  }

  const Write write_;
  const std::chrono::microseconds gather_time_;
  mutable std::mutex mutex_;
  std::condition_variable appended_;
  std::vector<Item> queue_;
  std::vector<Call> calls_;
  Ticket appended_through_ = 0;
  Ticket taken_through_ = 0;  // by the last attempt
  Ticket written_through_ = 0;
  absl::Status status_;
  std::size_t unwritten_ = 0;
  // Numbers of attempts.
  std::uint64_t begun_ = 0;
  std::uint64_t ended_ = 0;
  std::size_t last_batch_ = 0;  // number of items
  bool has_waiter_ = false;
  bool is_writing_ = false;
  Clock::time_point writing_since_;
  bool is_stopping_ = false;
  std::thread thread_;  // last: uses the members above
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_BATCH_WRITER_H_
