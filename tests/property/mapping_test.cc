// SPDX-License-Identifier: GPL-3.0-or-later
// Task mapping against the optimum by enumeration.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "mapping/in_order.h"
#include "mapping/table.h"
#include "mesh_machine.h"
#include "network_machines.h"

namespace coolspan {
namespace {

std::shared_ptr<const Machine> SomeMachine(std::mt19937& random) {
  switch (random() % 7) {
    case 0:
      return MeshMachine(FlatGrid({4, 5, 2}));
    case 1:
      return MeshMachine(TorusGrid({5, 5}));
    case 2:
      return MeshMachine(FlatGrid({30}));
    case 3:
      return FatTreeMachine();
    case 4:
      return DragonflyMachine();
    case 5:
      return GraphMachine();
    default:
      return HopMatrixMachine();
  }
}

// Ranks that talk to a few others, to neighbours, to all, or through a root.
std::shared_ptr<const CommPattern> SomePattern(std::uint32_t ranks,
                                               std::mt19937& random) {
  const unsigned kind = random() % 4;
  std::vector<RankVolume> volumes;
  for (TaskRank from = 0; from < ranks; ++from) {
    for (TaskRank to = 0; to < ranks; ++to) {
      const auto difference = from > to ? from - to : to - from;
      const bool talks = kind == 0   ? random() % 3 == 0
                         : kind == 1 ? difference == 1 || difference == 3
                         : kind == 2 ? true
                                     : from == 0 || to == 0 || difference == 2;
      if (talks && from != to) {
        volumes.push_back({from, to, static_cast<double>(1 + random() % 999)});
      }
    }
  }
  return CommPattern::Create(ranks, volumes).value();
}

std::vector<NodeId> SomeNodes(const Machine& machine, NodeCount count,
                              std::mt19937& random) {
  std::vector<NodeId> nodes(machine.node_count());
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  if (random() % 2 == 0) std::shuffle(nodes.begin(), nodes.end(), random);
  nodes.resize(count);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

// By depth-first search over all placements; prunes by the cost so far alone.
// known: the cost of a placement.
class Enumeration {
 public:
  Enumeration(const Topology& topology, const MappingProblem& problem,
              double known)
      : best_(known),
        topology_(topology),
        problem_(problem),
        ranks_(problem.pattern->ranks()),
        left_(problem.slots),
        bytes_(ranks_, std::vector<double>(ranks_, 0)) {
    for (TaskRank from = 0; from < ranks_; ++from) {
      const auto receivers = problem.pattern->ReceiversOf(from);
      for (std::size_t i = 0; i < receivers.size(); ++i) {
        bytes_[from][receivers[i]] += problem.pattern->BytesFrom(from)[i];
        bytes_[receivers[i]][from] += problem.pattern->BytesFrom(from)[i];
      }
    }
  }

  double Optimum() {
    Place(0);
    return best_;
  }

 private:
  void Place(double cost) {
    if (cost >= best_) return;
    const std::size_t rank = nodes_.size();
    if (rank == ranks_) {
      best_ = cost;
      return;
    }
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (left_[i] == 0) continue;
      double added = 0;
      for (std::size_t other = 0; other < rank; ++other) {
        added += bytes_[rank][other] *
                 topology_.Distance(problem_.nodes[i], nodes_[other]);
      }
      --left_[i];
      nodes_.push_back(problem_.nodes[i]);
      Place(cost + added);
      nodes_.pop_back();
      ++left_[i];
    }
  }

  double best_;
  const Topology& topology_;
  const MappingProblem& problem_;
  std::size_t ranks_;
  std::vector<std::uint32_t> left_;
  std::vector<std::vector<double>> bytes_;
  std::vector<NodeId> nodes_;
};

struct Compared {
  double optimum;
  double rcb;
  double in_order;
};

Compared Compare(std::uint32_t number, NodeCount nodes, std::uint32_t slots,
                 std::uint32_t spare) {
  std::mt19937 random(number);
  const auto machine = SomeMachine(random);
  auto problem = MakeMappingProblem(SomePattern(nodes * slots - spare, random),
                                    SomeNodes(*machine, nodes, random), slots)
                     .value();
  problem.seed = number;
  const Topology& topology = machine->topology();
  Budget budget;
  const auto cost = [&](const RankToNode& mapped) {
    return MappingCost(topology, *problem.pattern, mapped);
  };
  const double rcb =
      cost(MakeMapper("rcb").value()->Map(topology, problem, budget));
  return {Enumeration(topology, problem, rcb).Optimum(), rcb,
          cost(MapInOrder(problem))};
}

void ExpectOptimum(const Compared& costs, std::uint32_t number) {
  EXPECT_LE(costs.rcb, costs.optimum * (1 + 1e-9) + 1e-9) << number;
  EXPECT_LE(costs.rcb, costs.in_order * (1 + 1e-9)) << number;
}

RC_GTEST_PROP(MappingTest, RcbIsOptimalForUpToEightSlots, ()) {
  const auto nodes = *rc::gen::inRange<NodeCount>(1, 9);
  const auto slots = *rc::gen::inRange<std::uint32_t>(1, 8 / nodes + 1);
  const auto spare = *rc::gen::inRange<std::uint32_t>(0, nodes * slots);
  const Compared costs =
      Compare(*rc::gen::arbitrary<std::uint32_t>(), nodes, slots, spare);
  RC_ASSERT(costs.rcb <= costs.optimum * (1 + 1e-9) + 1e-9);
}

// At most 25 x 24 x 23 x 22 mappings.
RC_GTEST_PROP(MappingTest, RcbIsOptimalForFewRanksOnManyNodes, ()) {
  const auto nodes = *rc::gen::inRange<NodeCount>(11, 26);
  const auto ranks = *rc::gen::inRange<std::uint32_t>(2, 5);
  const Compared costs =
      Compare(*rc::gen::arbitrary<std::uint32_t>(), nodes, 1, nodes - ranks);
  RC_ASSERT(costs.rcb <= costs.optimum * (1 + 1e-9) + 1e-9);
}

// At most 12! / 4!^3 mappings.
RC_GTEST_PROP(MappingTest, RcbIsOptimalForManyRanksOnFewNodes, ()) {
  const auto nodes = *rc::gen::inRange<NodeCount>(2, 4);
  const auto slots = *rc::gen::inRange<std::uint32_t>(4, nodes == 2 ? 8 : 5);
  const Compared costs = Compare(*rc::gen::arbitrary<std::uint32_t>(), nodes,
                                 slots, *rc::gen::inRange<std::uint32_t>(0, 3));
  RC_ASSERT(costs.rcb <= costs.optimum * (1 + 1e-9) + 1e-9);
}

// Enumeration takes seconds, so the cases are few.
TEST(MappingEnumerationTest, RcbIsOptimalForNineSlots) {
  for (std::uint32_t number = 0; number < 60; ++number) {
    const bool three_each = number % 3 == 0;
    ExpectOptimum(Compare(number, three_each ? 3 : 9, three_each ? 3 : 1,
                          number % 5 == 0 ? 1 : 0),
                  number);
  }
}

TEST(MappingEnumerationTest, RcbIsOptimalForTenSlots) {
  for (std::uint32_t number = 0; number < 40; ++number) {
    const bool two_each = number % 3 == 0;
    ExpectOptimum(
        Compare(1000 + number, two_each ? 5 : 10, two_each ? 2 : 1, number % 4),
        number);
  }
}

// Swaps from all starts leave these seven ranks 3.3 % above the optimum.
TEST(MappingEnumerationTest, RcbIsOptimalForSevenRanksOnTenNodes) {
  Grid grid = FlatGrid({6, 5, 4});
  grid.wrap = {true, true, false};
  const auto machine = MeshMachine(std::move(grid));
  const double bytes[7][7] = {{0, 2, 50, 3, 50, 3, 50}, {2, 0, 1, 50, 2, 50, 2},
                              {50, 2, 0, 2, 50, 0, 50}, {2, 50, 0, 0, 2, 50, 1},
                              {50, 1, 50, 3, 0, 1, 50}, {3, 50, 3, 50, 1, 0, 3},
                              {50, 1, 50, 3, 50, 1, 0}};
  std::vector<RankVolume> volumes;
  for (TaskRank from = 0; from < 7; ++from) {
    for (TaskRank to = 0; to < 7; ++to) {
      if (bytes[from][to] > 0) volumes.push_back({from, to, bytes[from][to]});
    }
  }
  const auto problem =
      MakeMappingProblem(CommPattern::Create(7, volumes).value(),
                         {1, 10, 21, 34, 49, 63, 80, 85, 91, 92}, 1)
          .value();
  Budget budget;
  const RankToNode mapped =
      MakeMapper("rcb").value()->Map(machine->topology(), problem, budget);
  EXPECT_EQ(MappingCost(machine->topology(), *problem.pattern, mapped), 2370);
}

RC_GTEST_PROP(MappingTest, RcbIsNeverWorseThanInOrder, ()) {
  const auto number = *rc::gen::arbitrary<std::uint32_t>();
  std::mt19937 random(number);
  const auto machine = SomeMachine(random);
  const auto nodes = static_cast<NodeCount>(1 + random() % 24);
  const auto slots = static_cast<std::uint32_t>(1 + random() % 4);
  auto problem = MakeMappingProblem(SomePattern(nodes * slots, random),
                                    SomeNodes(*machine, nodes, random), slots)
                     .value();
  Budget budget(20'000);
  const RankToNode mapped =
      MakeMapper("rcb").value()->Map(machine->topology(), problem, budget);
  RC_ASSERT(
      MappingCost(machine->topology(), *problem.pattern, mapped) <=
      MappingCost(machine->topology(), *problem.pattern, MapInOrder(problem)) *
          (1 + 1e-9));
}

}  // namespace
}  // namespace coolspan
