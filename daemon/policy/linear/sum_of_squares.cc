// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include "policy/linear/interval_policy.h"
#include "policy/policies.h"

namespace coolspan {
namespace {

// Sum of squares (cpa-rd100-cplant-bender, Cplant paper, section 2.3) minimizes
// S = sum over sizes s of c(s)^2, c(s) the number of intervals of size s after
// the allocation. The change of S when n nodes are taken from an interval of
// size s:
//   (c(s) - 1)^2 - c(s)^2         = 1 - 2 c(s)
//   (c(s-n) + 1)^2 - c(s-n)^2     = 1 + 2 c(s-n)    if s > n
std::int64_t Change(const SizeCounts& sizes, NodeCount size, NodeCount nodes) {
  const std::int64_t removed = 1 - 2 * std::int64_t{sizes.Count(size)};
  if (size == nodes) return removed;
  return removed + 1 + 2 * std::int64_t{sizes.Count(size - nodes)};
}

std::optional<Interval> MinSumOfSquares(const FreeIntervals& index,
                                        NodeCount nodes) {
  const SizeCounts sizes = index.Sizes();
  std::int64_t min_change = std::numeric_limits<std::int64_t>::max();
  sizes.ForEachFrom(nodes, [&](NodeCount size, std::uint32_t /*count*/) {
    min_change = std::min(min_change, Change(sizes, size, nodes));
  });
  if (min_change == std::numeric_limits<std::int64_t>::max())
    return std::nullopt;
  return index.FirstInterval(nodes, [&](NodeCount size) {
    return Change(sizes, size, nodes) == min_change;
  });
}

}  // namespace

std::unique_ptr<Policy> MakeSumOfSquares(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options) {
  return std::make_unique<IntervalPolicy>("sum-of-squares", MinSumOfSquares,
                                          *machine, options);
}

}  // namespace coolspan
