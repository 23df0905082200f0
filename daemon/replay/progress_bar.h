// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_PROGRESS_BAR_H_
#define COOLSPAN_REPLAY_PROGRESS_BAR_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <ostream>
#include <thread>

namespace coolspan {

// Shows on a terminal how far work is, once it has taken longer than quiet,
// while the object lives; it leaves nothing behind. out is not to be written
// to meanwhile.
class ProgressBar {
 public:
  ProgressBar(std::ostream& out, const std::atomic<std::uint64_t>& done,
              std::uint64_t total,
              std::chrono::milliseconds quiet = std::chrono::seconds(2));
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

 private:
  void Show(std::chrono::milliseconds quiet);

  std::ostream& out_;
  const std::atomic<std::uint64_t>& done_;
  const std::uint64_t total_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_PROGRESS_BAR_H_
