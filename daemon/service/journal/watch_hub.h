// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_JOURNAL_WATCH_HUB_H_
#define COOLSPAN_SERVICE_JOURNAL_WATCH_HUB_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"

namespace coolspan {

// The queue of one watcher. Events are dropped while the queue is full; Next
// reports their number. Thread-safe.
class Watcher {
 public:
  static constexpr std::size_t kMaxWaiting = 4096;

  explicit Watcher(std::string cluster) : cluster_(std::move(cluster)) {}

  // nullopt: timeout, or the watcher has ended.
  std::optional<v1::Happening> Next(std::chrono::milliseconds timeout);
  // Returns false if it is dropped.
  bool Offer(const v1::Happening& happening);
  void End();
  std::size_t waiting() const;
  bool HasEnded() const;

 private:
  const std::string cluster_;  // empty: all
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<v1::Happening> waiting_;
  std::uint64_t missed_ = 0;
  bool ended_ = false;
};

// Publishes happenings to all watchers. Thread-safe.
class WatchHub {
 public:
  static constexpr std::size_t kMaxWatchers = 32;

  struct Reading {
    std::size_t watchers = 0;
    std::size_t longest_queue = 0;
    std::uint64_t dropped = 0;  // by full queues, since the daemon started
  };

  // Errors: RESOURCE_EXHAUSTED (too many watchers), UNAVAILABLE (closed).
  absl::StatusOr<std::shared_ptr<Watcher>> Add(const std::string& cluster);
  void Remove(const std::shared_ptr<Watcher>& watcher);
  bool HasWatchers() const;
  Reading Read() const;
  void Publish(const v1::Happening& happening);
  // Ends all watchers; later calls of Add fail.
  void Close();

 private:
  mutable std::mutex mutex_;
  std::list<std::shared_ptr<Watcher>> watchers_;
  std::uint64_t dropped_ = 0;
  bool closed_ = false;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_JOURNAL_WATCH_HUB_H_
