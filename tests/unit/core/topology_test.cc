// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/topology.h"

#include <gtest/gtest.h>

#include <array>

#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

TEST(GridTest, NumbersVerticesWithXFastest) {
  const Grid grid{
      .dims = {4, 5, 2}, .wrap = {false, false, false}, .holes = {}};
  EXPECT_EQ(grid.VertexCount(), 40U);
  std::array<std::uint32_t, 3> at{};
  grid.CoordinatesOf(27, at);
  EXPECT_EQ(at, (std::array<std::uint32_t, 3>{3, 1, 1}));
  EXPECT_EQ(grid.VertexAt(at), 27U);
}

TEST(GridTest, VertexAtInvertsCoordinatesOf) {
  const Grid grid{
      .dims = {3, 1, 2, 5}, .wrap = {true, false, true, false}, .holes = {}};
  std::array<std::uint32_t, 4> at{};
  for (VertexId vertex = 0; vertex < grid.VertexCount(); ++vertex) {
    grid.CoordinatesOf(vertex, at);
    EXPECT_EQ(grid.VertexAt(at), vertex);
  }
}

TEST(TopologyTest, SumsDistancesOverUnorderedPairs) {
  const LineTopology line(10);
  EXPECT_EQ(line.PairwiseTotal(std::array<NodeId, 3>{1, 4, 9}), 3U + 8U + 5U);
  EXPECT_EQ(line.PairwiseTotal(std::array<NodeId, 1>{7}), 0U);
  EXPECT_EQ(line.PairwiseTotal({}), 0U);
}

}  // namespace
}  // namespace coolspan
