// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_GENERATE_WORKLOAD_H_
#define COOLSPAN_CLI_COMMANDS_GENERATE_WORKLOAD_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/console.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace coolspan {

// The options of `coolspan generate --model`. Must outlive the parsing.
struct WorkloadModelFlags {
  std::string model;  // empty: not given
  std::optional<std::uint32_t> jobs;
  std::optional<std::uint32_t> nodes;
};
void AddWorkloadModelFlags(CLI::App& app, WorkloadModelFlags& flags);

// Prints a workload in the Standard Workload Format or as JSON. Error:
// INVALID_ARGUMENT naming the option.
absl::StatusOr<Exit> GenerateWorkload(const WorkloadModelFlags& flags,
                                      std::uint64_t seed,
                                      const Console& console);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_GENERATE_WORKLOAD_H_
