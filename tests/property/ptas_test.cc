// SPDX-License-Identifier: GPL-3.0-or-later
// The approximation scheme against the optimum.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "mesh_machine.h"
#include "policy/optimal/ptas_search.h"
#include "property/vertex_question.h"

namespace coolspan {
namespace {

Grid DrawMesh(std::size_t dimensions, std::mt19937& random) {
  std::vector<std::uint32_t> dims;
  const std::uint32_t max_extent = dimensions == 1   ? 40
                                   : dimensions == 2 ? 12
                                                     : 6;
  for (std::size_t d = 0; d < dimensions; ++d) {
    dims.push_back(static_cast<std::uint32_t>(1 + random() % max_extent));
  }
  ++dims[0];
  Grid grid = FlatGrid(std::move(dims));
  if (random() % 3 == 0) {
    grid.nodes_per_vertex = static_cast<NodeCount>(1 + random() % 3);
  }
  return grid;
}

// The total of the enumeration alone, without a start.
std::optional<std::uint64_t> EnumeratedTotal(const PlacementQuestion& question,
                                             NodeCount strips) {
  const VertexQuestion vertices(question);
  Budget budget;
  const PtasAnswer answer =
      SearchPtas(vertices.topology(), vertices.pool(), question.nodes, strips,
                 1U << 30, budget);
  EXPECT_TRUE(answer.finished);
  if (!answer.best) return std::nullopt;
  vertices.ExpectValid(*answer.best);
  return answer.best->total;
}

// The highest ratio of the total to the optimum.
double CompareWithOptimum(std::size_t dimensions, NodeCount strips,
                          NodeCount max_free, int cases, std::uint32_t seed) {
  std::mt19937 random(seed);
  double worst = 1;
  for (int i = 0; i < cases; ++i) {
    PlacementQuestion question = DrawQuestion(
        MeshMachine(DrawMesh(dimensions, random)), max_free, random);
    if (i % 4 != 0) question.required.clear();
    const std::uint64_t optimum = LeastTotal(question);
    const auto total =
        EnumeratedTotal(question, std::min(strips, question.nodes));
    if (!total.has_value() || *total < optimum) {
      ADD_FAILURE() << i;
      return 0;
    }
    if (optimum > 0) worst = std::max(worst, double(*total) / double(optimum));
    EXPECT_LE(static_cast<double>(*total),
              (1 + 1.0 / strips) * static_cast<double>(optimum))
        << i << " " << question.nodes << " of " << question.free.size();
  }
  return worst;
}

// With one strip the gradient is 0; from two strips the scheme is exact on a
// line.
TEST(PtasProperty, OneDimension) {
  CompareWithOptimum(1, 1, 12, 1000, 1);
  for (const NodeCount strips : {2, 3, 4}) {
    EXPECT_EQ(CompareWithOptimum(1, strips, 12, 1000, strips), 1);
  }
}

TEST(PtasProperty, TwoDimensions) {
  CompareWithOptimum(2, 1, 12, 2000, 1);
  CompareWithOptimum(2, 2, 13, 3000, 2);
  CompareWithOptimum(2, 3, 12, 2000, 3);
  CompareWithOptimum(2, 4, 11, 1000, 4);
}

TEST(PtasProperty, ThreeDimensions) {
  CompareWithOptimum(3, 1, 11, 1000, 1);
  CompareWithOptimum(3, 2, 11, 2000, 2);
  CompareWithOptimum(3, 3, 10, 1000, 3);
}

// With any budget the answer is at least as good as the start.
TEST(PtasProperty, AnyBudgetHasAnAnswer) {
  std::mt19937 random(6);
  for (int i = 0; i < 300; ++i) {
    const PlacementQuestion question =
        DrawQuestion(MeshMachine(DrawMesh(2, random)), 12, random);
    const std::uint64_t optimum = LeastTotal(question);
    for (const std::uint64_t work : {1, 1000, 100'000}) {
      const Placed placed = Place(question, "ptas", {}, Budget(work));
      ASSERT_GE(placed.Fact("total"), static_cast<std::int64_t>(optimum));
      ASSERT_LE(placed.Fact("total"), placed.Fact("start_total"));
      if (placed.Says("finished", "yes")) {
        ASSERT_LE(placed.Fact("total"),
                  static_cast<std::int64_t>(optimum * 3 / 2));
      }
    }
    ASSERT_TRUE(Place(question, "ptas").Says("finished", "yes"));
  }
}

TEST(PtasTest, ReportsTheFallbackOnATorus) {
  PlacementQuestion question;
  question.machine = MeshMachine(TorusGrid({5, 5}));
  question.free = {0, 4, 12, 20, 24};
  question.nodes = 4;
  const Placed placed = Place(question, "ptas");
  EXPECT_EQ(placed.nodes, (std::vector<NodeId>{0, 4, 20, 24}));
  EXPECT_EQ(placed.trace.facts()[1].name, "fallback");
}

}  // namespace
}  // namespace coolspan
