// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include "policy/linear/interval_policy.h"
#include "policy/policies.h"

namespace coolspan {
namespace {

// How the sum over sizes of (number of intervals)^2 changes when an interval
// of this size gives up nodes ranks: (c - 1)^2 - c^2 for its size, and
// (c + 1)^2 - c^2 for what is left of it.
std::int64_t Change(const SizeCounts& sizes, NodeCount size, NodeCount nodes) {
  const std::int64_t less = 1 - 2 * std::int64_t{sizes.Count(size)};
  if (size == nodes) return less;
  return less + 1 + 2 * std::int64_t{sizes.Count(size - nodes)};
}

std::optional<Interval> LeastSumOfSquares(const FreeIntervals& index,
                                          NodeCount nodes) {
  const SizeCounts sizes = index.Sizes();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  sizes.ForEachFrom(nodes, [&](NodeCount size, std::uint32_t /*count*/) {
    least = std::min(least, Change(sizes, size, nodes));
  });
  if (least == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return index.FirstInterval(nodes, [&](NodeCount size) {
    return Change(sizes, size, nodes) == least;
  });
}

}  // namespace

std::unique_ptr<Policy> MakeSumOfSquares(
    const std::shared_ptr<const Machine>& /*machine*/,
    const PolicyOptions& options) {
  return std::make_unique<IntervalPolicy>("sum-of-squares", LeastSumOfSquares,
                                          options);
}

}  // namespace coolspan
