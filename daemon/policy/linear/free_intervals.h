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
#include "policy/table.h"

namespace coolspan {

// A maximal run of free ranks.
struct Interval {
  Rank start = 0;
  NodeCount size = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

// The least stretch of ranks that holds so many free ones. It starts at a free
// rank and may run past the last rank and on from rank 0.
struct SpanWindow {
  Rank start = 0;
  NodeCount span = 0;
};

// How many intervals there are of each size.
class SizeCounts {
 public:
  std::uint32_t Count(NodeCount size) const;
  // Calls visit for each size that occurs from least on, ascending.
  void ForEachFrom(
      NodeCount least,
      absl::FunctionRef<void(NodeCount size, std::uint32_t count)> visit) const;

 private:
  friend class FreeIntervals;
  std::vector<std::uint32_t> small_;  // by size
  std::vector<NodeCount> large_;      // sizes past small_, ascending
};

// The free ranks of an ordering and their intervals, brought up to date from
// the set of free nodes at the cost of what changed. Everything it answers
// depends on that set alone, not on the ones before it.
//
// Ranks are kept as a bitset in chunks. Of each chunk it knows the free ranks
// at both ends and which sizes the intervals in between have, so a question
// reads a summary a chunk and the few chunks that matter. Not thread-safe.
class FreeIntervals {
 public:
  explicit FreeIntervals(std::shared_ptr<const Ordering> ordering);

  // Words of the node set that differ from the last Update, or a number from
  // limit on if it is at least that.
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

  // Least size of an interval that is at least least.
  std::optional<NodeCount> SmallestSize(NodeCount least) const;
  SizeCounts Sizes() const;
  // The first interval by rank whose size is wanted; sizes below least are
  // not asked about.
  std::optional<Interval> FirstInterval(
      NodeCount least, absl::FunctionRef<bool(NodeCount size)> wanted) const;
  // REQUIRES a free rank.
  Interval IntervalAround(Rank rank) const;

  // The window of least span that holds count free ranks, that of the smallest
  // start among equals. kRing: windows may run past the last rank.
  // REQUIRES 1 <= count <= free_count().
  SpanWindow MinimumSpan(NodeCount count, SpanKind kind);

  // Appends the first count free ranks from start on, past the last rank from
  // 0. REQUIRES count <= free_count().
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
    bool touched = false;  // not counted, as its bits are changing
  };
  // The free ranks of several chunks, listed when a window is looked for.
  static constexpr NodeCount kBlockRanks = 8 * kChunkRanks;
  using RankInBlock = std::int16_t;
  struct Block {
    NodeCount free = 0;
    bool listed = false;
  };
  class Cursor;

  static std::uint64_t ClassesFrom(NodeCount least);
  static std::uint64_t ClassOf(NodeCount size);
  std::span<const std::uint64_t> WordsOf(std::size_t chunk) const;
  void UpdateWords(std::span<const std::uint64_t> now, std::size_t first);
  void Flip(Rank rank);
  void Uncount(std::size_t chunk);
  void Count(std::size_t chunk);
  void JoinEdges();
  void ListFreeRanks(std::size_t block);
  std::optional<Interval> FirstInside(
      std::size_t chunk, NodeCount least,
      absl::FunctionRef<bool(NodeCount size)> wanted) const;

  std::shared_ptr<const Ordering> ordering_;
  std::vector<std::uint64_t> seen_;   // words of the node set last seen
  std::vector<std::uint64_t> words_;  // by rank
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> touched_;
  NodeCount free_count_ = 0;
  // Intervals that reach neither end of their chunk, by size; those that do,
  // joined across chunks, by start.
  std::vector<std::uint32_t> inner_by_size_;
  std::uint32_t inner_intervals_ = 0;
  std::vector<Interval> edge_intervals_;
  std::vector<Block> blocks_;
  // Free ranks ascending, those of each block from block * kBlockRanks on.
  std::vector<RankInBlock> listed_ranks_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_LINEAR_FREE_INTERVALS_H_
