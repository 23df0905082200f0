// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/site_halves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "mesh_machine.h"
#include "network_machines.h"

namespace coolspan {
namespace {

// The two parts of all nodes of a machine, each ascending.
struct Halves {
  std::vector<SiteId> first;
  std::vector<SiteId> second;
};

Halves HalvesOf(const Machine& machine, std::vector<std::uint32_t> slots = {}) {
  std::vector<NodeId> nodes(machine.node_count());
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  const Sites sites(machine.topology(), nodes);
  std::vector<SiteId> region(nodes.begin(), nodes.end());
  slots.resize(nodes.size(), 1);
  const auto cut =
      static_cast<std::ptrdiff_t>(HalveSites(sites, slots, region));
  Halves halves{{region.begin(), region.begin() + cut},
                {region.begin() + cut, region.end()}};
  std::sort(halves.first.begin(), halves.first.end());
  std::sort(halves.second.begin(), halves.second.end());
  return halves;
}

std::shared_ptr<const Machine> LeavesOf(std::vector<std::uint32_t> nodes_at) {
  SwitchTree tree;
  const auto root = static_cast<VertexId>(nodes_at.size());
  tree.parent.assign(nodes_at.size() + 1, root);
  tree.nodes_at.assign(nodes_at.begin(), nodes_at.end());
  tree.nodes_at.push_back(0);
  return MachineOn(MakeFatTree(std::move(tree)).value());
}

std::set<VertexId> SwitchesOf(const Machine& machine,
                              const std::vector<SiteId>& sites) {
  std::set<VertexId> switches;
  for (const SiteId site : sites) {
    switches.insert(machine.topology().VertexOf(site));
  }
  return switches;
}

TEST(SiteHalvesTest, ALineIsCutInTheMiddle) {
  const Halves halves = HalvesOf(*MeshMachine(FlatGrid({32})));
  EXPECT_EQ(halves.first.size(), 16U);
  EXPECT_EQ(halves.first.back(), 15U);
}

TEST(SiteHalvesTest, AMeshIsCutBetweenPlanes) {
  for (const auto& grid : {FlatGrid({4, 4, 4}), TorusGrid({4, 4, 4})}) {
    const auto machine = MeshMachine(grid);
    const Halves halves = HalvesOf(*machine);
    ASSERT_EQ(halves.first.size(), 32U);
    ASSERT_EQ(halves.second.size(), 32U);
  }
  // Planes of 15 nodes across the longest extent; the middle is inside one.
  EXPECT_EQ(HalvesOf(*MeshMachine(FlatGrid({7, 5, 3}))).first.size() % 15, 0U);
}

TEST(SiteHalvesTest, AFatTreeIsCutBetweenSwitches) {
  // The middle is inside of a switch, if not of the first.
  for (const std::vector<std::uint32_t>& leaves :
       {std::vector<std::uint32_t>{4, 4, 4, 4},
        {5, 6, 5},
        {6, 5, 5},
        {3, 8, 5},
        {2, 3, 4, 5, 6, 7}}) {
    const auto machine = LeavesOf(leaves);
    const Halves halves = HalvesOf(*machine);
    const std::size_t total = machine->node_count();
    EXPECT_GE(3 * halves.first.size(), total);
    EXPECT_GE(3 * halves.second.size(), total);
    const auto first = SwitchesOf(*machine, halves.first);
    for (const VertexId leaf : SwitchesOf(*machine, halves.second)) {
      EXPECT_EQ(first.count(leaf), 0U) << leaves.size() << " leaves";
    }
  }
}

// A switch of most nodes has to be cut, in the middle of the slots.
TEST(SiteHalvesTest, ALargeSwitchIsCutInTheMiddle) {
  EXPECT_EQ(HalvesOf(*LeavesOf({1, 20, 1})).first.size(), 11U);
}

TEST(SiteHalvesTest, PartsHaveAThirdOfTheSlots) {
  // The slots of the first nodes outweigh those of the others.
  const Halves halves = HalvesOf(*MeshMachine(FlatGrid({12})),
                                 {8, 8, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(halves.first.size(), 2U);
  // No cut leaves a third to both parts: the one nearest to the middle.
  EXPECT_EQ(HalvesOf(*MeshMachine(FlatGrid({4})), {1, 1, 30, 4}).first.size(),
            3U);
  for (const auto& machine :
       {FatTreeMachine(), DragonflyMachine(), GraphMachine(),
        HopMatrixMachine(), MeshMachine(TorusGrid({5, 5}))}) {
    const Halves parts = HalvesOf(*machine);
    EXPECT_GE(3 * parts.first.size(), machine->node_count());
    EXPECT_GE(3 * parts.second.size(), machine->node_count());
  }
}

}  // namespace
}  // namespace coolspan
