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

// What stands in the table of orderings; each is in the file of its name and
// answers the nodes in rank order. argument is unused but for FileNodes.

// The machine's own node order: x fastest on a mesh, any topology.
absl::StatusOr<OrderedNodes> RowMajorNodes(const Machine& machine,
                                           std::string_view argument);
// x fastest, every line and every plane walked back the way the one before
// came, so each step is one hop. Meshes only.
absl::StatusOr<OrderedNodes> SnakeNodes(const Machine& machine,
                                        std::string_view argument);
// Along HilbertOrder (hilbert.h), turned and mirrored where holes or rings
// make one way better than another. Meshes only.
absl::StatusOr<OrderedNodes> HilbertNodes(const Machine& machine,
                                          std::string_view argument);
// Z order: by the interleaved bits of the coordinates, x lowest; any extents.
// Meshes only.
absl::StatusOr<OrderedNodes> MortonNodes(const Machine& machine,
                                         std::string_view argument);
// By the Fiedler vector of the graph of the vertices, then with the locality
// cost improved (local_search.h); any topology.
absl::StatusOr<OrderedNodes> SpectralNodes(const Machine& machine,
                                           std::string_view argument);
// Of least locality cost, or as near to it as is found in time, with a proof;
// any topology. argument: "ring" (the ring form of the cost), "seconds=N" (60
// where left out), both by commas, or empty. What is proved, up to which size:
// docs/orderings.md.
// Errors: INVALID_ARGUMENT for an unknown option; the solver's.
absl::StatusOr<OrderedNodes> MipNodes(const Machine& machine,
                                      std::string_view argument);
// A file with every node's name, or every node's id, in rank order, separated
// by commas or white space.
// Errors: NOT_FOUND; INVALID_ARGUMENT, "file:line:column: what is wrong".
absl::StatusOr<OrderedNodes> FileNodes(const Machine& machine,
                                       std::string_view path);

// The nodes of the vertices, in that order; holes have none.
std::vector<NodeId> NodesOfVertices(const Topology& topology,
                                    std::span<const VertexId> vertices);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_CURVES_H_
