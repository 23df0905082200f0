// SPDX-License-Identifier: GPL-3.0-or-later
// mbs compared with its definition, written with sets of nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "mesh_machine.h"
#include "placement_question.h"

namespace coolspan {
namespace {

using Corner = std::vector<std::uint32_t>;  // last dimension first

struct Mesh {
  const Topology& topology;
  const Grid& grid;
  std::set<NodeId> free;

  // The nodes of the block with this corner; empty if it is not entirely free.
  std::vector<NodeId> Nodes(const Corner& corner, std::uint32_t side) const {
    std::vector<NodeId> nodes;
    for (VertexId vertex = 0; vertex < topology.vertex_count(); ++vertex) {
      std::vector<std::uint32_t> at(grid.dims.size());
      grid.CoordinatesOf(vertex, at);
      bool inside = true;
      for (std::size_t i = 0; i < at.size(); ++i) {
        const std::uint32_t low = corner[at.size() - 1 - i];
        if (grid.dims[i] == 1) continue;
        if (low + side > grid.dims[i]) return {};
        inside = inside && at[i] >= low && at[i] < low + side;
      }
      if (!inside) continue;
      const Topology::NodeRange range = topology.NodesAt(vertex);
      if (range.count == 0) return {};
      for (NodeId node = range.first; node < range.first + range.count;
           ++node) {
        if (free.count(node) == 0) return {};
        nodes.push_back(node);
      }
    }
    return nodes;
  }
  std::vector<Corner> Corners(std::uint32_t side) const {
    std::vector<Corner> corners = {{}};
    for (std::size_t i = grid.dims.size(); i-- > 0;) {
      std::vector<Corner> longer;
      for (const Corner& corner : corners) {
        for (std::uint32_t x = 0; x < grid.dims[i]; x += side) {
          longer.push_back(corner);
          longer.back().push_back(x);
        }
      }
      corners = longer;
    }
    return corners;
  }
};

// Free blocks that are not part of a larger free block, by side and corner.
using Blocks = std::map<std::uint32_t, std::map<Corner, std::vector<NodeId>>>;

Blocks LargestBlocks(const Mesh& mesh) {
  Blocks blocks;
  std::set<NodeId> covered;
  for (std::uint32_t side = 64; side > 0; side /= 2) {
    std::set<NodeId> covered_now;
    for (const Corner& corner : mesh.Corners(side)) {
      const std::vector<NodeId> nodes = mesh.Nodes(corner, side);
      if (nodes.empty() || covered.count(nodes[0]) > 0) continue;
      blocks[side][corner] = nodes;
      covered_now.insert(nodes.begin(), nodes.end());
    }
    covered.merge(covered_now);
  }
  return blocks;
}

void SplitOne(const Mesh& mesh, std::uint32_t side, Blocks& blocks) {
  const auto [corner, nodes] = *blocks[side].begin();
  blocks[side].erase(blocks[side].begin());
  const std::set<NodeId> inside(nodes.begin(), nodes.end());
  for (const Corner& buddy : mesh.Corners(side / 2)) {
    const std::vector<NodeId> part = mesh.Nodes(buddy, side / 2);
    if (!part.empty() && inside.count(part[0]) > 0) {
      blocks[side / 2][buddy] = part;
    }
  }
}

// REQUIRES one node per vertex and no required nodes.
std::vector<NodeId> ByDefinition(const PlacementQuestion& question) {
  const Topology& topology = question.machine->topology();
  const Mesh mesh{
      topology, *topology.grid(), {question.free.begin(), question.free.end()}};
  Blocks blocks = LargestBlocks(mesh);
  const auto dimensions =
      std::count_if(mesh.grid.dims.begin(), mesh.grid.dims.end(),
                    [](std::uint32_t extent) { return extent > 1; });
  std::vector<NodeId> nodes;
  for (std::uint32_t side = 64; side > 0; side /= 2) {
    std::size_t block_nodes = 1;
    for (std::ptrdiff_t i = 0; i < dimensions; ++i) block_nodes *= side;
    while (question.nodes - nodes.size() >= block_nodes) {
      std::uint32_t from = side;
      while (from <= 64 && blocks[from].empty()) from *= 2;
      if (from > 64) break;
      if (from > side) {
        SplitOne(mesh, from, blocks);
        continue;
      }
      const auto first = blocks[side].begin();
      nodes.insert(nodes.end(), first->second.begin(), first->second.end());
      blocks[side].erase(first);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

TEST(MbsProperty, TakesBlocksByTheDefinition) {
  std::mt19937 random(1);
  for (int i = 0; i < 600; ++i) {
    Grid grid;
    const std::size_t dimensions = 1 + random() % 3;
    const std::uint32_t max_extent = dimensions == 1   ? 40
                                     : dimensions == 2 ? 9
                                                       : 5;
    for (std::size_t d = 0; d < dimensions; ++d) {
      grid.dims.push_back(
          static_cast<std::uint32_t>(1 + random() % max_extent));
      grid.wrap.push_back(random() % 2 == 0);
    }
    for (VertexId v = 1; v < grid.VertexCount() && random() % 3 != 0; ++v) {
      if (random() % 8 == 0) grid.holes.push_back(v);
    }
    PlacementQuestion question =
        DrawQuestion(MeshMachine(std::move(grid)),
                     static_cast<NodeCount>(1 + random() % 80), random);
    question.required.clear();
    ASSERT_EQ(Place(question, "mbs").nodes, ByDefinition(question)) << i;
  }
}

PlacementQuestion EmptyMachine(Grid grid, NodeCount nodes) {
  PlacementQuestion question;
  question.machine = MeshMachine(std::move(grid));
  question.free = NodeSet::All(question.machine->node_count()).Members();
  question.nodes = nodes;
  return question;
}

TEST(MbsTest, EmptyMachineGivesTheSumOfFewestBlocks) {
  // 27 = 16 + 2 * 4 + 3 * 1 in the plane.
  const Placed placed = Place(EmptyMachine(FlatGrid({8, 8}), 27), "mbs");
  EXPECT_EQ(placed.Fact("blocks"), 6);
  EXPECT_EQ(placed.Fact("largest_block_nodes"), 16);
}

TEST(MbsTest, VerticesOfSeveralNodesAreSplitLast) {
  Grid grid = FlatGrid({4, 4});
  grid.nodes_per_vertex = 4;
  const Placed placed = Place(EmptyMachine(grid, 22), "mbs");
  EXPECT_EQ(placed.Fact("blocks"), 4);  // 16, 4 and twice 1
  EXPECT_EQ(placed.Fact("largest_block_nodes"), 16);
}

TEST(MbsTest, TakesTheBlockOfARequiredNode) {
  PlacementQuestion question = EmptyMachine(FlatGrid({8, 8}), 4);
  question.required = {63};
  EXPECT_EQ(Place(question, "mbs").nodes,
            (std::vector<NodeId>{54, 55, 62, 63}));
  question.required = {0, 63};  // no block of four contains both
  EXPECT_EQ(Place(question, "mbs").nodes, (std::vector<NodeId>{0, 1, 8, 63}));
}

}  // namespace
}  // namespace coolspan
