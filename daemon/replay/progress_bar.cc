// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace coolspan {
namespace {

std::string Bar(std::uint64_t done, std::uint64_t total) {
  constexpr std::uint64_t kCells = 40;
  const std::uint64_t divisor = std::max<std::uint64_t>(total, 1);
  const std::uint64_t filled = std::min(kCells, done * kCells / divisor);
  return fmt::format("[{:#<{}}{:{}}] {:3}%  {} of {} jobs", "", filled, "",
                     kCells - filled, 100 * done / divisor, done, total);
}

}  // namespace

ProgressBar::ProgressBar(std::ostream& out,
                         const std::atomic<std::uint64_t>& done,
                         std::uint64_t total, std::chrono::milliseconds delay)
    : line_(
          out,
          [&done, total] {
            return Bar(done.load(std::memory_order_relaxed), total);
          },
          delay) {}

}  // namespace coolspan
