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

// The allocator a replay asks, wherever it runs: one machine, empty at first,
// whose clock moves only by the times given here, which never go back. Not
// thread-safe.
class AllocatorPort {
 public:
  virtual ~AllocatorPort() = default;

  struct Ask {
    std::uint32_t job_id;  // from 1, each job once
    NodeCount nodes;       // whole ones
    std::uint64_t seed;    // of the random choices for this job
    TimeMs now_ms;
    // Of the job's time; none: as the machine's room says.
    std::optional<float> communication_share;
  };
  // Chooses nodes and writes them, ascending; false: the policy does not place
  // the job now. An answer of true is to be followed by Commit.
  virtual absl::StatusOr<bool> Choose(const Ask& ask,
                                      std::vector<NodeId>& nodes) = 0;
  // What the previewed policy of that place in the list would choose instead,
  // on the nodes that were free for the choice. Between an answer of true and
  // its Commit; changes nothing.
  virtual absl::StatusOr<bool> Preview(std::size_t previewed, const Ask& ask,
                                       std::vector<NodeId>& nodes) = 0;
  // The job starts on the nodes chosen and communicates for that share of its
  // time there; none: as it was asked for.
  virtual absl::Status Commit(std::uint32_t job_id, TimeMs now_ms,
                              const std::vector<NodeId>& nodes,
                              std::optional<float> communication_share) = 0;
  virtual absl::Status Release(std::uint32_t job_id, TimeMs now_ms) = 0;
  // After the last job: whether all that was stated was accepted.
  virtual absl::Status Finish() = 0;
};

// Makes the allocator of a run with this policy, and others to preview. Errors:
// INVALID_ARGUMENT for a policy there is none of, and the allocator's own.
using PortMaker = std::function<absl::StatusOr<std::unique_ptr<AllocatorPort>>(
    const std::string& policy, const std::vector<std::string>& previewed)>;

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_ALLOCATOR_PORT_H_
