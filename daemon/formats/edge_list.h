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
  // By vertex: the nodes, one a vertex, then the switches as they appear.
  std::vector<std::string> names;
};

// Reads a file with a line "A B" for each link, plain or gzip; # starts a
// comment. Names that are not among the nodes are switches.
// Errors: LineReader's; INVALID_ARGUMENT "file:line:column: ..." for what is no
// such line, and for a link of something to itself. REQUIRES nodes named once.
absl::StatusOr<EdgeList> ReadEdgeList(const std::string& path,
                                      std::span<const std::string> nodes);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_EDGE_LIST_H_
