// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_FLAGS_POLICY_FLAGS_H_
#define COOLSPAN_CLI_FLAGS_POLICY_FLAGS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/machine.h"
#include "policy/table.h"

namespace CLI {
class App;
}  // namespace CLI

namespace coolspan {

// What policies are made with, as given on the command line: a flag for each of
// their numbers, --span, --latency-matrix. Has to outlive the parsing.
struct PolicyFlags {
  PolicyOptions numbers;
  std::string span;
  std::string latency_matrix;
};

void AddPolicyFlags(CLI::App& app, PolicyFlags& flags);
// Without an ordering. Errors: INVALID_ARGUMENT naming the option; those of
// ReadLatencyFile.
absl::StatusOr<PolicyOptions> ReadPolicyFlags(const PolicyFlags& flags,
                                              const Machine& machine);
// A daemon makes its own policies, by their specs. Error: INVALID_ARGUMENT
// naming a flag that would not reach it.
absl::Status CheckFlagsReachDaemon(const PolicyFlags& flags);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_FLAGS_POLICY_FLAGS_H_
