// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_ALLOCATOR_PORT_H_
#define COOLSPAN_REPLAY_ALLOCATOR_PORT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/types.h"

namespace coolspan {

// The allocator of a replay, in this process or in a daemon: one machine, empty
// at first. Its clock moves only by the times given here, which never decrease.
// Not thread-safe.
class AllocatorPort {
 public:
  virtual ~AllocatorPort() = default;

  struct Ask {
    std::uint32_t job_id;  // from 1, each job once
    NodeCount nodes;       // whole ones
    std::uint64_t seed;    // for the random choices of this job
    TimeMs now_ms;
    // Share of run time; none: that of the machine's room.
    std::optional<float> communication_share;
  };
  // Writes the chosen nodes in ascending order; false: the policy does not
  // place the job now. After true, Commit must follow.
  virtual absl::StatusOr<bool> Choose(const Ask& ask,
                                      std::vector<NodeId>& nodes) = 0;
  // The nodes that a previewed policy, by its index in the list, would choose
  // from those that were free for Choose. Changes nothing. REQUIRES a call
  // between a Choose that returned true and its Commit.
  virtual absl::StatusOr<bool> Preview(std::size_t previewed, const Ask& ask,
                                       std::vector<NodeId>& nodes) = 0;
  // The job starts on the chosen nodes and communicates for that share of its
  // run time; none: the share given to Choose.
  virtual absl::Status Commit(std::uint32_t job_id, TimeMs now_ms,
                              const std::vector<NodeId>& nodes,
                              std::optional<float> communication_share) = 0;
  virtual absl::Status Release(std::uint32_t job_id, TimeMs now_ms) = 0;
  // After the last job: an error if a Commit or Release was not accepted.
  virtual absl::Status Finish() = 0;
};

// Makes the allocator of a run with a policy and others to preview. Errors:
// INVALID_ARGUMENT for an unknown policy; those of the allocator.
using PortMaker = std::function<absl::StatusOr<std::unique_ptr<AllocatorPort>>(
    const std::string& policy, const std::vector<std::string>& previewed)>;

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_ALLOCATOR_PORT_H_
