// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/centre_policy.h"
#include "policy/policies.h"

namespace coolspan {

// MC of Mache, Lo and Windisch (cpa-rd100-cplant-bender, Bender et al., section
// 1 and figure 1): shell 0 is a box of the requested shape around a free node,
// shells 1, 2, ... surround it. The cost of a centre is the sum of the shell
// numbers of the nodes taken; the minimum wins. Without a shape, shell 0 is the
// most cubic box that contains the request. Without coordinates, shell numbers
// are hop distances.
std::unique_ptr<Policy> MakeMc(const std::shared_ptr<const Machine>& machine,
                               const PolicyOptions& options) {
  const CentrePolicy::Kind kind = {
      .name = "mc",
      .rule = {CentreRule::Centres::kFree, ShellKind::kBox,
               CentreRule::Score::kShellSum, TiesOf(options)},
      .uses_shape = true,
  };
  return std::make_unique<CentrePolicy>(kind, *machine);
}

}  // namespace coolspan
