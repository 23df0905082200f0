// SPDX-License-Identifier: GPL-3.0-or-later
// exact-1d compared with all possible answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

#include "mesh_machine.h"
#include "placement_question.h"

namespace coolspan {
namespace {

TEST(Exact1dProperty, IsTheOptimumOnALine) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    Grid grid = FlatGrid({static_cast<std::uint32_t>(1 + random() % 40)});
    if (random() % 4 == 0) grid = FlatGrid({1, grid.dims[0], 1});
    grid.nodes_per_vertex = static_cast<NodeCount>(1 + random() % 3);
    const PlacementQuestion question =
        DrawQuestion(MeshMachine(std::move(grid)), 11, random);
    ASSERT_EQ(PlacedTotal(question, "exact-1d"), LeastTotal(question)) << i;
  }
}

TEST(Exact1dProperty, IsTheOptimumOnARingOfOneNodeAVertex) {
  std::mt19937 random(2);
  for (int i = 0; i < 3000; ++i) {
    PlacementQuestion question = DrawQuestion(
        MeshMachine(TorusGrid({static_cast<std::uint32_t>(1 + random() % 20)})),
        11, random);
    question.required.clear();
    ASSERT_EQ(PlacedTotal(question, "exact-1d"), LeastTotal(question)) << i;
  }
}

TEST(Exact1dProperty, IsTheOptimumOnARingIfTheTraceSaysProved) {
  std::mt19937 random(5);
  int proved = 0;
  int not_proved = 0;
  for (int i = 0; i < 3000; ++i) {
    Grid grid = TorusGrid({static_cast<std::uint32_t>(1 + random() % 12)});
    grid.nodes_per_vertex = static_cast<NodeCount>(1 + random() % 3);
    const PlacementQuestion question =
        DrawQuestion(MeshMachine(std::move(grid)), 9, random);
    const Placed placed = Place(question, "exact-1d");
    if (placed.Says("optimum", "proved")) {
      ++proved;
      ASSERT_EQ(question.machine->topology().PairwiseTotal(placed.nodes),
                LeastTotal(question))
          << i;
    } else {
      ++not_proved;
    }
  }
  EXPECT_GT(proved, 0);
  EXPECT_GT(not_proved, 0);
}

// The minimum total of the required nodes and any window of the other free
// nodes around the ring.
std::uint64_t MinWindowTotal(const PlacementQuestion& question) {
  std::vector<NodeId> others;
  std::set_difference(question.free.begin(), question.free.end(),
                      question.required.begin(), question.required.end(),
                      std::back_inserter(others));
  std::uint64_t min_total = ~std::uint64_t{0};
  const std::size_t window = question.nodes - question.required.size();
  for (std::size_t first = 0; first <= others.size(); ++first) {
    std::vector<NodeId> nodes = question.required;
    for (std::size_t i = 0; i < window; ++i) {
      nodes.push_back(others[(first + i) % others.size()]);
    }
    min_total =
        std::min(min_total, question.machine->topology().PairwiseTotal(nodes));
  }
  return min_total;
}

TEST(Exact1dProperty, IsTheBestWindowOnARing) {
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    Grid grid = TorusGrid({static_cast<std::uint32_t>(1 + random() % 60)});
    grid.nodes_per_vertex = static_cast<NodeCount>(1 + random() % 3);
    const PlacementQuestion question =
        DrawQuestion(MeshMachine(std::move(grid)), 60, random);
    ASSERT_EQ(PlacedTotal(question, "exact-1d"), MinWindowTotal(question)) << i;
  }
}

TEST(Exact1dProperty, IsTheOptimumAlongTheRanksElsewhere) {
  std::mt19937 random(4);
  for (int i = 0; i < 1000; ++i) {
    const PlacementQuestion question =
        DrawQuestion(MeshMachine(TorusGrid({5, 4, 2})), 11, random);
    PolicyOptions options;
    options.ordering = MakeOrdering(*question.machine, "hilbert").value();
    const auto rank_distance = [&](NodeId a, NodeId b) {
      const auto rank_a = std::int64_t{options.ordering->RankOf(a)};
      const auto rank_b = std::int64_t{options.ordering->RankOf(b)};
      return static_cast<std::uint64_t>(std::abs(rank_a - rank_b));
    };
    const Placed placed = Place(question, "exact-1d", options);
    ASSERT_EQ(TotalOf(placed.nodes, rank_distance),
              LeastTotal(question, rank_distance))
        << i;
  }
}

}  // namespace
}  // namespace coolspan
