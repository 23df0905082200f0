// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/linear/interval_policy.h"
#include "policy/policies.h"

namespace coolspan {
namespace {

// Best fit (cpa-rd100-cplant-bender, Cplant paper, section 2.3): the interval
// with the fewest unallocated ranks left, so the smallest that is large enough.
std::optional<Interval> SmallestSufficient(const FreeIntervals& index,
                                           NodeCount nodes) {
  const std::optional<NodeCount> size = index.SmallestSize(nodes);
  if (!size) return std::nullopt;
  return index.FirstInterval(*size, [&](NodeCount s) { return s == *size; });
}

}  // namespace

std::unique_ptr<Policy> MakeBestFit(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options) {
  return std::make_unique<IntervalPolicy>("best-fit", SmallestSufficient,
                                          *machine, options);
}

}  // namespace coolspan
