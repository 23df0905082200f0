// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_LOAD_RUN_H_
#define COOLSPAN_CLI_COMMANDS_LOAD_RUN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"

namespace coolspan {

struct LoadPlan {
  std::string endpoints;
  std::shared_ptr<const Machine> machine;
  std::uint32_t jobs = 0;
  std::uint32_t concurrency = 0;
  std::uint64_t seed = 0;
};

struct LoadResult {
  std::uint32_t placed = 0;
  std::uint32_t not_placed = 0;  // not within the maximum number of attempts
  std::uint32_t failed = 0;      // an RPC error, or a wrong number of nodes
  std::uint32_t held_twice = 0;  // answers with a node that another job held
  std::uint32_t left_over = 0;   // jobs in the ledger after the last release
  std::string first_problem;
  double seconds = 0;
  std::vector<double> allocate_us;  // of each answer, ascending
};

// Allocates, commits and releases whole-node jobs of random size, as a resource
// manager does, in a separate cluster named "load". Each of `concurrency`
// workers keeps a few jobs and releases the oldest before the next. Errors:
// UNAVAILABLE if no daemon answers; INVALID_ARGUMENT for bad endpoints or a
// machine other than the daemon's.
absl::StatusOr<LoadResult> RunLoad(const LoadPlan& plan);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_LOAD_RUN_H_
