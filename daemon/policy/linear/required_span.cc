// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/linear/required_span.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace coolspan {
namespace {

// `length` consecutive entries of the list of free ranks from index `first` on,
// continuing at the start of the list.
struct RankWindow {
  NodeCount span = std::numeric_limits<NodeCount>::max();
  Rank start = 0;
  std::size_t first = 0;
  std::size_t length = 0;
};

// Indexes are into the list of free ranks; an index past its end continues at
// the start, one turn around the ring later.
class WindowSearch {
 public:
  WindowSearch(std::span<const Rank> free, NodeCount count, NodeCount size)
      : free_(free), count_(count), size_(size) {}

  // Tries all windows of `count` entries within [min_index, max_index] that
  // contain [first, last]. If [first, last] has `count` entries or more, it is
  // the only window tried.
  void TryWindows(std::size_t min_index, std::size_t first, std::size_t last,
                  std::size_t max_index) {
    const std::size_t length = last - first + 1;
    if (length >= count_) {
      TryWindow(first, length);
      return;
    }
    const std::size_t min_start =
        std::max(min_index, last + 1 >= count_ ? last + 1 - count_ : 0);
    for (std::size_t start = min_start;
         start <= first && start + count_ - 1 <= max_index; ++start) {
      TryWindow(start, count_);
    }
  }

  const RankWindow& best() const { return best_; }

 private:
  void TryWindow(std::size_t first, std::size_t length) {
    const std::size_t m = free_.size();
    const std::size_t last = first + length - 1;
    const Rank from = free_[first % m];
    const Rank to = free_[last % m] + (last / m > first / m ? size_ : 0);
    const RankWindow window{to - from + 1, from, first % m, length};
    if (std::tie(window.span, window.start) <
        std::tie(best_.span, best_.start)) {
      best_ = window;
    }
  }

  std::span<const Rank> free_;
  std::size_t count_;
  NodeCount size_;
  RankWindow best_;
};

std::size_t IndexOf(std::span<const Rank> free, Rank rank) {
  return static_cast<std::size_t>(
      std::lower_bound(free.begin(), free.end(), rank) - free.begin());
}

// Takes the required ranks of the window and the first others.
RequiredSpan TakeRanks(const RankWindow& window, std::span<const Rank> free,
                       std::span<const Rank> required, NodeCount count) {
  RequiredSpan answer{window.span, window.start, {}};
  answer.ranks.reserve(count);
  std::size_t others = count - required.size();
  for (std::size_t i = 0; i < window.length; ++i) {
    const Rank rank = free[(window.first + i) % free.size()];
    if (std::binary_search(required.begin(), required.end(), rank)) {
      answer.ranks.push_back(rank);
    } else if (others > 0) {
      --others;
      answer.ranks.push_back(rank);
    }
  }
  return answer;
}

}  // namespace

RequiredSpan MinimumSpanWith(std::span<const Rank> free,
                             std::span<const Rank> required, NodeCount count,
                             NodeCount size, SpanKind kind) {
  const std::size_t m = free.size();
  WindowSearch search(free, count, size);
  const std::size_t first = IndexOf(free, required.front());
  const std::size_t last = IndexOf(free, required.back());
  if (kind == SpanKind::kLinear) {
    search.TryWindows(0, first, last, m - 1);
    return TakeRanks(search.best(), free, required, count);
  }
  // Around the ring, the required ranks have one gap between each two
  // neighbours; a window contains all gaps but one. First the gap from the last
  // required rank around to the first, then the others.
  search.TryWindows(last + 1, first + m, last + m, first + 2 * m - 1);
  for (std::size_t i = 1; i < required.size(); ++i) {
    const std::size_t before = IndexOf(free, required[i - 1]);
    const std::size_t after = IndexOf(free, required[i]);
    search.TryWindows(before + 1, after, before + m, after + m - 1);
  }
  return TakeRanks(search.best(), free, required, count);
}

}  // namespace coolspan
