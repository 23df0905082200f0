// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_FLAGS_SWEEP_H_
#define COOLSPAN_CLI_FLAGS_SWEEP_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace coolspan {

// Replaces each policy that has the options of a sweep by one policy for each
// of its values: "bqp" with the sweep "alpha=1:0:3,beta=0:1:3" by
// "bqp:alpha=1:beta=0", "bqp:alpha=0.5:beta=0.5" and "bqp:alpha=0:beta=1".
// A sweep is NAME=FROM:TO:COUNT; options of one sweep, separated by commas,
// change together. Several sweeps are combined, each with each. Other policies
// stay as they are.
// Errors: INVALID_ARGUMENT "--sweep: ..." for an invalid sweep, different
// counts in one, and options that no policy has or a policy already sets.
absl::StatusOr<std::vector<std::string>> SweepPolicies(
    std::vector<std::string> policies, const std::vector<std::string>& sweeps);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_FLAGS_SWEEP_H_
