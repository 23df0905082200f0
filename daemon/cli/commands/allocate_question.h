// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_ALLOCATE_QUESTION_H_
#define COOLSPAN_CLI_COMMANDS_ALLOCATE_QUESTION_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "absl/status/statusor.h"
#include "cli/flags/policy_flags.h"
#include "cli/flags/room_flags.h"
#include "core/allocator.h"
#include "core/machine.h"
#include "ordering/ordering.h"
#include "policy/reference_policies.h"

namespace coolspan {

// The options of `coolspan allocate`.
struct AllocateOptions {
  std::string machine;
  std::string policy;
  std::string ordering;
  NodeCount nodes = 0;
  std::string busy;
  std::string require;
  std::string exclude;
  std::string shape;
  NodeCount segment = 0;
  bool spread_segments = false;
  bool consolidate_segments = false;
  std::string pattern;
  std::uint64_t seed = 0;
  unsigned repeat = 1;
  PolicyFlags policy_flags;
  double time_limit_s = 10;
  RoomFlags room;
};

// A machine with its busy nodes, and one request.
struct AllocateQuestion {
  std::shared_ptr<const Machine> machine;
  std::shared_ptr<const Ordering> ordering;
  std::shared_ptr<const Policy> policy;
  std::optional<ReferencePolicies> references;  // of a machine with a room
  std::unique_ptr<Allocator> allocator;
  AllocateCall call;
  std::chrono::duration<double> time_limit;  // per decision
};

// Warnings about the machine file go to err. Errors: INVALID_ARGUMENT naming
// the option; those of the files read.
absl::StatusOr<AllocateQuestion> MakeAllocateQuestion(
    const AllocateOptions& options, std::ostream& err);

// Why no policy can place the request; empty if one may.
std::optional<std::string> WhyImpossible(const AllocateQuestion& question);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_ALLOCATE_QUESTION_H_
