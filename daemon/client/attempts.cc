// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/attempts.h"

#include <algorithm>

namespace coolspan {

std::uint64_t Attempts::Next(std::uint32_t job_id, std::uint32_t restart,
                             std::uint64_t now_ms) {
  const std::lock_guard lock(mutex_);
  if (last_.size() >= prune_at_) {
    // Next() returns at least now_ms, so older numbers need not be kept.
    std::erase_if(
        last_, [now_ms](const auto& entry) { return entry.second < now_ms; });
    prune_at_ = std::max<std::size_t>(1024, 2 * last_.size());
  }
  std::uint64_t& last = last_[std::uint64_t{job_id} << 32 | restart];
  last = std::max(last + 1, now_ms);
  return last;
}

std::size_t Attempts::Remembered() const {
  const std::lock_guard lock(mutex_);
  return last_.size();
}

}  // namespace coolspan
