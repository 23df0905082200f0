// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/centre_policy.h"
#include "policy/policies.h"

namespace coolspan {

// MC of Mache, Lo and Windisch (Bender et al., section 1 and figure 1): a box
// of the requested shape around each free node, then shells around it; the
// least sum of shell numbers. Without a shape, the most cubic box that holds
// the request. Hop distances from the centre where there are no coordinates.
std::unique_ptr<Policy> MakeMc(const std::shared_ptr<const Machine>& machine,
                               const PolicyOptions& /*options*/) {
  const CentrePolicy::Kind kind = {
      .name = "mc",
      .rule = {CentreRule::Centres::kFree, ShellKind::kBox,
               CentreRule::Score::kShellSum},
      .uses_shape = true,
  };
  return std::make_unique<CentrePolicy>(kind, *machine);
}

}  // namespace coolspan
