// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/centre_policy.h"
#include "policy/policies.h"

namespace coolspan {

// Gen-Alg of Krumke et al. (cpa-rd100-cplant-bender, Bender et al., section
// 2.1): for each free vertex p take the k nodes nearest to p; of these sets
// choose the one of minimum |S| = sum of pairwise distances. |S| is at most
// twice the optimum where distances obey the triangle inequality.
std::unique_ptr<Policy> MakeGenalg(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options) {
  const CentrePolicy::Kind kind = {
      .name = "genalg",
      .rule = {CentreRule::Centres::kFree, ShellKind::kHops,
               CentreRule::Score::kPairwise, TiesOf(options)},
  };
  return std::make_unique<CentrePolicy>(kind, *machine);
}

}  // namespace coolspan
