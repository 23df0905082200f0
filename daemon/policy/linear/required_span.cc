// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/linear/required_span.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace coolspan {
namespace {

// A window over the list of free ranks: from place first on, so many places,
// past the end of the list from its start.
struct RankWindow {
  NodeCount span = std::numeric_limits<NodeCount>::max();
  Rank start = 0;
  std::size_t first = 0;
  std::size_t places = 0;
};

class Search {
 public:
  Search(std::span<const Rank> free, NodeCount count, NodeCount size)
      : free_(free), count_(count), size_(size) {}

  // All windows of count places that have those from first to last and lie
  // between earliest and latest; the window from first to last itself where
  // it has as many. Places past the end of the list stand for its start.
  void Consider(std::size_t earliest, std::size_t first, std::size_t last,
                std::size_t latest) {
    const std::size_t held = last - first + 1;
    if (held >= count_) {
      Offer(first, held);
      return;
    }
    const std::size_t start_from =
        std::max(earliest, last + 1 >= count_ ? last + 1 - count_ : 0);
    for (std::size_t start = start_from;
         start <= first && start + count_ - 1 <= latest; ++start) {
      Offer(start, count_);
    }
  }

  const RankWindow& best() const { return best_; }

 private:
  void Offer(std::size_t first, std::size_t places) {
    const std::size_t m = free_.size();
    const std::size_t last = first + places - 1;
    const Rank from = free_[first % m];
    const Rank to = free_[last % m] + (last / m > first / m ? size_ : 0);
    const RankWindow window{to - from + 1, from, first % m, places};
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

std::size_t PlaceOf(std::span<const Rank> free, Rank rank) {
  return static_cast<std::size_t>(
      std::lower_bound(free.begin(), free.end(), rank) - free.begin());
}

RequiredSpan Fill(const RankWindow& window, std::span<const Rank> free,
                  std::span<const Rank> required, NodeCount count) {
  RequiredSpan answer{window.span, window.start, {}};
  answer.ranks.reserve(count);
  std::size_t others = count - required.size();
  for (std::size_t i = 0; i < window.places; ++i) {
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
  Search search(free, count, size);
  const std::size_t first = PlaceOf(free, required.front());
  const std::size_t last = PlaceOf(free, required.back());
  if (kind == SpanKind::kLinear) {
    search.Consider(0, first, last, m - 1);
    return Fill(search.best(), free, required, count);
  }
  // A window on the ring leaves out part of one of the gaps between required
  // ranks: the one that has the last rank in it, or one of the others.
  search.Consider(last + 1, first + m, last + m, first + 2 * m - 1);
  for (std::size_t i = 1; i < required.size(); ++i) {
    const std::size_t before = PlaceOf(free, required[i - 1]);
    const std::size_t after = PlaceOf(free, required[i]);
    search.Consider(before + 1, after, before + m, after + m - 1);
  }
  return Fill(search.best(), free, required, count);
}

}  // namespace coolspan
