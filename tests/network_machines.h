// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_NETWORK_MACHINES_H_
#define COOLSPAN_TESTS_NETWORK_MACHINES_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/machine/machine_file.h"
#include "core/machine.h"
#include "folders.h"
#include "mesh_machine.h"
#include "topology/block_tree.h"
#include "topology/dragonfly.h"
#include "topology/fat_tree.h"
#include "topology/graph.h"
#include "topology/hop_matrix.h"

namespace coolspan {

// A machine with nodes n0, n1, ... on the network.
inline std::shared_ptr<const Machine> MachineOn(
    std::shared_ptr<const Topology> network) {
  std::vector<std::string> names;
  for (NodeId node = 0; node < network->node_count(); ++node) {
    names.push_back("n" + std::to_string(node));
  }
  return Machine::Create("network", std::move(names), std::move(network))
      .value();
}

// A torus with 1 to 4 nodes per vertex and some holes.
inline Grid UnevenGrid() {
  Grid grid = TorusGrid({5, 4, 3});
  grid.nodes_per_vertex = 4;
  grid.holes = {0, 17, 18, 59};
  grid.short_vertices = {{1, 3}, {2, 1}, {30, 2}, {58, 1}};
  return grid;
}

// Three levels of switches; leaf switch i = 0..11 has i + 1 nodes.
inline std::shared_ptr<const Machine> FatTreeMachine() {
  SwitchTree tree;
  for (VertexId leaf = 0; leaf < 12; ++leaf) {
    tree.parent.push_back(12 + leaf / 4);
    tree.nodes_at.push_back(leaf + 1);
  }
  tree.parent.insert(tree.parent.end(), {15, 15, 15, 15});
  tree.nodes_at.resize(16, 0);
  return MachineOn(MakeFatTree(std::move(tree)).value());
}

// Six base blocks of 4 nodes, in pairs.
inline std::shared_ptr<const Machine> BlocksMachine() {
  Blocks blocks;
  blocks.first_node = {0, 4, 8, 12, 16, 20, 24};
  blocks.base_nodes = 4;
  blocks.sizes = {1, 2};
  return MachineOn(MakeBlockTree(std::move(blocks)).value());
}

inline std::shared_ptr<const Machine> DragonflyMachine() {
  return MachineOn(MakeDragonfly({9, 4, 3}).value());
}

// 30 nodes at 6 switches in a ring, and a chain of 4 nodes at the first switch.
inline std::shared_ptr<const Machine> GraphMachine() {
  GraphPlan plan;
  plan.nodes_at.assign(34, 1);
  plan.nodes_at.resize(40, 0);
  for (VertexId node = 0; node < 30; ++node) {
    plan.links.emplace_back(node, 34 + node / 5);
  }
  for (VertexId node = 30; node < 34; ++node) {
    plan.links.emplace_back(node, node == 30 ? 34 : node - 1);
  }
  for (VertexId i = 0; i < 6; ++i) {
    plan.links.emplace_back(34 + i, 34 + (i + 1) % 6);
  }
  return MachineOn(
      MakeGraph(plan, [](VertexId v) { return std::to_string(v); }).value());
}

// Four switches of eight nodes: 2 hops within a switch, 4 between switches.
inline std::shared_ptr<const Machine> HopMatrixMachine() {
  HopTable hops(32, 4);
  for (VertexId a = 0; a < 32; ++a) {
    for (VertexId b = 0; b < 32; ++b) {
      if (a != b) hops.Set(a, b, a / 8 == b / 8 ? 2 : 4);
    }
  }
  return MachineOn(MakeHopMatrix(std::move(hops)).value());
}

// A machine file that refers to a file of the data folder as FILE; nullptr if
// that does not exist.
inline std::shared_ptr<const Machine> DataMachine(const std::string& file,
                                                  std::string text) {
  const std::filesystem::path path = DataDir() / "topology" / file;
  if (!std::filesystem::exists(path)) return nullptr;
  text.replace(text.find("FILE"), 4, path.string());
  return ParseMachineFile("name: real\n" + text, "real.yaml").value();
}

inline std::shared_ptr<const Machine> AbacusMachine() {
  return DataMachine("unsw-abacus.topology.conf",
                     "topology: {kind: fat-tree, slurm_topology: FILE}\n");
}

inline std::shared_ptr<const Machine> CirceMachine() {
  return DataMachine("slurm-superpod-circe.topology.conf",
                     "topology: {kind: fat-tree, slurm_topology: FILE}\n");
}

inline std::shared_ptr<const Machine> ThetaMachine() {
  return DataMachine("codes-theta.interconnect.gz",
                     "topology: {kind: dragonfly, links: FILE}\n"
                     "nodes: \"nid[0001-3456]\"\n");
}

inline std::shared_ptr<const Machine> CrayMachine() {
  return DataMachine("nersc-sample.xtdb2proc.gz",
                     "topology: {kind: mesh, dims: [17, 8, 24], wrap: [true, "
                     "true, true]}\ncoordinates: FILE\n");
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_NETWORK_MACHINES_H_
