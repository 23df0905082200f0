// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_FLAGS_SWEEP_H_
#define COOLSPAN_CLI_FLAGS_SWEEP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace coolspan {

// Equally spaced numbers, both ends included.
struct NumberRange {
  double from = 0;
  double to = 0;
  std::uint32_t count = 1;

  // REQUIRES i below count. Rounded to twelve digits, so that 0 to 1 in tenths
  // has 0.3 and not 0.30000000000000004.
  double At(std::uint32_t i) const;
};
// FROM:TO:COUNT with 2 to kMaxSweepCount numbers; nullopt for anything else.
inline constexpr std::uint32_t kMaxSweepCount = 1000;
std::optional<NumberRange> ParseRange(std::string_view text);
// A number, or FROM:TO:COUNT.
std::optional<NumberRange> ParseNumberOrRange(std::string_view text);

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
