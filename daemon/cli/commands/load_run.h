// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_LOAD_RUN_H_
#define COOLSPAN_CLI_COMMANDS_LOAD_RUN_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/commands/load_sizes.h"
#include "client/endpoints.h"
#include "core/machine.h"

namespace coolspan {

struct LoadPlan {
  DaemonAddress daemon;
  std::shared_ptr<const Machine> machine;
  std::uint64_t jobs = 0;
  std::size_t concurrency = 1;  // requests in flight
  std::size_t connections = 1;
  double free = 1;  // share of the machine that the held jobs leave free
  bool shared = false;
  LoadSizes sizes;
  std::uint64_t seed = 0;
  std::chrono::seconds max_time{0};
};

// Microseconds of the calls of a kind, in no order.
struct LoadTimes {
  std::vector<float> allocate_us;
  std::vector<float> commit_us;
  std::vector<float> release_us;
};

// Jobs and seconds are those after the machine was filled.
struct LoadResult {
  std::string cluster;
  std::uint64_t filled = 0;      // jobs placed before
  std::uint64_t placed = 0;      // allocated and committed
  std::uint64_t released = 0;    // of placed or filled jobs
  std::uint64_t not_placed = 0;  // not within the maximum number of attempts
  std::uint64_t held_twice = 0;  // answers with a node that other jobs held
  std::uint64_t wrong = 0;       // answers with a wrong number of nodes
  // Jobs of which the daemon's list says otherwise than its answers, at the end
  // and after the last release.
  std::uint64_t ledger_differs = 0;
  std::string not_removed;  // why the cluster remains; empty: it was removed
  std::uint64_t left_over = 0;
  bool is_interrupted = false;
  bool is_out_of_time = false;
  double seconds = 0;
  LoadTimes times;
  // Answers without nodes, and calls that failed (each is repeated).
  std::map<std::string, std::uint64_t> refused_by;
  std::map<std::string, std::uint64_t> failed_by;
  std::string first_problem;

  std::uint64_t refused() const;
  std::uint64_t failed() const;
};

// Allocates, commits and releases jobs, as a resource manager does, in a
// cluster of its own, which it removes at the end. Fills the machine up to the
// free share first; then each request in flight allocates and commits a job,
// and releases jobs chosen at random while less than the share is free.
// done: number of jobs so far. is_interrupted: true ends the test early.
// Errors: UNAVAILABLE if no daemon answers; INVALID_ARGUMENT for bad endpoints
// or a machine other than the daemon's.
absl::StatusOr<LoadResult> RunLoad(const LoadPlan& plan,
                                   std::atomic<std::uint64_t>& done,
                                   const std::function<bool()>& is_interrupted);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_LOAD_RUN_H_
