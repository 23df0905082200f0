// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/pairwise_swaps.h"

#include <gtest/gtest.h>

#include <vector>

#include "network_machines.h"

namespace coolspan {
namespace {

// On a network, summing the distances before the first swap already costs
// (nodes chosen) * (vertices).
TEST(ImproveBySwapsTest, StopsWhenTheBudgetEnds) {
  const auto machine = GraphMachine();
  const Topology& topology = machine->topology();
  const NodeSet free = NodeSet::All(machine->node_count());
  const NodeSet none;
  const FreeSites sites(topology, Choice{free, none, 0, 6, 0});
  std::vector<VertexNodes> scattered;
  for (const VertexId vertex : {7U, 12U, 17U, 22U, 27U, 33U}) {
    ASSERT_EQ(topology.NodesAt(vertex).count, 1U);
    scattered.push_back({vertex, 1});
  }
  Budget enough(100'000);
  const Improved improved =
      ImproveBySwaps(topology, nullptr, sites, scattered, enough);
  EXPECT_GT(improved.swaps, 0U);
  EXPECT_FALSE(enough.exhausted());

  Budget too_small(2 * topology.vertex_count());
  const Improved unchanged =
      ImproveBySwaps(topology, nullptr, sites, scattered, too_small);
  EXPECT_TRUE(too_small.exhausted());
  EXPECT_EQ(unchanged.swaps, 0U);
  EXPECT_EQ(unchanged.chosen.size(), scattered.size());
}

}  // namespace
}  // namespace coolspan
