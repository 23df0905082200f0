// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_FUZZ_NETWORK_FILE_H_
#define COOLSPAN_TESTS_FUZZ_NETWORK_FILE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "config/machine/machine_file.h"

namespace coolspan {

inline void Require(bool holds) {
  if (!holds) std::abort();
}

// A file in memory, replaced for each input.
inline std::string PathOf(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("network", 0);
  Require(ftruncate(file, 0) == 0);
  Require(pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  return "/proc/self/fd/" + std::to_string(file);
}

// Parses a machine file in which FILE stands for path: a one-line error with
// its position, or a machine with consistent distances.
inline void CheckMachine(std::string text, const std::string& path) {
  text.replace(text.find("FILE"), 4, path);
  std::vector<std::string> warnings;
  const auto machine =
      ParseMachineFile("name: fuzz\n" + text, "/fuzz.yaml", &warnings);
  if (!machine.ok()) {
    const std::string message(machine.status().message());
    Require(message.find(path) == 0 || message.find("/fuzz.yaml:") == 0);
    Require(message.find('\n') == std::string::npos && message.size() < 2000);
    return;
  }
  const Topology& topology = (*machine)->topology();
  Require((*machine)->node_count() == topology.node_count());
  const auto all = (*machine)->ParseNodes(
      (*machine)->FormatNodes(NodeSet::All(topology.node_count()).Members()));
  Require(all.ok() && all->Count() == topology.node_count());
  const NodeId last = topology.node_count() - 1;
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node <= last && node < 20; ++node) {
    nodes.push_back(node);
    Require(topology.Distance(node, last) == topology.Distance(last, node));
    Require(topology.Distance(node, node) == 0);
    const Topology::NodeRange there = topology.NodesAt(topology.VertexOf(node));
    Require(there.first <= node && node < there.first + there.count);
    std::vector<VertexId> neighbours;
    topology.AppendNeighbours(topology.VertexOf(node), neighbours);
    for (const VertexId v : neighbours) Require(v < topology.vertex_count());
  }
  Require(topology.PairwiseTotal(nodes) ==
          topology.Topology::PairwiseTotal(nodes));
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_FUZZ_NETWORK_FILE_H_
