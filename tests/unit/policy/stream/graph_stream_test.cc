// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/graph_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mesh_machine.h"
#include "network_machines.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;

// Leaf switches with eight nodes each, four below each of two switches.
std::shared_ptr<const Machine> LeafMachine() {
  SwitchTree tree;
  tree.parent = {8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10};
  tree.nodes_at = {8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0};
  return MachineOn(MakeFatTree(std::move(tree)).value());
}

// A search on a network, and the score by its definition.
class Case {
 public:
  explicit Case(std::shared_ptr<const Machine> machine)
      : machine_(std::move(machine)),
        free_(machine_->node_count()),
        required_(machine_->node_count()) {
    costs_.perimeter_weight = 0.25;
  }

  const Topology& topology() const { return machine_->topology(); }
  void SetWeight(double lambda) { costs_.perimeter_weight = lambda; }
  void SetPhi(std::vector<std::int32_t> phi) {
    costs_.busy_phi = std::move(phi);
  }
  void Free(NodeId node) { free_.Insert(node); }
  void FreeAll() { free_ = NodeSet::All(machine_->node_count()); }
  // The first `count` nodes of the vertex.
  void FreeAt(VertexId vertex, NodeCount count) {
    const Topology::NodeRange range = topology().NodesAt(vertex);
    for (NodeId i = 0; i < count; ++i) free_.Insert(range.first + i);
  }
  void Require(NodeId node) {
    free_.Insert(node);
    required_.Insert(node);
  }
  const NodeSet& free() const { return free_; }
  const NodeSet& required() const { return required_; }

  StreamFound Search(NodeCount nodes, Budget budget = Budget()) {
    const Choice choice{free_, required_, required_.Count(), nodes, 0};
    const FreeSites sites(topology(), choice);
    StreamFound found = SearchGraphForStream(topology(), Neighbours(topology()),
                                             sites, costs_, budget);
    chosen_ = NodesOf(topology(), choice, found.chosen);
    return found;
  }
  // Of the last search: nodes with the required ones, ascending.
  std::vector<NodeId> chosen() const {
    std::vector<NodeId> nodes = chosen_;
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }
  // The number of nodes chosen at each vertex with any.
  std::vector<std::pair<VertexId, NodeCount>> ByVertex() const {
    std::vector<std::pair<VertexId, NodeCount>> counts;
    for (const NodeId node : chosen()) {
      const VertexId vertex = topology().VertexOf(node);
      if (counts.empty() || counts.back().first != vertex) {
        counts.emplace_back(vertex, 0);
      }
      ++counts.back().second;
    }
    return counts;
  }

  // The score of StreamWeights, pair by pair.
  double Defined(const std::vector<NodeId>& nodes) const {
    const NodeSet set(machine_->node_count(), nodes);
    const Neighbours neighbours(topology());
    double perimeter = 0;
    for (const NodeId u : nodes) {
      const VertexId at = topology().VertexOf(u);
      for (VertexId v = 0; v < topology().vertex_count(); ++v) {
        const double weight = PairWeight(neighbours, at, v);
        if (weight == 0) continue;
        perimeter += weight * (FreeOutside(set, v) + BusyPhi(v));
      }
    }
    const double n = static_cast<double>(nodes.size());
    const double hops =
        n > 1 ? 2 * static_cast<double>(topology().PairwiseTotal(nodes)) /
                    (n * (n - 1))
              : 0;
    return hops + costs_.perimeter_weight * perimeter;
  }

 private:
  static double PairWeight(const Neighbours& neighbours, VertexId a,
                           VertexId b) {
    double weight = a == b ? neighbours.own_weight(a) : 0;
    const auto beside = neighbours.Beside(a);
    if (std::find(beside.begin(), beside.end(), b) != beside.end()) {
      weight += neighbours.beside_weight();
    }
    const auto switches = neighbours.Switches(b);
    for (const std::uint32_t s : neighbours.Switches(a)) {
      if (std::find(switches.begin(), switches.end(), s) != switches.end()) {
        weight += neighbours.switch_weight(s);
      }
    }
    return weight;
  }
  double FreeOutside(const NodeSet& set, VertexId vertex) const {
    const Topology::NodeRange range = topology().NodesAt(vertex);
    double count = 0;
    for (NodeId i = range.first; i < range.first + range.count; ++i) {
      count += free_.Contains(i) && !set.Contains(i) ? 1 : 0;
    }
    return count;
  }
  double BusyPhi(VertexId vertex) const {
    return costs_.busy_phi.empty()
               ? 0
               : static_cast<double>(costs_.busy_phi[vertex]) / kPhiUnit;
  }

  std::shared_ptr<const Machine> machine_;
  NodeSet free_;
  NodeSet required_;
  StreamCosts costs_;
  std::vector<NodeId> chosen_;
};

struct Network {
  const char* name;
  std::shared_ptr<const Machine> (*make)();
};
constexpr Network kNetworks[] = {
    {"fat_tree", FatTreeMachine},     {"leaves", LeafMachine},
    {"dragonfly", DragonflyMachine},  {"graph", GraphMachine},
    {"hop_matrix", HopMatrixMachine},
};

