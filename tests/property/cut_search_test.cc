// SPDX-License-Identifier: GPL-3.0-or-later
// Branch and bound over cuts against exhaustive enumeration. It starts from a
// bad answer, so that a bound that is too high is detected.
#include "policy/optimal/cut_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "mesh_machine.h"
#include "placement_question.h"

namespace coolspan {
namespace {

Grid DrawGrid(std::mt19937& random) {
  Grid grid;
  const std::size_t dimensions = 1 + random() % 4;
  const std::uint32_t max_extent = dimensions == 1   ? 40
                                   : dimensions == 2 ? 9
                                   : dimensions == 3 ? 5
                                                     : 3;
  for (std::size_t d = 0; d < dimensions; ++d) {
    grid.dims.push_back(static_cast<std::uint32_t>(1 + random() % max_extent));
    grid.wrap.push_back(random() % 2 == 0);
  }
  grid.nodes_per_vertex = static_cast<NodeCount>(1 + random() % 3);
  for (VertexId v = 1; v < grid.VertexCount() && random() % 3 != 0; ++v) {
    if (random() % 4 == 0) grid.holes.push_back(v);
  }
  return grid;
}

// The required nodes and the first of the other nodes.
std::vector<NodeCount> FirstNodes(const VertexPool& pool, NodeCount nodes) {
  std::vector<NodeCount> taken = pool.required;
  for (const NodeCount required : taken) nodes -= required;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const NodeCount more = std::min(nodes, pool.free[i] - taken[i]);
    taken[i] += more;
    nodes -= more;
  }
  return taken;
}

TEST(CutSearchProperty, ProvesTheOptimum) {
  std::mt19937 random(1);
  for (int i = 0; i < 4000; ++i) {
    const PlacementQuestion question =
        DrawQuestion(MeshMachine(DrawGrid(random)), 11, random);
    const Topology& topology = question.machine->topology();
    const NodeSet available(question.machine->node_count(), question.free);
    const NodeSet required(question.machine->node_count(), question.required);
    const Choice choice{available, required, required.Count(), question.nodes,
                        0};
    const VertexPool pool = FreeVertices(topology, choice);
    VertexSet start;
    start.taken = FirstNodes(pool, question.nodes);
    start.total = topology.PairwiseTotal(
        NodesAtVertices(topology, choice, pool, start.taken));
    Budget budget;
    const Proof proof =
        SearchCuts(topology, pool, question.nodes, start, budget);
    ASSERT_EQ(proof.best.total, LeastTotal(question)) << i;
    ASSERT_TRUE(proof.proved()) << i;
    const std::vector<NodeId> nodes =
        NodesAtVertices(topology, choice, pool, proof.best.taken);
    ASSERT_EQ(nodes.size(), question.nodes);
    ASSERT_EQ(topology.PairwiseTotal(nodes), proof.best.total);
    ASSERT_TRUE(required.IsSubsetOf(NodeSet(available.size(), nodes)));
  }
}

TEST(CutSearchProperty, TheLowerBoundHoldsForAnyBudget) {
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) {
    const PlacementQuestion question =
        DrawQuestion(MeshMachine(DrawGrid(random)), 12, random);
    const std::uint64_t optimum = LeastTotal(question);
    for (const std::uint64_t work : {1, 100, 1000, 10'000, 100'000}) {
      const Placed placed = Place(question, "exact", {}, Budget(work));
      const std::int64_t bound = placed.Fact("lower_bound");
      const std::int64_t total = placed.Fact("total");
      ASSERT_LE(bound, static_cast<std::int64_t>(optimum));
      ASSERT_GE(total, static_cast<std::int64_t>(optimum));
      ASSERT_EQ(placed.Says("proved", "yes"), bound == total);
    }
  }
}

}  // namespace
}  // namespace coolspan
