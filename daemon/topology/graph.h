// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_GRAPH_H_
#define COOLSPAN_TOPOLOGY_GRAPH_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/topology.h"

namespace coolspan {

// A network link by link.
struct GraphPlan {
  std::string_view kind = "graph";  // a literal, what kind() is
  std::vector<NodeCount> nodes_at;  // by vertex
  // Either way round, any number of times; one from a vertex to itself says
  // nothing.
  std::vector<std::pair<VertexId, VertexId>> links;
};

// Hops along the links. Distance is O(1), from a table of the vertices of two
// links and more: those of one, nodes at a switch mostly, are beside the
// vertex that they hang on. PairwiseTotal of k nodes is O(k + t^2), t being the
// vertices of the table that they are at or beside.
// name_of: what messages call a vertex.
// Errors: INVALID_ARGUMENT: two vertices have no path (both named), more than
// kMaxTableVertices vertices of two links and more, more than kMaxVertices
// vertices or nodes, no node. REQUIRES links between vertices that are there.
absl::StatusOr<std::shared_ptr<const Topology>> MakeGraph(
    GraphPlan plan, absl::FunctionRef<std::string(VertexId)> name_of);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_GRAPH_H_
