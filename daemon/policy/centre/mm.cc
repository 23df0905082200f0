// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/centre_policy.h"
#include "policy/policies.h"

namespace coolspan {

// The Manhattan median algorithm (Bender et al., section 2.1): of every
// crossing of coordinates the nearest nodes, those with the least total
// pairwise distance. At most 2 - 1/(2d) times the optimum on a mesh.
std::unique_ptr<Policy> MakeMm(const std::shared_ptr<const Machine>& machine,
                               const PolicyOptions& /*options*/) {
  const CentrePolicy::Kind kind = {
      .name = "mm",
      .rule = {CentreRule::Centres::kCrossings, ShellKind::kHops,
               CentreRule::Score::kPairwise},
  };
  return std::make_unique<CentrePolicy>(kind, *machine);
}

}  // namespace coolspan
