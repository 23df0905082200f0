// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/watch_hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace coolspan {

std::optional<v1::Happening> Watcher::Next(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, timeout, [this] {
    return ended_ || !waiting_.empty() || missed_ > 0;
  });
  if (ended_) return std::nullopt;
  if (!waiting_.empty()) {
    v1::Happening first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }
  if (missed_ == 0) return std::nullopt;
  v1::Happening gap;
  gap.set_cluster(cluster_);
  gap.set_missed(std::exchange(missed_, 0));
  return gap;
}

bool Watcher::Offer(const v1::Happening& happening) {
  if (!cluster_.empty() && happening.cluster() != cluster_) return true;
  bool is_dropped = false;
  {
    const std::lock_guard lock(mutex_);
    // Events after a missed one are missed too, until Next has reported the
    // gap.
    is_dropped = waiting_.size() >= kMaxWaiting || missed_ > 0;
    if (is_dropped) {
      ++missed_;
    } else {
      waiting_.push_back(happening);
    }
  }
  changed_.notify_one();
  return !is_dropped;
}

std::size_t Watcher::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void Watcher::End() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

bool Watcher::HasEnded() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

absl::StatusOr<std::shared_ptr<Watcher>> WatchHub::Add(
    const std::string& cluster) {
  const std::lock_guard lock(mutex_);
  if (closed_) return absl::UnavailableError("the daemon is shutting down");
  if (watchers_.size() >= kMaxWatchers) {
    return absl::ResourceExhaustedError(
        fmt::format("too many watchers (expected at most {})", kMaxWatchers));
  }
  watchers_.push_back(std::make_shared<Watcher>(cluster));
  return watchers_.back();
}

void WatchHub::Remove(const std::shared_ptr<Watcher>& watcher) {
  const std::lock_guard lock(mutex_);
  watchers_.remove(watcher);
}

bool WatchHub::HasWatchers() const {
  const std::lock_guard lock(mutex_);
  return !watchers_.empty();
}

void WatchHub::Publish(const v1::Happening& happening) {
  const std::lock_guard lock(mutex_);
  for (const auto& watcher : watchers_) {
    if (!watcher->Offer(happening)) ++dropped_;
  }
}

WatchHub::Reading WatchHub::Read() const {
  const std::lock_guard lock(mutex_);
  Reading reading{watchers_.size(), 0, dropped_};
  for (const auto& watcher : watchers_) {
    reading.longest_queue = std::max(reading.longest_queue, watcher->waiting());
  }
  return reading;
}

void WatchHub::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (const auto& watcher : watchers_) watcher->End();
}

}  // namespace coolspan
