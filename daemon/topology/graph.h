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

// A network given by its links.
struct GraphPlan {
  std::string_view kind = "graph";  // kind(); a string literal
  std::vector<NodeCount> nodes_at;  // by vertex
  // In either direction, repetitions allowed; links from a vertex to itself are
  // ignored.
  std::vector<std::pair<VertexId, VertexId>> links;
};

// Hops are those of shortest paths. Distance is O(1), from a table of the
// vertices with two links or more; vertices with one link (usually the nodes at
// a switch) are one hop from their neighbour. PairwiseTotal of k nodes is
// O(k + t^2) for t table vertices involved.
// name_of: name of a vertex for messages.
// Errors: INVALID_ARGUMENT for a network that is not connected (names two
// vertices), more than kMaxTableVertices vertices with two links or more, more
// than kMaxVertices vertices or nodes, or no nodes. REQUIRES both ends of every
// link below nodes_at.size().
absl::StatusOr<std::shared_ptr<const Topology>> MakeGraph(
    GraphPlan plan, absl::FunctionRef<std::string(VertexId)> name_of);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_GRAPH_H_
