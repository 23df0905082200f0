// SPDX-License-Identifier: GPL-3.0-or-later
#include <utility>

#include "config/machine/kinds.h"
#include "config/machine/node_names.h"
#include "formats/edge_list.h"
#include "formats/file_error.h"
#include "topology/graph.h"

namespace coolspan {

absl::StatusOr<NamedTopology> MakeGraphKind(const MachineDescription& machine,
                                            const std::string& file) {
  const Placed<std::string>& option = machine.topology.edges;
  const auto path =
      RequiredPath(machine, file, option, "topology.edges", "an edge list");
  if (!path.ok()) return path.status();
  auto nodes = ReadNodeNames(machine, file, kMaxVertices);
  if (!nodes.ok()) return nodes.status();
  auto read = ReadEdgeList(*path, *nodes);
  if (!read.ok()) {
    return ErrorOfNamedFile(file, option.place, "topology.edges",
                            read.status());
  }
  auto graph = MakeGraph(std::move(read->plan), [&read](VertexId vertex) {
    return Quoted(read->names[vertex]);
  });
  if (!graph.ok())
    return ErrorAt(file, option.place, MessageOf(graph.status()));
  return NamedTopology{*std::move(graph), *std::move(nodes), {}};
}

}  // namespace coolspan
