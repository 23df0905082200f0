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
  std::uint32_t not_placed = 0;  // however often their worker had waited
  std::uint32_t failed = 0;      // no answer, or none to the question
  std::uint32_t held_twice = 0;  // answers with a node that another job held
  std::uint32_t left_over = 0;   // jobs in the ledger after the last release
  std::string first_problem;
  double seconds = 0;
  std::vector<double> allocate_us;  // of each answer, ascending
};

// Whole-node jobs of random size through allocate, commit and release, as a
// resource manager sends them, in a cluster of its own named "load": each of
// `concurrency` workers keeps a few jobs and releases the oldest for the next.
// UNAVAILABLE: no daemon; INVALID_ARGUMENT: endpoints.
absl::StatusOr<LoadResult> RunLoad(const LoadPlan& plan);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_LOAD_RUN_H_
