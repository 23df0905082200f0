// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/linear/interval_policy.h"
#include "policy/policies.h"

namespace coolspan {
namespace {

// First fit (cpa-rd100-cplant-bender, Cplant paper, section 2.3).
std::optional<Interval> FirstSufficient(const FreeIntervals& index,
                                        NodeCount nodes) {
  return index.FirstInterval(nodes, [](NodeCount) { return true; });
}

}  // namespace

std::unique_ptr<Policy> MakeFirstFit(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options) {
  return std::make_unique<IntervalPolicy>("first-fit", FirstSufficient,
                                          *machine, options);
}

}  // namespace coolspan