class GraphStreamTest : public ::testing::TestWithParam<Network> {
 protected:
  // Random free and required nodes, busy neighbours and weight; at least
  // `wanted` more nodes are free.
  static Case RandomCase(const std::shared_ptr<const Machine>& machine,
                         std::mt19937& random, bool requires_some) {
    Case at(machine);
    const NodeCount nodes = machine->node_count();
    const auto busy_percent = random() % 80;
    std::vector<std::int32_t> phi(machine->topology().vertex_count(), 0);
    for (NodeId node = 0; node < nodes; ++node) {
      if (random() % 100 >= busy_percent) {
        at.Free(node);
        if (requires_some && random() % 20 == 0) at.Require(node);
      } else {
        phi[machine->topology().VertexOf(node)] +=
            static_cast<std::int32_t>(random() % 200);
      }
    }
    if (random() % 4 != 0) at.SetPhi(std::move(phi));
    at.SetWeight(static_cast<double>(random() % 5) * 0.125);
    return at;
  }
};

TEST_P(GraphStreamTest, ReportsTheScoreOfItsChoice) {
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    Case at = RandomCase(GetParam().make(), random, i % 2 == 1);
    const NodeCount fixed = at.required().Count();
    const NodeCount free = at.free().Count() - fixed;
    if (free < 2) continue;
    const NodeCount wanted = 1 + static_cast<NodeCount>(random() % (free - 1));
    const StreamFound found = at.Search(fixed + wanted);
    const std::vector<NodeId> chosen = at.chosen();
    ASSERT_EQ(chosen.size(), fixed + wanted);
    ASSERT_EQ(std::adjacent_find(chosen.begin(), chosen.end()), chosen.end());
    for (const NodeId node : chosen) ASSERT_TRUE(at.free().Contains(node));
    for (const NodeId node : at.required().Members()) {
      ASSERT_TRUE(std::binary_search(chosen.begin(), chosen.end(), node));
    }
    ASSERT_NEAR(found.score, at.Defined(chosen), 1e-9 * (1 + found.score)) << i;
    ASSERT_EQ(found.scored, found.centres);
  }
}

TEST_P(GraphStreamTest, WithoutAPerimeterTheScoreIsTheMeanDistance) {
  std::mt19937 random(3);
  for (int i = 0; i < 10; ++i) {
    Case at = RandomCase(GetParam().make(), random, false);
    at.SetWeight(0);
    if (at.free().Count() < 7) continue;
    const StreamFound found = at.Search(6);
    ASSERT_NEAR(
        found.score,
        static_cast<double>(at.topology().PairwiseTotal(at.chosen())) / 15,
        1e-12);
  }
}

TEST_P(GraphStreamTest, ABudgetEndsTheSearchEarly) {
  for (const std::uint64_t work : {0, 20, 50, 200, 1'000, 20'000}) {
    Case at(GetParam().make());
    at.FreeAll();
    const StreamFound found = at.Search(11, Budget(work));
    EXPECT_EQ(at.chosen().size(), 11U) << work;
    if (found.scored > 0) {
      EXPECT_NEAR(found.score, at.Defined(at.chosen()), 1e-9) << work;
    } else {
      EXPECT_TRUE(std::isinf(found.score)) << "the nearest nodes, not scored";
    }
    if (work == 0) {
      EXPECT_EQ(found.scored, 0U);
    }
    if (work == 20'000) {
      EXPECT_GE(found.scored, 1U);
    }
  }
  Case late(GetParam().make());
  late.FreeAll();
  late.Search(11, Budget(Budget::kUnlimited, [] { return 1.0; }));
  EXPECT_EQ(late.chosen().size(), 11U);
}

TEST(GraphStreamBudgetTest, RequiredNodesAskTheBudget) {
  constexpr NodeId kRequired = 200;
  Case at(MeshMachine(FlatGrid({16, 16})));
  for (NodeId node = 0; node < kRequired; ++node) at.Require(node);
  for (NodeId node = kRequired; node < kRequired + 3; ++node) at.Free(node);
  std::uint32_t reads = 0;
  at.Search(kRequired + 1, Budget(Budget::kUnlimited, [&reads] {
              ++reads;
              return 0.0;
            }));
  EXPECT_GE(reads, kRequired);
  at.Search(kRequired + 1, Budget(Budget::kUnlimited, [] { return 1.0; }));
  EXPECT_EQ(at.chosen().size(), kRequired + 1);
}

