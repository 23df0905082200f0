// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_LINEAR_FREE_INTERVALS_H_
#define COOLSPAN_POLICY_LINEAR_FREE_INTERVALS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/node_set.h"
#include "core/types.h"
#include "ordering/ordering.h"
#include "policy/policy_options.h"

namespace coolspan {

// A maximal run of free ranks.
struct Interval {
  Rank start = 0;
  NodeCount size = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

// A window of `span` consecutive ranks. It starts at a free rank and may run
// past the last rank to rank 0.
struct SpanWindow {
  Rank start = 0;
  NodeCount span = 0;
};

// The number of intervals of each size.
class SizeCounts {
 public:
  std::uint32_t Count(NodeCount size) const;
  // Calls visit for each size >= min_size that occurs, ascending.
  void ForEachFrom(
      NodeCount min_size,
      absl::FunctionRef<void(NodeCount size, std::uint32_t count)> visit) const;

 private:
  friend class FreeIntervals;
  std::vector<std::uint32_t> small_;  // by size
  // Sizes too large for small_, one entry per interval, ascending.
  std::vector<NodeCount> large_;
};

// An index of the free ranks of an ordering and their intervals. Updating it to
// a set of free nodes costs time in proportion to what changed. Answers depend
// on the current set only, not on earlier ones.
//
// Ranks are a bitset in chunks. The summary of a chunk has the number of free
// ranks at both ends and the sizes of the intervals in between, so a query
// reads one summary per chunk and few chunks. Not thread-safe.
class FreeIntervals {
 public:
  explicit FreeIntervals(std::shared_ptr<const Ordering> ordering);

  // The number of words of the node set that differ from the last Update;
  // counting stops at some number >= limit.
  std::size_t DifferingWords(const NodeSet& free, std::size_t limit) const;
  void Update(const NodeSet& free);

  const Ordering& ordering() const { return *ordering_; }
  NodeCount free_count() const { return free_count_; }
  std::uint32_t interval_count() const {
    return inner_intervals_ +
           static_cast<std::uint32_t>(edge_intervals_.size());
  }
  bool IsFree(Rank rank) const {
    return (words_[rank / kWordBits] >> (rank % kWordBits) & 1U) != 0;
  }

  // The smallest size >= min_size of any interval.
  std::optional<NodeCount> SmallestSize(NodeCount min_size) const;
  SizeCounts Sizes() const;
  // The first interval by rank that has a size >= min_size which `accept`
  // accepts; `accept` is called for such sizes only.
  std::optional<Interval> FirstInterval(
      NodeCount min_size, absl::FunctionRef<bool(NodeCount size)> accept) const;
  // The interval that contains the rank. REQUIRES IsFree(rank).
  Interval IntervalAround(Rank rank) const;

  // The window of minimum span with `count` free ranks; ties: the smallest
  // start, windows within the ordering before those that run past its end.
  // kRing: windows may run past the last rank.
  // REQUIRES 1 <= count <= free_count().
  SpanWindow MinimumSpan(NodeCount count, SpanKind kind);

  // Appends the first `count` free ranks from `start` on; after the last rank
  // continues at rank 0. REQUIRES count <= free_count().
  void AppendFreeRanks(Rank start, NodeCount count,
                       std::vector<Rank>& out) const;

 private:
  static constexpr NodeCount kWordBits = NodeSet::kWordBits;
  static constexpr NodeCount kChunkRanks = 1024;
  static constexpr NodeCount kChunkWords = kChunkRanks / kWordBits;

  struct Chunk {
    std::uint64_t size_classes = 0;  // of the intervals inside
    std::uint16_t head = 0;          // free ranks at its start
    std::uint16_t tail = 0;          // and at its end; kChunkRanks: all free
    std::uint16_t free = 0;
    bool touched = false;  // its bits are changing; not in the counts
  };
  // The free ranks of several chunks, listed by MinimumSpan.
  static constexpr NodeCount kBlockRanks = 8 * kChunkRanks;
  using RankInBlock = std::int16_t;
  struct Block {
    NodeCount free = 0;
    bool listed = false;
  };
  class Cursor;

  static std::uint64_t ClassOf(NodeCount size);
  std::span<const std::uint64_t> WordsOf(std::size_t chunk) const;
  void UpdateWords(std::span<const std::uint64_t> now, std::size_t first);
  void Flip(Rank rank);
  void SubtractChunk(std::size_t chunk);
  void AddChunk(std::size_t chunk);
  void JoinEdgeIntervals();
  void ListFreeRanks(std::size_t block);
  std::optional<Interval> FirstInside(
      std::size_t chunk, NodeCount min_size,
      absl::FunctionRef<bool(NodeCount size)> accept) const;

  std::shared_ptr<const Ordering> ordering_;
  std::vector<std::uint64_t> seen_;   // words of the node set, last Update
  std::vector<std::uint64_t> words_;  // free ranks
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> touched_;
  NodeCount free_count_ = 0;
  // Number of intervals that reach neither end of their chunk, by size.
  std::vector<std::uint32_t> inner_by_size_;
  std::uint32_t inner_intervals_ = 0;
  // Intervals that reach an end of a chunk, joined across chunks, ascending.
  std::vector<Interval> edge_intervals_;
  std::vector<Block> blocks_;
  // Free ranks, ascending; those of block b start at b * kBlockRanks.
  std::vector<RankInBlock> listed_ranks_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_LINEAR_FREE_INTERVALS_H_
