// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace coolspan {
namespace {

constexpr std::chrono::milliseconds kBetween{200};

std::string Line(std::uint64_t done, std::uint64_t total) {
  constexpr std::uint64_t kCells = 40;
  const std::uint64_t whole = std::max<std::uint64_t>(total, 1);
  const std::uint64_t filled = std::min(kCells, done * kCells / whole);
  return fmt::format("\r[{:#<{}}{:{}}] {:3}%  {} of {} jobs", "", filled, "",
                     kCells - filled, 100 * done / whole, done, total);
}

}  // namespace

ProgressBar::ProgressBar(std::ostream& out,
                         const std::atomic<std::uint64_t>& done,
                         std::uint64_t total, std::chrono::milliseconds quiet)
    : out_(out),
      done_(done),
      total_(total),
      thread_([this, quiet] { Show(quiet); }) {}

ProgressBar::~ProgressBar() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ProgressBar::Show(std::chrono::milliseconds quiet) {
  std::unique_lock lock(mutex_);
  std::string shown;
  const auto over = [this] { return over_; };
  for (std::chrono::milliseconds pause = quiet;
       !changed_.wait_for(lock, pause, over); pause = kBetween) {
    shown = Line(done_.load(std::memory_order_relaxed), total_);
    out_ << shown << std::flush;
  }
  if (!shown.empty()) {
    out_ << "\r" << std::string(shown.size() - 1, ' ') << "\r" << std::flush;
  }
}

}  // namespace coolspan