TEST_P(GraphStreamTest, MoreBudgetIsNotWorse) {
  double last = std::numeric_limits<double>::infinity();
  for (std::uint64_t work = 0; work < 60'000; work = work * 2 + 50) {
    Case at(GetParam().make());
    at.FreeAll();
    const double score = at.Search(7, Budget(work)).score;
    if (work > 4'000) {
      EXPECT_LE(score, last + 1e-12) << work;
    }
    last = score;
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, GraphStreamTest,
                         ::testing::ValuesIn(kNetworks),
                         [](const auto& network) {
                           return std::string(network.param.name);
                         });

// By hand and by all subsets, on networks where the search finds the best.
TEST(GraphStreamTreeTest, FindsTheBestSetOfATinyTree) {
  SwitchTree tree;
  tree.parent = {3, 3, 3, 3};
  tree.nodes_at = {4, 3, 4, 0};
  const auto machine = MachineOn(MakeFatTree(std::move(tree)).value());
  std::mt19937 random(5);
  for (int i = 0; i < 100; ++i) {
    Case at(machine);
    for (NodeId node = 0; node < 11; ++node) {
      if (random() % 4 != 0) at.Free(node);
    }
    at.SetWeight(static_cast<double>(random() % 4) * 0.1);
    const std::vector<NodeId> free = at.free().Members();
    if (free.size() < 3) continue;
    const auto wanted =
        static_cast<NodeCount>(1 + random() % (free.size() - 1));
    double best = std::numeric_limits<double>::infinity();
    for (std::uint32_t subset = 0; subset < 1U << free.size(); ++subset) {
      std::vector<NodeId> nodes;
      for (std::size_t k = 0; k < free.size(); ++k) {
        if ((subset >> k & 1U) != 0) nodes.push_back(free[k]);
      }
      if (nodes.size() == wanted) best = std::min(best, at.Defined(nodes));
    }
    const StreamFound found = at.Search(wanted);
    ASSERT_GE(found.score, best - 1e-9);
    ASSERT_LE(found.score, best * 1.1 + 1e-9) << i << " wanted " << wanted;
  }
}

class LeafTest : public ::testing::Test {
 protected:
  // Free nodes at the eight leaf switches.
  static Case With(const std::vector<NodeCount>& free) {
    Case at(LeafMachine());
    for (VertexId leaf = 0; leaf < free.size(); ++leaf) {
      at.FreeAt(leaf, free[leaf]);
    }
    return at;
  }
  static std::vector<std::pair<VertexId, NodeCount>> Taken(
      const std::vector<NodeCount>& free, NodeCount nodes) {
    Case at = With(free);
    at.Search(nodes);
    return at.ByVertex();
  }
};

using At = std::pair<VertexId, NodeCount>;

TEST_F(LeafTest, TakesTheSwitchWithTheFewestFreeNodesThatFits) {
  const std::vector<NodeCount> free = {8, 5, 3, 6, 0, 0, 0, 0};
  EXPECT_THAT(Taken(free, 2), ElementsAre(At{2, 2}));
  EXPECT_THAT(Taken(free, 3), ElementsAre(At{2, 3}));
  EXPECT_THAT(Taken(free, 4), ElementsAre(At{1, 4}));
  EXPECT_THAT(Taken(free, 5), ElementsAre(At{1, 5}));
  EXPECT_THAT(Taken(free, 6), ElementsAre(At{3, 6}));
  EXPECT_THAT(Taken(free, 7), ElementsAre(At{0, 7}));
}

TEST_F(LeafTest, TakesTheFullerGroupOfSwitches) {
  EXPECT_THAT(Taken({8, 8, 8, 8, 8, 8, 0, 0}, 8), ElementsAre(At{4, 8}));
  EXPECT_THAT(Taken({8, 8, 8, 8, 8, 8, 0, 0}, 16),
              ElementsAre(At{4, 8}, At{5, 8}));
}

TEST_F(LeafTest, TakesTheBiggestSwitchesFirstIfItSpansSeveral) {
  EXPECT_THAT(Taken({8, 2, 8, 2, 2, 2, 2, 2}, 16),
              ElementsAre(At{0, 8}, At{2, 8}));
  EXPECT_THAT(Taken({8, 2, 8, 4, 0, 0, 0, 0}, 12),
              ElementsAre(At{0, 8}, At{3, 4}));
}

TEST_F(LeafTest, StaysAtTheRequiredNodes) {
  Case at = With({8, 3, 8, 8, 8, 8, 8, 8});
  at.Require(5 * 8 + 2);
  at.Search(4);
  EXPECT_THAT(at.ByVertex(), ElementsAre(At{5, 4}));
}

TEST_F(LeafTest, LeavesNeighboursThatEndAtAnotherTime) {
  Case at = With({8, 8, 8, 8, 4, 8, 8, 8});
  at.Search(4);
  EXPECT_THAT(at.ByVertex(), ElementsAre(At{4, 4}));
  std::vector<std::int32_t> phi(11, 0);
  phi[4] = 4 * 4 * kPhiUnit;
  at.SetPhi(phi);
  at.Search(4);
  EXPECT_THAT(at.ByVertex().size(), 1U);
  EXPECT_NE(at.ByVertex()[0].first, 4U);
}

TEST(GraphStreamDragonflyTest, TakesAGroup) {
  Case at(DragonflyMachine());
  at.FreeAll();
  for (const NodeCount nodes : {3, 6, 12}) {
    at.Search(nodes);
    const auto used = at.ByVertex();
    EXPECT_EQ(used.size(), nodes / 3) << "whole routers";
    for (const auto& [router, count] : used) {
      EXPECT_EQ(router / 4, used.front().first / 4) << "one group";
      EXPECT_EQ(count, 3U);
    }
  }
}

}  // namespace
}  // namespace coolspan
