// SPDX-License-Identifier: GPL-3.0-or-later
// The interval policies compared with their definitions, by trying every
// answer.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "policy/linear/required_span.h"
#include "property/small_machine.h"

namespace coolspan {
namespace {

constexpr int kMachines = 20;  // in each of the hundred cases of a property

bool HasSufficientInterval(const SmallQuestion& q) {
  const std::vector<Interval> runs = IntervalsOf(q.free);
  return std::any_of(runs.begin(), runs.end(),
                     [&](const Interval& run) { return run.size >= q.nodes; });
}

std::vector<Rank> FirstRanks(const Interval& run, NodeCount nodes) {
  std::vector<Rank> ranks(nodes);
  std::iota(ranks.begin(), ranks.end(), run.start);
  return ranks;
}

// A choice of ranks and what choices are compared by: the span, then the
// smallest start of a window of that span.
struct Choice {
  NodeCount span;
  Rank start;
  std::vector<Rank> ranks;
};

Choice Measured(const SmallQuestion& q, std::vector<Rank> ranks) {
  if (q.linear) return {LinearSpan(ranks), ranks.front(), std::move(ranks)};
  const NodeCount span = RingSpan(ranks, q.size());
  Choice choice{span, 0, std::move(ranks)};
  for (const Rank start : choice.ranks) {
    NodeCount reach = 0;
    for (const Rank rank : choice.ranks) {
      reach = std::max(reach, (rank + q.size() - start) % q.size() + 1);
    }
    if (reach == span) {
      choice.start = start;
      return choice;
    }
  }
  RC_FAIL("no window has the ring span");
  return choice;
}

// The minimum by span, then start, of all sets of ranks that are valid answers.
Choice MinimumOfAll(const SmallQuestion& q) {
  std::optional<Choice> best;
  for (std::uint32_t set = 1; set < (1U << q.size()); ++set) {
    std::vector<Rank> ranks;
    bool allowed = true;
    for (Rank rank = 0; rank < q.size(); ++rank) {
      const bool in = (set >> rank & 1U) != 0;
      if (in ? !q.free[rank] : q.required[rank]) allowed = false;
      if (in) ranks.push_back(rank);
    }
    if (!allowed || ranks.size() != q.nodes) continue;
    Choice choice = Measured(q, std::move(ranks));
    if (!best || std::tie(choice.span, choice.start) <
                     std::tie(best->span, best->start)) {
      best = std::move(choice);
    }
  }
  return *std::move(best);
}

RC_GTEST_PROP(IntervalPolicies, HaveTheMinimumSpanOfAllSets, ()) {
  for (int i = 0; i < kMachines; ++i) {
    const SmallQuestion q = *Question(11, false);
    const Choice best = MinimumOfAll(q);
    for (const char* policy : {"first-fit", "best-fit", "sum-of-squares"}) {
      const std::vector<Rank> ranks = Answer(q, policy);
      RC_ASSERT(Measured(q, ranks).span == best.span);
      if (!HasSufficientInterval(q)) RC_ASSERT(ranks == best.ranks);
    }
  }
}

RC_GTEST_PROP(IntervalPolicies, HaveTheMinimumSpanWithRequiredNodes, ()) {
  for (int i = 0; i < kMachines; ++i) {
    const SmallQuestion q = *Question(11, true);
    const Choice best = MinimumOfAll(q);
    for (const char* policy : {"first-fit", "best-fit", "sum-of-squares"}) {
      const std::vector<Rank> ranks = Answer(q, policy);
      for (Rank rank = 0; rank < q.size(); ++rank) {
        if (!q.required[rank]) continue;
        RC_ASSERT(std::count(ranks.begin(), ranks.end(), rank) == 1);
      }
      RC_ASSERT(Measured(q, ranks).span == best.span);
    }
  }
}

RC_GTEST_PROP(RequiredSpan, ReturnsSpanAndStartOfTheWindow, ()) {
  for (int i = 0; i < kMachines; ++i) {
    const SmallQuestion q = *Question(11, true);
    std::vector<Rank> free;
    std::vector<Rank> required;
    for (Rank rank = 0; rank < q.size(); ++rank) {
      if (q.free[rank]) free.push_back(rank);
      if (q.required[rank]) required.push_back(rank);
    }
    if (required.empty()) continue;
    RequiredSpan found =
        MinimumSpanWith(free, required, q.nodes, q.size(),
                        q.linear ? SpanKind::kLinear : SpanKind::kRing);
    std::sort(found.ranks.begin(), found.ranks.end());
    const Choice measured = Measured(q, found.ranks);
    RC_ASSERT(found.span == measured.span);
    RC_ASSERT(found.start == measured.start);
  }
}

RC_GTEST_PROP(IntervalPolicies, FirstFitTakesTheFirstInterval, ()) {
  for (int i = 0; i < kMachines; ++i) {
    const SmallQuestion q = *Question(200, false);
    if (!HasSufficientInterval(q)) continue;
    const std::vector<Interval> runs = IntervalsOf(q.free);
    const auto first =
        std::find_if(runs.begin(), runs.end(),
                     [&](const Interval& run) { return run.size >= q.nodes; });
    RC_ASSERT(Answer(q, "first-fit") == FirstRanks(*first, q.nodes));
  }
}

RC_GTEST_PROP(IntervalPolicies, BestFitTakesTheSmallestInterval, ()) {
  for (int i = 0; i < kMachines; ++i) {
    const SmallQuestion q = *Question(200, false);
    if (!HasSufficientInterval(q)) continue;
    std::optional<Interval> best;
    for (const Interval& run : IntervalsOf(q.free)) {
      if (run.size < q.nodes) continue;
      if (!best || run.size - q.nodes < best->size - q.nodes) best = run;
    }
    RC_ASSERT(Answer(q, "best-fit") == FirstRanks(*best, q.nodes));
  }
}

std::uint64_t SumOfSquaresOf(const std::vector<bool>& free) {
  std::map<NodeCount, std::uint64_t> intervals_of_size;
  for (const Interval& run : IntervalsOf(free)) ++intervals_of_size[run.size];
  std::uint64_t sum = 0;
  for (const auto& [size, count] : intervals_of_size) sum += count * count;
  return sum;
}

RC_GTEST_PROP(IntervalPolicies, SumOfSquaresLeavesTheMinimumSum, ()) {
  for (int i = 0; i < kMachines; ++i) {
    const SmallQuestion q = *Question(60, false);
    if (!HasSufficientInterval(q)) continue;
    std::optional<Interval> best;
    std::uint64_t min_sum = 0;
    for (const Interval& run : IntervalsOf(q.free)) {
      if (run.size < q.nodes) continue;
      std::vector<bool> left = q.free;
      for (NodeCount k = 0; k < q.nodes; ++k) left[run.start + k] = false;
      const std::uint64_t sum = SumOfSquaresOf(left);
      if (!best || sum < min_sum) {
        best = run;
        min_sum = sum;
      }
    }
    RC_ASSERT(Answer(q, "sum-of-squares") == FirstRanks(*best, q.nodes));
  }
}

RC_GTEST_PROP(FreeListPolicy, TakesTheFirstFreeRanks, ()) {
  for (int i = 0; i < kMachines; ++i) {
    const SmallQuestion q = *Question(100, true);
    std::vector<Rank> expected;
    NodeCount others =
        q.nodes - static_cast<NodeCount>(
                      std::count(q.required.begin(), q.required.end(), true));
    for (Rank rank = 0; rank < q.size(); ++rank) {
      if (q.required[rank]) {
        expected.push_back(rank);
      } else if (q.free[rank] && others > 0) {
        expected.push_back(rank);
        --others;
      }
    }
    RC_ASSERT(Answer(q, "free-list") == expected);
  }
}

}  // namespace
}  // namespace coolspan
