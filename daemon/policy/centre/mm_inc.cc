// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/centre_policy.h"
#include "policy/policies.h"

namespace coolspan {

// MM+Inc: MM, then swaps of one node until |S| is a local minimum (cpa-rd100-
// cplant-bender, Bender et al., section 5).
std::unique_ptr<Policy> MakeMmInc(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& options) {
  const CentrePolicy::Kind kind = {
      .name = "mm-inc",
      .rule = {CentreRule::Centres::kCrossings, ShellKind::kHops,
               CentreRule::Score::kPairwise, TiesOf(options)},
      .swaps = true,
  };
  return std::make_unique<CentrePolicy>(kind, *machine);
}

}  // namespace coolspan
