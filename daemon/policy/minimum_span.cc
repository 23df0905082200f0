// SPDX-License-Identifier: GPL-3.0-or-later
// The part of FreeIntervals that finds the least span: a window of count free
// ranks runs from the i-th free rank to the (i + count - 1)-th, so one pass
// over two places in the list of free ranks sees every window.
#include <algorithm>
#include <bit>
#include <limits>

#include "policy/free_intervals.h"

namespace coolspan {
namespace {

constexpr NodeCount kUnknown = std::numeric_limits<NodeCount>::max();

// Kept free of branches so that compilers work on several ranks at once.
NodeCount LeastDifference(const Rank* ends, const Rank* starts,
                          std::size_t count) {
  NodeCount least = kUnknown;
  for (std::size_t i = 0; i < count; ++i) {
    least = std::min(least, ends[i] - starts[i]);
  }
  return least;
}

}  // namespace

// A place in the list of free ranks, which has gaps between chunks.
class FreeIntervals::Cursor {
 public:
  Cursor(const FreeIntervals& index, NodeCount skip) : index_(index) {
    while (skip >= index_.chunks_[chunk_].free) {
      skip -= index_.chunks_[chunk_].free;
      ++chunk_;
    }
    offset_ = skip;
  }

  const Rank* ranks() const {
    return &index_.free_ranks_[chunk_ * kChunkRanks + offset_];
  }
  // Ranks without a gap from here on.
  NodeCount run() const { return index_.chunks_[chunk_].free - offset_; }
  bool AtEnd() const { return chunk_ == index_.chunks_.size(); }
  void Advance(NodeCount count) {
    offset_ += count;
    while (!AtEnd() && offset_ == index_.chunks_[chunk_].free) {
      offset_ = 0;
      ++chunk_;
    }
  }

 private:
  const FreeIntervals& index_;
  std::size_t chunk_ = 0;
  NodeCount offset_ = 0;
};

void FreeIntervals::ListFreeRanks(std::size_t chunk) {
  Rank* out = &free_ranks_[chunk * kChunkRanks];
  auto base = static_cast<Rank>(chunk * kChunkRanks);
  for (std::uint64_t word : WordsOf(chunk)) {
    for (; word != 0; word &= word - 1) {
      *out++ = base + static_cast<Rank>(std::countr_zero(word));
    }
    base += kWordBits;
  }
  chunks_[chunk].listed = true;
}

SpanWindow FreeIntervals::MinimumSpan(NodeCount count, SpanKind kind) {
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    if (!chunks_[c].listed) ListFreeRanks(c);
  }
  SpanWindow best{0, kUnknown};
  const auto scan = [&](Cursor& start, Cursor& end, NodeCount windows,
                        Rank around) {
    while (windows > 0) {
      const NodeCount step = std::min({windows, start.run(), end.run()});
      // Unsigned arithmetic: a window around the ring ends below its start.
      const NodeCount least =
          LeastDifference(end.ranks(), start.ranks(), step) + around + 1;
      if (least < best.span) {
        std::size_t i = 0;
        while (end.ranks()[i] - start.ranks()[i] + around + 1 != least) ++i;
        best = {start.ranks()[i], least};
      }
      start.Advance(step);
      end.Advance(step);
      windows -= step;
    }
  };
  Cursor start(*this, 0);
  Cursor end(*this, count - 1);
  scan(start, end, free_count_ - count + 1, 0);
  if (kind == SpanKind::kRing && count > 1) {
    Cursor wrapped(*this, 0);
    scan(start, wrapped, count - 1, ordering_->size());
  }
  return best;
}

}  // namespace coolspan
