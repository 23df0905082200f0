// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_REQUEST_H_
#define COOLSPAN_CORE_REQUEST_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/node_set.h"
#include "core/types.h"

namespace coolspan {

// What a job needs. units 0: exactly min_nodes nodes. Otherwise as many nodes
// from min_nodes to max_nodes as it takes to have that many units free.
struct Demand {
  NodeCount min_nodes = 1;
  NodeCount max_nodes = 1;
  std::uint32_t units = 0;

  static Demand Nodes(NodeCount n) { return {n, n, 0}; }
};

// One question to a policy.
struct Request {
  Demand demand;
  // Whole nodes, that nobody else holds any unit of, or a share of each.
  bool whole = true;
  // Nodes that must be in the answer. Size 0 stands for none.
  NodeSet required;
  // Wanted extent of a submesh, at most one entry a dimension; empty: any.
  std::vector<std::uint32_t> shape;
  // Share of its time that the job communicates, 0 to 1; none: the room's.
  std::optional<float> communication_share;
  // Of every random choice a policy makes for this request.
  std::uint64_t seed = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_REQUEST_H_
