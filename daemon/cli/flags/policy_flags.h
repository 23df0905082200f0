// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_FLAGS_POLICY_FLAGS_H_
#define COOLSPAN_CLI_FLAGS_POLICY_FLAGS_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/machine.h"
#include "policy/table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace coolspan {

// The options of policies: one for each of their numbers, --span and
// --latency-matrix. Must outlive the parsing.
struct PolicyFlags {
  SpecValues numbers;
  std::string span;
  std::string latency_matrix;
  // The options of single policies by name, without dashes.
  std::map<std::string, const CLI::Option*, std::less<>> of_policies;
};

void AddPolicyFlags(CLI::App& app, PolicyFlags& flags);
// Leaves the ordering unset. Errors: INVALID_ARGUMENT naming the option; those
// of ReadLatencyFile.
absl::StatusOr<PolicyOptions> ReadPolicyFlags(const PolicyFlags& flags,
                                              const Machine& machine);
// policies: specs. Error: INVALID_ARGUMENT naming an option that was given and
// that none of them takes. Unknown policies take all.
absl::Status CheckFlagsOfPolicies(const PolicyFlags& flags,
                                  const std::vector<std::string>& policies);
// A daemon makes its policies from their names alone. Error: INVALID_ARGUMENT
// naming an option that has no effect on a daemon.
absl::Status CheckFlagsForDaemon(const PolicyFlags& flags);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_FLAGS_POLICY_FLAGS_H_
