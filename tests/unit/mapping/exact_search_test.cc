// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/exact_search.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "mapping/rank_swaps.h"
#include "mesh_machine.h"
#include "network_machines.h"

namespace coolspan {
namespace {

std::vector<NodeId> FirstNodes(NodeCount count) {
  std::vector<NodeId> nodes(count);
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  return nodes;
}

// A ring of `ranks`; the other slots stay empty.
RankGraph Ring(std::uint32_t ranks, std::uint32_t slots) {
  std::vector<RankVolume> edges;
  for (TaskRank rank = 0; rank < ranks; ++rank) {
    edges.push_back({rank, (rank + 1) % ranks, 1.0 + rank});
  }
  return RankGraph(*CommPattern::Create(ranks, edges).value(), slots);
}

double Mappings(std::uint32_t ranks, NodeCount nodes, std::uint32_t per_node) {
  const auto machine = MeshMachine(FlatGrid({nodes}));
  const Sites sites(machine->topology(), FirstNodes(nodes));
  return CountMappings(Ring(ranks, nodes * per_node), sites,
                       std::vector<std::uint32_t>(nodes, per_node));
}

TEST(ExactSearchTest, CountsMappingsOfRanksThatCommunicate) {
  EXPECT_EQ(Mappings(10, 10, 1), 3'628'800);
  EXPECT_EQ(Mappings(11, 11, 1), kMaxMappings);
  EXPECT_EQ(Mappings(3, 10, 1), 10 * 9 * 8);
  EXPECT_EQ(Mappings(3, 64, 1), 64 * 63 * 62);
  EXPECT_EQ(Mappings(12, 3, 4), 34'650);  // 12! / 4!^3
  EXPECT_EQ(Mappings(3, 2, 2), 6);        // 2^3, less all on one node
  EXPECT_EQ(Mappings(40, 1, 40), 1);
  EXPECT_GT(Mappings(12, 12, 1), kMaxMappings);
  EXPECT_GT(Mappings(512, 512, 1), kMaxMappings);
}

TEST(ExactSearchTest, NodesOfOneVertexAreAlike) {
  const auto machine = FatTreeMachine();
  // Leaf switches of 1, 2, 3 and 4 nodes: 10! / (2! 3! 4!).
  const Sites sites(machine->topology(), FirstNodes(10));
  EXPECT_EQ(
      CountMappings(Ring(10, 10), sites, std::vector<std::uint32_t>(10, 1)),
      12'600);
}

TEST(ExactSearchTest, FewRanksFindTheBestOfManySlots) {
  const auto machine = MeshMachine(FlatGrid({100}));
  const Sites sites(machine->topology(), FirstNodes(100));
  const RankGraph graph = Ring(3, 100);
  std::vector<SiteId> places(100);
  // Ranks 0, 1 and 2 are 33 hops apart.
  for (std::uint32_t rank = 0; rank < 100; ++rank) {
    places[rank] = rank * 33 % 100;
  }
  Budget budget;
  const std::vector<std::uint32_t> slots(100, 1);
  EXPECT_TRUE(ImproveExactly(graph, sites, slots, places, budget));
  // The two ranks with least traffic, 1, are two hops apart.
  EXPECT_EQ(CostOfPlaces(graph, sites, places), 1 * 2 + 2 + 3);
  std::vector<bool> used(100, false);
  for (const SiteId place : places) {
    EXPECT_FALSE(used[place]);
    used[place] = true;
  }
}

// All pairs, with unlike bytes: ten ranks take more than 20,000 costs.
TEST(ExactSearchTest, EndsWithHalfOfTheBudget) {
  const auto machine = MeshMachine(FlatGrid({10}));
  const Sites sites(machine->topology(), FirstNodes(10));
  std::vector<RankVolume> volumes;
  for (TaskRank from = 0; from < 10; ++from) {
    for (TaskRank to = from + 1; to < 10; ++to) {
      volumes.push_back({from, to, 1.0 + (from * 7 + to * 3) % 11});
    }
  }
  const RankGraph graph(*CommPattern::Create(10, volumes).value(), 10);
  std::vector<SiteId> in_order(10);
  std::iota(in_order.begin(), in_order.end(), SiteId{0});
  const std::vector<std::uint32_t> slots(10, 1);
  const auto is_optimal = [&](Budget& budget) {
    std::vector<SiteId> places = in_order;
    return ImproveExactly(graph, sites, slots, places, budget);
  };
  Budget unlimited;
  EXPECT_TRUE(is_optimal(unlimited));
  Budget small(40'000);
  EXPECT_FALSE(is_optimal(small));
  EXPECT_FALSE(small.exhausted());
  EXPECT_TRUE(small.Spend(20'000));
  EXPECT_FALSE(small.Spend(20'000));
  Budget over;
  over.StopWhen([] { return true; });
  EXPECT_FALSE(is_optimal(over));
}

}  // namespace
}  // namespace coolspan
