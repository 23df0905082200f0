// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_RECENT_STARTS_H_
#define COOLSPAN_CORE_RECENT_STARTS_H_

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/types.h"

namespace coolspan {

// What is remembered of the start of a job.
struct RecentStart {
  TimeMs start_ms = 0;
  NodeCount nodes = 0;
  TimeMs expected_run_ms = 0;  // 0: unknown

  friend bool operator==(const RecentStart&, const RecentStart&) = default;
};

// The last starts of a cluster: what policies know of the stream of jobs. A
// value of fixed size.
class RecentStarts {
 public:
  static constexpr std::size_t kMax = 64;

  // An earlier time than that of the last start counts as that.
  void Add(RecentStart start) {
    if (size_ > 0) start.start_ms = std::max(start.start_ms, back().start_ms);
    starts_[(first_ + size_) % kMax] = start;
    if (size_ < kMax) {
      ++size_;
    } else {
      first_ = (first_ + 1) % kMax;
    }
  }

  // Later times count as this one: the clock was set back.
  void LimitTo(TimeMs now_ms) {
    for (RecentStart& start : starts_) {
      start.start_ms = std::min(start.start_ms, now_ms);
    }
  }

  std::size_t size() const { return size_; }
  // Oldest first.
  const RecentStart& operator[](std::size_t i) const {
    return starts_[(first_ + i) % kMax];
  }

 private:
  const RecentStart& back() const { return (*this)[size_ - 1]; }

  std::array<RecentStart, kMax> starts_{};
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_RECENT_STARTS_H_
