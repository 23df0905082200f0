// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SCHEDULERS_NODE_GROUPS_H_
#define COOLSPAN_REPLAY_SCHEDULERS_NODE_GROUPS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "core/machine.h"
#include "core/node_set.h"
#include "core/types.h"
#include "replay/input/workload.h"

namespace coolspan {

// Nodes of one power specification, or of one type.
struct NodeGroup {
  NodeSet nodes;
  NodeCount count = 0;
  double speed = 1;  // of the slowest node
};

// The groups of a machine by computing efficiency, speed / busy watts, highest
// first (spatio-temporal-scint, algorithms 2 to 4: MIPS/watt). A machine
// without a room is one group. Immutable, thread-safe.
class NodeGroups {
 public:
  // If a job requires a type, each type is a group of its own.
  explicit NodeGroups(const Machine& machine,
                      std::span<const WorkloadJob> jobs = {});

  std::span<const NodeGroup> groups() const { return groups_; }
  // All nodes, for jobs larger than any group that they may use.
  const NodeGroup& whole() const { return whole_; }
  // The groups that the job may use and that are large enough for it, by index
  // in groups(). Empty: none; it runs on nodes of several groups.
  std::vector<std::size_t> GroupsFor(const WorkloadJob& job) const;

 private:
  std::vector<NodeGroup> groups_;
  std::vector<std::size_t> group_of_type_;  // by Room::Description::types
  NodeGroup whole_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_NODE_GROUPS_H_
