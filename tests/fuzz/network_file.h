// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_FUZZ_NETWORK_FILE_H_
#define COOLSPAN_TESTS_FUZZ_NETWORK_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/machine/machine_file.h"
#include "fuzz/memory_file.h"

namespace coolspan {

// Parses a machine file in which FILE stands for path: a one-line error with
// its position, or a machine with consistent distances.
inline void CheckMachine(std::string text, const std::string& path) {
  text.replace(text.find("FILE"), 4, path);
  std::vector<std::string> warnings;
  const auto machine =
      ParseMachineFile("name: fuzz\n" + text, "/fuzz.yaml", &warnings);
  if (!machine.ok()) {
    const std::string message(machine.status().message());
    Expect(message.find(path) == 0 || message.find("/fuzz.yaml:") == 0);
    Expect(message.find('\n') == std::string::npos && message.size() < 2000);
    return;
  }
  const Topology& topology = (*machine)->topology();
  Expect((*machine)->node_count() == topology.node_count());
  const auto all = (*machine)->ParseNodes(
      (*machine)->FormatNodes(NodeSet::All(topology.node_count()).Members()));
  Expect(all.ok() && all->Count() == topology.node_count());
  const NodeId last = topology.node_count() - 1;
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node <= last && node < 20; ++node) {
    nodes.push_back(node);
    Expect(topology.Distance(node, last) == topology.Distance(last, node));
    Expect(topology.Distance(node, node) == 0);
    const Topology::NodeRange there = topology.NodesAt(topology.VertexOf(node));
    Expect(there.first <= node && node < there.first + there.count);
    std::vector<VertexId> neighbours;
    topology.AppendNeighbours(topology.VertexOf(node), neighbours);
    for (const VertexId v : neighbours) Expect(v < topology.vertex_count());
  }
  Expect(topology.PairwiseTotal(nodes) ==
         topology.Topology::PairwiseTotal(nodes));
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_FUZZ_NETWORK_FILE_H_
