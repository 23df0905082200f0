// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_REQUEST_H_
#define COOLSPAN_CORE_REQUEST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/comm_pattern.h"
#include "core/node_set.h"
#include "core/types.h"
#include "core/usable_units.h"

namespace coolspan {

// The demand of a job. units 0: as many nodes as are available, min_nodes to
// max_nodes; policies are asked for an exact number, min_nodes = max_nodes.
// Otherwise min_nodes to max_nodes nodes with at least that many usable units
// in total: as few as possible, or with up_to_max_nodes as many as are
// available.
struct Demand {
  NodeCount min_nodes = 1;
  NodeCount max_nodes = 1;
  std::uint32_t units = 0;
  bool up_to_max_nodes = false;

  static Demand Nodes(NodeCount n) { return {n, n, 0, false}; }
};

// One request to a policy.
struct Request {
  Demand demand;
  // Whole nodes without any other holder; false: units of shared nodes.
  bool whole = true;
  // What the job can use of each node. nullptr: all free units.
  std::shared_ptr<const UsableByNode> usable;
  // Nodes that must be in the answer. Size 0: none.
  NodeSet required;
  // Requested extents of a submesh, at most one entry per dimension; empty:
  // any.
  std::vector<std::uint32_t> shape;
  // The nodes are groups of that many, each within a block of the machine; 0:
  // no groups. REQUIRES a multiple of it as min_nodes.
  NodeCount segment_nodes = 0;
  // No base block has nodes of two segments.
  bool spread_segments = false;
  // All segments are within the smallest block that has room for the job when
  // it is idle.
  bool consolidate_segments = false;
  // Share of its time that the job communicates, 0 to 1; none: the room's.
  std::optional<float> communication_share;
  // What the ranks of the job send to each other; nullptr: unknown.
  std::shared_ptr<const CommPattern> pattern;
  // How long the job is expected to run; 0: unknown.
  TimeMs expected_run_ms = 0;
  // How long the job has waited before this request; 0: not known, or not.
  TimeMs waited_ms = 0;
  // For all random choices of a policy for this request.
  std::uint64_t seed = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_REQUEST_H_
