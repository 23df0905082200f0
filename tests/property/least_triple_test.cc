// SPDX-License-Identifier: GPL-3.0-or-later
// LeastTriple against all triples.
#include "policy/optimal/least_triple.h"

#include <gtest/gtest.h>

#include <random>

#include "mesh_machine.h"
#include "placement_question.h"
#include "sanitized.h"

namespace coolspan {
namespace {

TEST(LeastTripleProperty, IsTheOptimum) {
  std::mt19937 random(1);
  for (int i = 0; i < Rounds(5000, 1000); ++i) {
    const auto max_extent =
        static_cast<std::uint32_t>(random() % 2 == 0 ? 8 : 60);
    Grid grid =
        FlatGrid({static_cast<std::uint32_t>(1 + random() % max_extent),
                  static_cast<std::uint32_t>(1 + random() % max_extent)});
    grid.nodes_per_vertex =
        static_cast<NodeCount>(random() % 3 == 0 ? 1 + random() % 4 : 1);
    PlacementQuestion question =
        DrawQuestion(MeshMachine(std::move(grid)), 14, random);
    if (question.free.size() < 3) continue;
    question.nodes = 3;
    if (question.required.size() > 3) question.required.resize(3);
    const Placed placed = Place(question, "exact");
    ASSERT_EQ(question.machine->topology().PairwiseTotal(placed.nodes),
              LeastTotal(question))
        << i;
    ASSERT_TRUE(placed.Says("proved", "yes")) << i;
  }
}

// Enough points for several levels of recursion.
TEST(LeastTripleProperty, IsTheOptimumForManyPoints) {
  std::mt19937 random(2);
  for (int i = 0; i < 40; ++i) {
    const auto side = static_cast<std::uint32_t>(20 + random() % 200);
    const auto free = static_cast<NodeCount>(20 + random() % 100);
    PlacementQuestion question =
        DrawQuestion(MeshMachine(FlatGrid({side, side / 2})), free, random);
    if (question.free.size() < 3) continue;
    question.nodes = 3;
    question.required.clear();
    const Topology& topology = question.machine->topology();
    std::uint64_t optimum = ~std::uint64_t{0};
    for (std::size_t a = 2; a < question.free.size(); ++a) {
      for (std::size_t b = 1; b < a; ++b) {
        for (std::size_t c = 0; c < b; ++c) {
          const std::vector<NodeId> nodes = {question.free[a], question.free[b],
                                             question.free[c]};
          optimum = std::min(optimum, topology.PairwiseTotal(nodes));
        }
      }
    }
    ASSERT_EQ(PlacedTotal(question, "exact"), optimum) << i;
  }
}

}  // namespace
}  // namespace coolspan
