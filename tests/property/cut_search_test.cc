// SPDX-License-Identifier: GPL-3.0-or-later
// Branch and bound over cuts against exhaustive enumeration. It starts from a
// bad answer, so that a bound that is too high is detected.
#include "policy/optimal/cut_search.h"

#include <gtest/gtest.h>

#include <random>

#include "mesh_machine.h"
#include "property/draw_grid.h"
#include "property/vertex_question.h"

namespace coolspan {
namespace {

Grid SmallGrid(std::mt19937& random) { return DrawGrid({40, 9, 5, 3}, random); }

TEST(CutSearchProperty, ProvesTheOptimum) {
  std::mt19937 random(1);
  for (int i = 0; i < 4000; ++i) {
    const PlacementQuestion question =
        DrawQuestion(MeshMachine(SmallGrid(random)), 11, random);
    const VertexQuestion vertices(question);
    const VertexSet start = vertices.FirstNodes();
    Budget budget;
    const Proof proof = SearchCuts(vertices.topology(), vertices.pool(),
                                   question.nodes, start, budget);
    ASSERT_EQ(proof.best.total, LeastTotal(question)) << i;
    ASSERT_TRUE(proof.proved()) << i;
    vertices.ExpectValid(proof.best);
    ASSERT_FALSE(HasFailure()) << i;
  }
}

TEST(CutSearchProperty, TheLowerBoundHoldsForAnyBudget) {
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) {
    const PlacementQuestion question =
        DrawQuestion(MeshMachine(SmallGrid(random)), 12, random);
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
