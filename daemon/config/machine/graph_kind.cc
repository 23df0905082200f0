// SPDX-License-Identifier: GPL-3.0-or-later
#include <utility>

#include "config/machine/kinds.h"
#include "config/machine/node_names.h"
#include "config/options/relative_path.h"
#include "formats/edge_list.h"
#include "formats/file_error.h"
#include "topology/graph.h"

namespace coolspan {

absl::StatusOr<NamedTopology> MakeGraphKind(const MachineDescription& machine,
                                            const std::string& file) {
  const Placed<std::string>& named = machine.topology.edges;
  if (named.value.empty()) {
    return ErrorAt(file, machine.topology.place,
                   "topology.edges is missing; the path of a list of links is "
                   "wanted");
  }
  auto nodes = ReadNodeNames(machine, file, kMaxVertices);
  if (!nodes.ok()) return nodes.status();
  auto read = ReadEdgeList(PathBeside(file, named.value), *nodes);
  if (!read.ok()) {
    return ErrorOfNamedFile(file, named.place, "topology.edges", read.status());
  }
  auto graph = MakeGraph(std::move(read->plan), [&read](VertexId vertex) {
    return Quoted(read->names[vertex]);
  });
  if (!graph.ok()) return ErrorAt(file, named.place, MessageOf(graph.status()));
  return NamedTopology{*std::move(graph), *std::move(nodes), {}};
}

}  // namespace coolspan
