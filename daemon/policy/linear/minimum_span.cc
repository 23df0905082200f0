// SPDX-License-Identifier: GPL-3.0-or-later
// The part of FreeIntervals that finds the minimum span (cpa-rd100-cplant-
// bender, Cplant paper, section 2.3). r_0 < ... < r_{m-1} are the free ranks, N
// the number of ranks and k = count:
//   linear span  s = max r - min r + 1: min over i of r_{i+k-1} - r_i + 1
//   ring span    s = N - (largest gap between neighbours on the ring): also
//                min over i of (r_{i+k-1-m} + N) - r_i + 1
// (The paper's wrap term prints +1 where -1 is meant: the gap from the last
// chosen rank around to the first is N - r_last + r_first - 1.) One pass with
// two cursors, k - 1 apart, sees every window.
//
// The list of free ranks is split into blocks, so that a change rebuilds little
// of it and a rank takes two bytes, which lets SIMD compare many at once.
#include <algorithm>
#include <bit>
#include <limits>

#include "policy/linear/free_intervals.h"

namespace coolspan {
namespace {

// Branch-free, so that the compiler vectorizes it.
std::int16_t MinDifference(const std::int16_t* ends, const std::int16_t* starts,
                           std::size_t count) {
  std::int16_t difference = std::numeric_limits<std::int16_t>::max();
  for (std::size_t i = 0; i < count; ++i) {
    difference =
        std::min(difference, static_cast<std::int16_t>(ends[i] - starts[i]));
  }
  return difference;
}

}  // namespace

// A position in the list of free ranks.
class FreeIntervals::Cursor {
 public:
  Cursor(const FreeIntervals& index, NodeCount skip) : index_(index) {
    while (skip >= index_.blocks_[block_].free) {
      skip -= index_.blocks_[block_].free;
      ++block_;
    }
    offset_ = skip;
  }

  const RankInBlock* ranks() const {
    return &index_.listed_ranks_[block_ * kBlockRanks + offset_];
  }
  std::int64_t first_rank_of_block() const {
    return static_cast<std::int64_t>(block_ * kBlockRanks);
  }
  // Entries from here to the end of the block.
  NodeCount run() const { return index_.blocks_[block_].free - offset_; }
  void Advance(NodeCount count) {
    offset_ += count;
    while (block_ < index_.blocks_.size() &&
           offset_ == index_.blocks_[block_].free) {
      offset_ = 0;
      ++block_;
    }
  }

 private:
  const FreeIntervals& index_;
  std::size_t block_ = 0;
  NodeCount offset_ = 0;
};

void FreeIntervals::ListFreeRanks(std::size_t block) {
  const std::size_t first_word = block * (kBlockRanks / kWordBits);
  const std::size_t end_word = std::min<std::size_t>(
      words_.size(), first_word + kBlockRanks / kWordBits);
  RankInBlock* const first = &listed_ranks_[block * kBlockRanks];
  RankInBlock* out = first;
  std::size_t base = 0;
  for (std::size_t w = first_word; w < end_word; ++w, base += kWordBits) {
    for (std::uint64_t word = words_[w]; word != 0; word &= word - 1) {
      *out++ = static_cast<RankInBlock>(
          base + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }
  blocks_[block] = {static_cast<NodeCount>(out - first), true};
}

SpanWindow FreeIntervals::MinimumSpan(NodeCount count, SpanKind kind) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (!blocks_[b].listed) ListFreeRanks(b);
  }
  SpanWindow best{0, std::numeric_limits<NodeCount>::max()};
  // Advances both cursors over `windows` windows. wrap: added to the ranks at
  // the end cursor.
  const auto scan = [&best](Cursor& start, Cursor& end, NodeCount windows,
                            NodeCount wrap) {
    while (windows > 0) {
      const NodeCount step = std::min({windows, start.run(), end.run()});
      const std::int16_t difference =
          MinDifference(end.ranks(), start.ranks(), step);
      const std::int64_t span = difference + end.first_rank_of_block() + wrap -
                                start.first_rank_of_block() + 1;
      if (span < best.span) {
        std::size_t i = 0;
        while (end.ranks()[i] - start.ranks()[i] != difference) ++i;
        best = {
            static_cast<Rank>(start.first_rank_of_block() + start.ranks()[i]),
            static_cast<NodeCount>(span)};
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
