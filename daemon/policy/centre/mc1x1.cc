// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/centre_policy.h"
#include "policy/policies.h"

namespace coolspan {

// MC with one vertex as shell 0 (cpa-rd100-cplant-bender, Bender et al.,
// section 1): the shell number of v around centre c is max over i of
// |v_i - c_i|.
std::unique_ptr<Policy> MakeMc1x1(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& options) {
  const CentrePolicy::Kind kind = {
      .name = "mc1x1",
      .rule = {CentreRule::Centres::kFree, ShellKind::kBox,
               CentreRule::Score::kShellSum, TiesOf(options)},
  };
  return std::make_unique<CentrePolicy>(kind, *machine);
}

}  // namespace coolspan
