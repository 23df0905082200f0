// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/reference_policies.h"

#include <utility>

namespace coolspan {

absl::StatusOr<ReferencePolicies> MakeReferencePolicies(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options) {
  auto coolest = MakePolicy("mpit", machine, options);
  if (!coolest.ok()) return coolest.status();
  auto most_compact = MakePolicy("mc1x1", machine, options);
  if (!most_compact.ok()) return most_compact.status();
  return ReferencePolicies{*std::move(coolest), *std::move(most_compact)};
}

}  // namespace coolspan
