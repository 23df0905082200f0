// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/mapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "mapping/generated_patterns.h"
#include "mapping/table.h"
#include "mesh_machine.h"

namespace coolspan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<const CommPattern> Pattern(const std::string& name,
                                           std::uint32_t ranks) {
  return MakeGeneratedPattern(*FindGeneratedPattern(name), ranks, 1).value();
}

std::vector<NodeId> FirstNodes(NodeCount count) {
  std::vector<NodeId> nodes(count);
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  return nodes;
}

TEST(MappingProblemTest, SlotsComeOutEven) {
  const auto slots = [](std::uint32_t ranks, NodeCount nodes,
                        std::optional<std::uint32_t> per_node = {}) {
    return MakeMappingProblem(Pattern("ring", ranks), FirstNodes(nodes),
                              per_node)
        .value()
        .slots;
  };
  EXPECT_THAT(slots(6, 3), ElementsAre(2, 2, 2));
  EXPECT_THAT(slots(2, 3), ElementsAre(1, 1, 1));
  EXPECT_THAT(slots(5, 3, 2), ElementsAre(2, 2, 2));
  EXPECT_THAT(slots(2, 2, 100), ElementsAre(2, 2));
}

TEST(MappingProblemTest, MoreRanksThanSlotsAreAnError) {
  const auto error = [](std::optional<std::uint32_t> per_node) {
    return std::string(
        MakeMappingProblem(Pattern("ring", 17), FirstNodes(16), per_node)
            .status()
            .message());
  };
  EXPECT_EQ(error(std::nullopt),
            "17 ranks in the pattern, 16 slots on 16 nodes (expected at least "
            "2 ranks per node)");
  EXPECT_THAT(error(1), HasSubstr("16 slots on 16 nodes"));
  EXPECT_FALSE(MakeMappingProblem(Pattern("ring", 1), {}, 1).ok());
  EXPECT_THAT(std::string(MakeMappingProblem(Pattern("ring", 1U << 20),
                                             FirstNodes(1024), 1U << 31)
                              .status()
                              .message()),
              HasSubstr("(expected at most 16777216 in total)"));
}

TEST(MappingCostTest, IsVolumeTimesHopsOverOrderedPairs) {
  const auto machine = MeshMachine(FlatGrid({4}));
  const auto pattern =
      CommPattern::Create(3, {{0, 1, 10}, {1, 0, 1}, {2, 0, 5}}).value();
  const RankToNode nodes = {0, 2, 3};
  EXPECT_EQ(MappingCost(machine->topology(), *pattern, nodes),
            10 * 2 + 1 * 2 + 5 * 3);
}

TEST(MapperTableTest, NamesUnknownMethods) {
  EXPECT_THAT(std::string(MakeMapper("rbc").status().message()),
              HasSubstr("did you mean rcb?"));
  EXPECT_THAT(std::string(MakeMapper("rcb:swap=0").status().message()),
              HasSubstr("swap"));
  EXPECT_FALSE(MakeMapper("rcb:swaps=2").ok());
  EXPECT_TRUE(MakeMapper("rcb:swaps=0").ok());
}

// A ring of 64 ranks that were numbered at random fits on a torus of 64 nodes
// with all partners next to each other; half of the way is easy.
TEST(RcbTest, FindsTheStructureOfShuffledRanks) {
  const auto machine = MeshMachine(TorusGrid({8, 8}));
  std::vector<RankVolume> volumes;
  for (TaskRank i = 0; i < 64; ++i) {
    volumes.push_back({i * 37 % 64, (i + 1) * 37 % 64, 1});
  }
  const auto problem =
      MakeMappingProblem(CommPattern::Create(64, volumes).value(),
                         FirstNodes(64), std::nullopt)
          .value();
  Budget budget;
  const RankToNode mapped =
      MakeMapper("rcb").value()->Map(machine->topology(), problem, budget);
  EXPECT_LT(MappingCost(machine->topology(), *problem.pattern, mapped), 80);
}

TEST(RcbTest, PutsPartnersOnOneNode) {
  const auto machine = MeshMachine(FlatGrid({4, 4}));
  std::vector<RankVolume> volumes;
  for (TaskRank i = 0; i < 16; ++i) volumes.push_back({i, (i + 16) % 32, 1});
  const auto problem =
      MakeMappingProblem(CommPattern::Create(32, volumes).value(),
                         FirstNodes(16), std::nullopt)
          .value();
  for (const char* const method : {"rcb", "rcb:swaps=0", "greedy"}) {
    Budget budget;
    const RankToNode mapped =
        MakeMapper(method).value()->Map(machine->topology(), problem, budget);
    EXPECT_EQ(MappingCost(machine->topology(), *problem.pattern, mapped), 0)
        << method;
  }
}

}  // namespace
}  // namespace coolspan
