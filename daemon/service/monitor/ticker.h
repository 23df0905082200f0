// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_MONITOR_TICKER_H_
#define COOLSPAN_SERVICE_MONITOR_TICKER_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace coolspan {

// Calls a function again and again on a thread of its own, until destroyed,
// which waits for the call in progress.
class Ticker {
 public:
  // interval: from the end of a call to the next one.
  Ticker(std::chrono::microseconds interval, std::function<void()> tick)
      : interval_(interval),
        tick_(std::move(tick)),
        thread_([this] { Run(); }) {}
  ~Ticker() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, interval_, [this] { return stopping_; })) {
      tick_();
    }
  }

  const std::chrono::microseconds interval_;
  const std::function<void()> tick_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;  // last: uses the members above
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_MONITOR_TICKER_H_
