// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_PORTS_RECORDED_POLICY_H_
#define COOLSPAN_REPLAY_PORTS_RECORDED_POLICY_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/node_set.h"
#include "core/types.h"
#include "replay/ports/allocator_port.h"

namespace coolspan {

// The policy of replay that gives each job the nodes that it had according to
// the trace, or does not place it while they are not free. It is not in the
// table of policies: an allocator gets the nodes as required ones of a request,
// for which all policies make the same choice.
inline constexpr std::string_view kRecordedPolicy = "recorded";

inline bool IsRecordedPolicy(std::string_view spec) {
  return spec == kRecordedPolicy;
}

// The policy that the allocator of a run is made with.
inline std::string AllocatorPolicy(const std::string& spec) {
  return IsRecordedPolicy(spec) ? "free-list" : spec;
}

// Error: INVALID_ARGUMENT if the trace does not name the nodes of the job.
inline absl::StatusOr<NodeSet> RecordedNodes(const AllocatorPort::Ask& ask,
                                             NodeCount machine_nodes) {
  if (ask.recorded_nodes == nullptr || ask.recorded_nodes->empty()) {
    return absl::InvalidArgumentError(
        "the trace does not name the nodes of jobs");
  }
  NodeSet nodes(machine_nodes);
  for (const NodeId node : *ask.recorded_nodes) nodes.Insert(node);
  return nodes;
}

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_PORTS_RECORDED_POLICY_H_
