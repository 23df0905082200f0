// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/adjacency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "unit/topology/topology_oracle.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Links = std::vector<std::pair<VertexId, VertexId>>;

TEST(AdjacencyTest, EachNeighbourOnce) {
  const Links links = {{2, 0}, {0, 2}, {0, 1}, {1, 1}, {2, 0}};
  const Adjacency graph(4, links);
  EXPECT_EQ(graph.vertex_count(), 4U);
  EXPECT_THAT(graph.Of(0), ElementsAre(1, 2));
  EXPECT_THAT(graph.Of(1), ElementsAre(0));
  EXPECT_THAT(graph.Of(2), ElementsAre(0));
  EXPECT_THAT(graph.Of(3), IsEmpty());
  EXPECT_THAT(HopsFrom(graph, 1), ElementsAre(1, 0, 2, kApart));
}

// Sizes around 64, the number of searches at a time.
TEST(AdjacencyTest, AllHopsEqualSingleSearches) {
  for (const VertexId vertices : {1U, 2U, 63U, 64U, 65U, 200U, 400U}) {
    std::mt19937 random(vertices);
    Links links;
    for (VertexId v = 1; v < vertices; ++v) {
      links.emplace_back(v - 1 - (v > 1 ? Below(random, 2) : 0), v);
    }
    const Adjacency graph(vertices, links);
    const HopTable all = AllHops(graph);
    for (VertexId a = 0; a < vertices; ++a) {
      const std::vector<Hops> hops = HopsFrom(graph, a);
      for (VertexId b = 0; b < vertices; ++b) ASSERT_EQ(all.At(a, b), hops[b]);
    }
  }
}

}  // namespace
}  // namespace coolspan
