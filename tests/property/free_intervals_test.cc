// SPDX-License-Identifier: GPL-3.0-or-later
// The index of free intervals compared with scans of the whole machine, on
// machines of many chunks and blocks, after any number of changes.
#include "policy/linear/free_intervals.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "property/small_machine.h"

namespace coolspan {
namespace {

std::shared_ptr<const Ordering> ShuffledOrdering(NodeCount size,
                                                 std::mt19937& random) {
  std::vector<NodeId> nodes(size);
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  std::shuffle(nodes.begin(), nodes.end(), random);
  return std::make_shared<const Ordering>(
      Ordering::Create("shuffled", std::move(nodes)).value());
}

// Makes random stretches of ranks, from a single one to several chunks, free or
// busy.
void ChangeRandomly(std::vector<bool>& free, std::mt19937& random) {
  const auto size = static_cast<NodeCount>(free.size());
  const int stretches = static_cast<int>(random() % 40);
  const bool long_ones = random() % 2 == 0;
  for (int i = 0; i < stretches; ++i) {
    const NodeCount start = static_cast<NodeCount>(random() % size);
    const NodeCount length =
        static_cast<NodeCount>(1 + random() % (long_ones ? 5000 : 30));
    const bool is_free = random() % 2 == 0;
    for (Rank r = start; r < std::min(size, start + length); ++r) {
      free[r] = is_free;
    }
  }
  const int singles = static_cast<int>(random() % 2000);
  for (int i = 0; i < singles; ++i) {
    const std::size_t rank = random() % size;
    free[rank] = !free[rank];
  }
}

NodeSet NodesOf(const std::vector<bool>& free, const Ordering& ordering) {
  NodeSet nodes(ordering.size());
  for (Rank rank = 0; rank < ordering.size(); ++rank) {
    if (free[rank]) nodes.Insert(ordering.NodeAt(rank));
  }
  return nodes;
}

SpanWindow MinimumWindow(const std::vector<Rank>& ranks, NodeCount count,
                         NodeCount size, SpanKind kind) {
  SpanWindow best{0, size + 1};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::size_t last = i + count - 1;
    if (last >= ranks.size() && kind == SpanKind::kLinear) break;
    const Rank end =
        ranks[last % ranks.size()] + (last >= ranks.size() ? size : 0);
    if (end - ranks[i] + 1 < best.span) {
      best = {ranks[i], end - ranks[i] + 1};
    }
  }
  return best;
}

void CompareCounts(const FreeIntervals& index,
                   const std::vector<Interval>& intervals) {
  std::map<NodeCount, std::uint32_t> counts;
  for (const Interval& interval : intervals) ++counts[interval.size];
  std::map<NodeCount, std::uint32_t> seen;
  const SizeCounts sizes = index.Sizes();
  sizes.ForEachFrom(1, [&](NodeCount size, std::uint32_t count) {
    RC_ASSERT(sizes.Count(size) == count);
    seen[size] = count;
  });
  RC_ASSERT(seen == counts);
  RC_ASSERT(index.interval_count() == intervals.size());
}

void CompareChoices(const FreeIntervals& index,
                    const std::vector<Interval>& intervals,
                    NodeCount min_size) {
  std::optional<NodeCount> smallest;
  std::optional<Interval> first;
  std::optional<Interval> first_odd;
  for (const Interval& interval : intervals) {
    if (interval.size < min_size) continue;
    if (!smallest || interval.size < *smallest) smallest = interval.size;
    if (!first) first = interval;
    if (!first_odd && interval.size % 2 == 1) first_odd = interval;
  }
  RC_ASSERT(index.SmallestSize(min_size) == smallest);
  RC_ASSERT(index.FirstInterval(min_size, [](NodeCount) { return true; }) ==
            first);
  RC_ASSERT(index.FirstInterval(min_size, [](NodeCount size) {
    return size % 2 == 1;
  }) == first_odd);
}

void CompareSpans(FreeIntervals& index, const std::vector<Rank>& ranks,
                  NodeCount count) {
  const NodeCount size = index.ordering().size();
  for (const SpanKind kind : {SpanKind::kLinear, SpanKind::kRing}) {
    const SpanWindow expected = MinimumWindow(ranks, count, size, kind);
    const SpanWindow found = index.MinimumSpan(count, kind);
    RC_ASSERT(found.span == expected.span);
    RC_ASSERT(found.start == expected.start);
  }
}

void CompareRanks(const FreeIntervals& index, const std::vector<Rank>& ranks,
                  NodeCount count) {
  const std::size_t from = count % ranks.size();
  std::vector<Rank> expected(count);
  for (NodeCount i = 0; i < count; ++i) {
    expected[i] = ranks[(from + i) % ranks.size()];
  }
  std::vector<Rank> appended;
  index.AppendFreeRanks(ranks[from], count, appended);
  RC_ASSERT(appended == expected);
}

RC_GTEST_PROP(FreeIntervals, EqualScansAfterAnyChanges, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const auto size = static_cast<NodeCount>(
      random() % 4 == 0 ? 1 + random() % 200 : 1 + random() % 30'000);
  const auto ordering = ShuffledOrdering(size, random);
  FreeIntervals index(ordering);
  std::vector<bool> free(size, random() % 2 == 0);
  for (int change = 0; change < 6; ++change) {
    index.Update(NodesOf(free, *ordering));
    RC_ASSERT(index.DifferingWords(NodesOf(free, *ordering), 1) == 0U);
    const std::vector<Interval> intervals = IntervalsOf(free);
    std::vector<Rank> ranks;
    for (Rank rank = 0; rank < size; ++rank) {
      RC_ASSERT(index.IsFree(rank) == free[rank]);
      if (free[rank]) ranks.push_back(rank);
    }
    RC_ASSERT(index.free_count() == ranks.size());
    CompareCounts(index, intervals);
    for (const NodeCount min_size :
         {1U, 2U, 3U, 48U, 49U, 100U, 1023U, 1024U, 5000U, size}) {
      CompareChoices(index, intervals, min_size);
    }
    for (const Interval& interval : intervals) {
      const Rank inside =
          interval.start + static_cast<Rank>(random() % interval.size);
      RC_ASSERT(index.IntervalAround(inside) == interval);
    }
    if (!ranks.empty()) {
      const auto drawn = static_cast<NodeCount>(1 + random() % ranks.size());
      for (const NodeCount count : {NodeCount{1}, drawn, drawn / 20 + 1,
                                    static_cast<NodeCount>(ranks.size())}) {
        CompareSpans(index, ranks, count);
        CompareRanks(index, ranks, count);
      }
    }
    ChangeRandomly(free, random);
  }
}

}  // namespace
}  // namespace coolspan
