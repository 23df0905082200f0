// SPDX-License-Identifier: GPL-3.0-or-later
// The contract of mapping/mapper.h, tested for every mapper of the table, with
// and without its options, on machines of all kinds.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "mapping/generated_patterns.h"
#include "mapping/mapper.h"
#include "mapping/table.h"
#include "mesh_machine.h"
#include "network_machines.h"

namespace coolspan {
namespace {

struct MappingSite {
  std::string name;
  std::function<std::shared_ptr<const Machine>()> make;
};

std::vector<MappingSite> MappingSites() {
  const auto mesh = [](Grid grid) {
    return [grid = std::move(grid)] { return MeshMachine(grid); };
  };
  Grid shared = TorusGrid({8, 8});
  shared.nodes_per_vertex = 4;
  return {
      {"Line", mesh(FlatGrid({37}))},    {"OneNode", mesh(FlatGrid({1}))},
      {"Mesh", mesh(FlatGrid({16, 8}))}, {"Torus", mesh(TorusGrid({5, 4, 3}))},
      {"FourToAVertex", mesh(shared)},   {"Uneven", mesh(UnevenGrid())},
      {"FatTree", FatTreeMachine},       {"Blocks", BlocksMachine},
      {"Dragonfly", DragonflyMachine},   {"Graph", GraphMachine},
      {"HopMatrix", HopMatrixMachine},
  };
}

// Each mapper, and each with each option at its bounds.
std::vector<std::string> MapperSpecs() {
  std::vector<std::string> specs;
  for (const MapperEntry& entry : MapperTable()) {
    specs.emplace_back(entry.name);
    for (const SpecOption& option : entry.options) {
      for (const double value : {option.min, option.max}) {
        specs.push_back(std::string(entry.name) + ":" +
                        std::string(option.name) + "=" +
                        std::to_string(static_cast<int>(value)));
      }
    }
  }
  return specs;
}

class MapperContractTest
    : public testing::TestWithParam<std::tuple<std::string, MappingSite>> {
 protected:
  MapperContractTest()
      : mapper_(MakeMapper(std::get<0>(GetParam())).value()),
        machine_(std::get<1>(GetParam()).make()) {}

  std::vector<NodeId> RandomNodes(std::mt19937& random, NodeCount most) const {
    std::vector<NodeId> nodes(machine_->node_count());
    std::iota(nodes.begin(), nodes.end(), NodeId{0});
    std::shuffle(nodes.begin(), nodes.end(), random);
    nodes.resize(1 + random() % std::min<std::size_t>(most, nodes.size()));
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  // Slots differ from node to node; some stay empty.
  MappingProblem RandomProblem(std::uint32_t number) const {
    std::mt19937 random(number);
    MappingProblem problem;
    problem.nodes = RandomNodes(random, 40);
    std::uint32_t slots = 0;
    for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
      problem.slots.push_back(1 + random() % 4);
      slots += problem.slots.back();
    }
    const auto ranks = static_cast<std::uint32_t>(1 + random() % slots);
    std::vector<RankVolume> volumes;
    for (TaskRank from = 0; from < ranks; ++from) {
      for (TaskRank to = 0; to < ranks; ++to) {
        if (from != to && random() % 5 == 0) {
          volumes.push_back({from, to, static_cast<double>(random() % 1000)});
        }
      }
    }
    problem.pattern = CommPattern::Create(ranks, volumes).value();
    problem.seed = number;
    return problem;
  }

  RankToNode Map(const MappingProblem& problem) const {
    Budget budget(kWork);
    return mapper_->Map(machine_->topology(), problem, budget);
  }

  static void ExpectSlotsSuffice(const MappingProblem& problem,
                                 const RankToNode& mapped) {
    ASSERT_EQ(mapped.size(), problem.pattern->ranks());
    std::map<NodeId, std::uint32_t> used;
    for (const NodeId node : mapped) ++used[node];
    for (const auto& [node, ranks] : used) {
      const auto place =
          std::find(problem.nodes.begin(), problem.nodes.end(), node);
      ASSERT_NE(place, problem.nodes.end());
      EXPECT_LE(ranks, problem.slots[static_cast<std::size_t>(
                           place - problem.nodes.begin())]);
    }
  }

  static constexpr std::uint64_t kWork = 300'000;
  std::unique_ptr<Mapper> mapper_;
  std::shared_ptr<const Machine> machine_;
};

TEST_P(MapperContractTest, UsesEachSlotAtMostOnce) {
  for (std::uint32_t number = 0; number < 20; ++number) {
    const MappingProblem problem = RandomProblem(number);
    ExpectSlotsSuffice(problem, Map(problem));
  }
}

TEST_P(MapperContractTest, GivesTheSameAnswerAgain) {
  for (std::uint32_t number = 0; number < 5; ++number) {
    const MappingProblem problem = RandomProblem(number);
    const RankToNode first = Map(problem);
    Map(RandomProblem(number + 100));
    EXPECT_EQ(Map(problem), first);
  }
}

TEST_P(MapperContractTest, ThreadsGetTheSameAnswer) {
  const MappingProblem problem = RandomProblem(7);
  const RankToNode expected = Map(problem);
  std::vector<RankToNode> answers(4);
  std::vector<std::thread> threads;
  for (RankToNode& answer : answers) {
    threads.emplace_back([&] { answer = Map(problem); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const RankToNode& answer : answers) EXPECT_EQ(answer, expected);
}

TEST_P(MapperContractTest, AnswersWithoutBudget) {
  const MappingProblem problem = RandomProblem(3);
  Budget none(0);
  ExpectSlotsSuffice(problem,
                     mapper_->Map(machine_->topology(), problem, none));
}

TEST_P(MapperContractTest, TakesRanksWithoutTraffic) {
  MappingProblem problem = RandomProblem(11);
  problem.pattern = CommPattern::Create(problem.pattern->ranks(), {}).value();
  ExpectSlotsSuffice(problem, Map(problem));
}

TEST_P(MapperContractTest, TakesAllToAllOfAllNodes) {
  std::vector<NodeId> all(machine_->node_count());
  std::iota(all.begin(), all.end(), NodeId{0});
  const auto count = static_cast<std::uint32_t>(all.size());
  const auto problem =
      MakeMappingProblem(
          MakeGeneratedPattern(*FindGeneratedPattern("all-to-all"), count, 8)
              .value(),
          all, std::nullopt)
          .value();
  RankToNode mapped = Map(problem);
  std::sort(mapped.begin(), mapped.end());
  EXPECT_EQ(mapped, all);
}

INSTANTIATE_TEST_SUITE_P(Table, MapperContractTest,
                         testing::Combine(testing::ValuesIn(MapperSpecs()),
                                          testing::ValuesIn(MappingSites())),
                         [](const auto& tested) {
                           std::string name = std::get<0>(tested.param) +
                                              std::get<1>(tested.param).name;
                           std::erase_if(name, [](char c) {
                             return std::isalnum(c) == 0;
                           });
                           return name;
                         });

TEST(InOrderTest, FillsTheSlotsOfNodesByTheirIds) {
  const auto machine = MeshMachine(FlatGrid({4, 4}));
  MappingProblem problem;
  problem.pattern = CommPattern::Create(5, {{0, 4, 1}}).value();
  problem.nodes = {2, 3, 9};
  problem.slots = {2, 1, 3};
  Budget budget;
  EXPECT_EQ(
      MakeMapper("in-order").value()->Map(machine->topology(), problem, budget),
      (RankToNode{2, 2, 3, 9, 9}));
}

}  // namespace
}  // namespace coolspan
