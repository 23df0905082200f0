// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_FLAGS_WORKLOAD_FLAGS_H_
#define COOLSPAN_CLI_FLAGS_WORKLOAD_FLAGS_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "replay/input/workload.h"

namespace CLI {
class App;
}  // namespace CLI

namespace coolspan {

// The options that turn a trace into a workload. Must outlive the parsing.
struct WorkloadFlags {
  std::string scale_procs = "1/1";
  std::string zero_run = "skip";
  double jitter_s = 0;
  std::optional<double> from_s;
  std::optional<double> until_s;
  WorkloadOptions options;
};

void AddWorkloadFlags(CLI::App& app, WorkloadFlags& flags);
// Error: INVALID_ARGUMENT naming the option.
absl::StatusOr<WorkloadOptions> ReadWorkloadFlags(const WorkloadFlags& flags);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_FLAGS_WORKLOAD_FLAGS_H_
