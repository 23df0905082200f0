// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_CURVES_H_
#define COOLSPAN_ORDERING_CURVES_H_

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/types.h"
#include "ordering/ordering.h"

namespace coolspan {

// The functions of the table of orderings (table.cc), each in a file of its
// name. They return the nodes in rank order. argument: only used by MipNodes
// and FileNodes.

// The machine's own node order: x fastest on a mesh. Any topology.
absl::StatusOr<OrderedNodes> RowMajorNodes(const Machine& machine,
                                           std::string_view argument);
// Boustrophedon: x fastest, every other line and plane reversed, so each step
// is one hop. Meshes only.
absl::StatusOr<OrderedNodes> SnakeNodes(const Machine& machine,
                                        std::string_view argument);
// Along HilbertOrder (hilbert.h). On meshes with holes or rings, the
// orientation with the lowest locality cost. Meshes only.
absl::StatusOr<OrderedNodes> HilbertNodes(const Machine& machine,
                                          std::string_view argument);
// Z order: by the interleaved bits of the coordinates, x lowest; any extents.
// Meshes only.
absl::StatusOr<OrderedNodes> MortonNodes(const Machine& machine,
                                         std::string_view argument);
// By the Fiedler vector of the graph of the vertices, then improved by local
// search on the locality cost (local_search.h). Any topology.
absl::StatusOr<OrderedNodes> SpectralNodes(const Machine& machine,
                                           std::string_view argument);
// The lowest locality cost that is found in time, with a proven lower bound.
// Any topology. argument: "ring" (use the ring form of the cost), "seconds=N"
// (time limit, default 60), separated by commas; may be empty.
// docs/orderings.md says what is proved up to which size. Errors:
// INVALID_ARGUMENT for an unknown option; those of the solver.
absl::StatusOr<OrderedNodes> MipNodes(const Machine& machine,
                                      std::string_view argument);
// From a file with the names, or the ids, of all nodes in rank order, separated
// by commas or white space.
// Errors: NOT_FOUND; INVALID_ARGUMENT, "file:line:column: what is wrong".
absl::StatusOr<OrderedNodes> FileNodes(const Machine& machine,
                                       std::string_view path);

// The nodes of the vertices, in that order.
std::vector<NodeId> NodesOfVertices(const Topology& topology,
                                    std::span<const VertexId> vertices);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_CURVES_H_
