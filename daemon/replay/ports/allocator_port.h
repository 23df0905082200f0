// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_PORTS_ALLOCATOR_PORT_H_
#define COOLSPAN_REPLAY_PORTS_ALLOCATOR_PORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/ledger.h"
#include "core/node_set.h"
#include "core/types.h"

namespace coolspan {

// The allocator of a replay, in this process or in a daemon: one machine, empty
// at first. Its clock moves only by the times given here, which never decrease.
// Not thread-safe.
class AllocatorPort {
 public:
  virtual ~AllocatorPort() = default;

  struct Ask {
    JobKey job;          // ids from 1; each restart once
    NodeCount nodes;     // whole ones
    std::uint64_t seed;  // for the random choices of this job
    TimeMs now_ms;
    // The nodes that are available, free or not; nullptr: all. Outlives the
    // Commit.
    const NodeSet* available = nullptr;
    // The nodes of the job in the trace, for policy recorded; nullptr: not
    // known.
    const std::vector<NodeId>* recorded_nodes = nullptr;
    // Share of run time; none: that of the machine's room.
    std::optional<float> communication_share = std::nullopt;
    std::int64_t expected_run_s = 0;  // 0: unknown
    TimeMs waited_ms = 0;             // since the job was submitted
    NodeCount segment_nodes = 0;      // Request::segment_nodes
  };
  struct Answer {
    bool placed = false;         // else the policy does not place the job now
    bool stopped_early = false;  // its search had used up the work allowed
  };
  // Writes the chosen nodes in ascending order. If placed, Commit must follow.
  virtual absl::StatusOr<Answer> Choose(const Ask& ask,
                                        std::vector<NodeId>& nodes) = 0;
  // The nodes that a previewed policy, by its index in the list, would choose
  // from those that were free for Choose. Changes nothing. REQUIRES a call
  // between a Choose that placed the job and its Commit.
  virtual absl::StatusOr<Answer> Preview(std::size_t previewed, const Ask& ask,
                                         std::vector<NodeId>& nodes) = 0;
  // The job starts on the chosen nodes, or without a Choose on these, and
  // communicates for that share of its run time; none: the share given to
  // Choose.
  virtual absl::Status Commit(JobKey job, TimeMs now_ms,
                              const std::vector<NodeId>& nodes,
                              std::optional<float> communication_share) = 0;
  virtual absl::Status Release(JobKey job, TimeMs now_ms) = 0;
  // After the last job: an error if a Commit or Release was not accepted.
  virtual absl::Status Finish() = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_PORTS_ALLOCATOR_PORT_H_
