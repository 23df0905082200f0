// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_BATCH_WRITER_H_
#define COOLSPAN_SERVICE_JOURNAL_BATCH_WRITER_H_

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace coolspan {

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
  // Writes the items and those that it kept; called with an empty batch to try
  // again what it kept. Only on the writer's thread.
  using Write = std::function<Result(std::vector<Item>)>;

  explicit BatchWriter(Write write)
      : write_(std::move(write)), thread_([this] { Run(); }) {}
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
  Ticket Append(Item item) {
    Ticket ticket = 0;
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(item));
      ticket = ++appended_through_;
    }
    appended_.notify_one();
    return ticket;
  }

  // Waits until all items up to the ticket are written, or an attempt at them
  // that had not ended before the call has failed. Error: UNAVAILABLE (writing
  // failed, or takes too long; it goes on). A call during an attempt that takes
  // longer than kStalledAfter fails at once: otherwise callers would pile up
  // while a disk does not answer.
  absl::Status Wait(Ticket ticket, Clock::time_point until) {
    std::unique_lock lock(mutex_);
    if (written_through_ >= ticket) return absl::OkStatus();
    if (IsStalled(Clock::now())) return StalledError();
    has_waiter_ = true;
    appended_.notify_one();
    const bool is_under_way = is_writing_ && ticket <= taken_through_;
    const std::uint64_t attempt = begun_ + (is_under_way ? 0 : 1);
    const bool has_ended = written_.wait_until(lock, until, [&] {
      return written_through_ >= ticket || ended_ >= attempt;
    });
    if (written_through_ >= ticket) return absl::OkStatus();
    if (has_ended) return absl::UnavailableError(status_.message());
    if (IsStalled(Clock::now())) return StalledError();
    return absl::UnavailableError(
        "deadline exceeded before the state was stored");
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
  // Of the last attempt.
  absl::Status status() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  // Collects items that no call waits for.
  static constexpr std::chrono::milliseconds kBatchTime{20};
  static constexpr std::chrono::milliseconds kRetryInterval{500};
  // Longer than any healthy disk takes.
  static constexpr std::chrono::seconds kStalledAfter{4};

  bool IsStalled(Clock::time_point now) const {
    return is_writing_ && now - writing_since_ > kStalledAfter;
  }
  absl::Status StalledError() const {
    return absl::UnavailableError(fmt::format(
        "the state file has not been written for {} s",
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
    } else {
      appended_.wait_for(lock, kRetryInterval, is_due);
    }
    has_waiter_ = false;
    is_writing_ = true;
    ++begun_;
    taken_through_ = appended_through_;
    writing_since_ = Clock::now();
    unwritten_ += queue_.size();
    return std::exchange(queue_, {});
  }

  void Run() {
    bool is_last = false;
    while (!is_last) {
      Result result = write_(Take());
      {
        const std::lock_guard lock(mutex_);
        is_writing_ = false;
        ++ended_;
        unwritten_ = result.unwritten;
        if (result.status.ok()) written_through_ = taken_through_;
        status_ = std::move(result.status);
        is_last = is_stopping_ && queue_.empty();
      }
      written_.notify_all();
    }
  }

  const Write write_;
  mutable std::mutex mutex_;
  std::condition_variable appended_;
  std::condition_variable written_;
  std::vector<Item> queue_;
  Ticket appended_through_ = 0;
  Ticket taken_through_ = 0;  // by the last attempt
  Ticket written_through_ = 0;
  absl::Status status_;
  std::size_t unwritten_ = 0;
  // Numbers of attempts.
  std::uint64_t begun_ = 0;
  std::uint64_t ended_ = 0;
  bool has_waiter_ = false;
  bool is_writing_ = false;
  Clock::time_point writing_since_;
  bool is_stopping_ = false;
  std::thread thread_;  // last: uses the members above
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_BATCH_WRITER_H_
