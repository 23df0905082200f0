// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_EDGE_LIST_H_
#define COOLSPAN_FORMATS_EDGE_LIST_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/graph.h"

namespace coolspan {

struct EdgeList {
  GraphPlan plan;
  // By vertex: first the nodes, one per vertex, then the switches in order of
  // appearance.
  std::vector<std::string> names;
};

// Reads a file with one line "A B" per link, plain or gzip; # starts a comment.
// Names that are not in nodes are switches. REQUIRES distinct nodes.
// Errors: as LineReader; INVALID_ARGUMENT "file:line:column: ..." for a line of
// another form and for a link from a vertex to itself.
absl::StatusOr<EdgeList> ReadEdgeList(const std::string& path,
                                      std::span<const std::string> nodes);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_EDGE_LIST_H_
