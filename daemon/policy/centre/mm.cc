// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/centre_policy.h"
#include "policy/policies.h"

namespace coolspan {

// The Manhattan median algorithm MM (cpa-rd100-cplant-bender, Bender et al.,
// section 2.1): for each intersection p of coordinates of the free points P,
// take the k points nearest to p; of these sets choose the one of minimum |S| =
// sum of pairwise L1 distances. On a d-dimensional mesh |MM| / |OPT| <=
// 2 - 1/(2d) (section 4, theorem 3).
std::unique_ptr<Policy> MakeMm(const std::shared_ptr<const Machine>& machine,
                               const PolicyOptions& options) {
  const CentrePolicy::Kind kind = {
      .name = "mm",
      .rule = {CentreRule::Centres::kCrossings, ShellKind::kHops,
               CentreRule::Score::kPairwise, TiesOf(options)},
  };
  return std::make_unique<CentrePolicy>(kind, *machine);
}

}  // namespace coolspan
