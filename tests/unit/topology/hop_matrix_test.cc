// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/hop_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/topology/topology_oracle.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

HopTable Table(const std::vector<std::vector<Hops>>& rows) {
  Hops longest = 0;
  for (const auto& row : rows) {
    for (const Hops hops : row) longest = std::max(longest, hops);
  }
  HopTable table(static_cast<VertexId>(rows.size()), longest);
  for (VertexId a = 0; a < rows.size(); ++a) {
    for (VertexId b = 0; b < rows.size(); ++b) table.Set(a, b, rows[a][b]);
  }
  return table;
}

std::string ErrorOf(const std::vector<std::vector<Hops>>& rows) {
  const auto made = MakeHopMatrix(Table(rows));
  EXPECT_FALSE(made.ok());
  return std::string(made.status().message());
}

TEST(HopMatrixTest, DistancesAreThoseOfTheMatrix) {
  const auto hops =
      MakeHopMatrix(Table({{0, 2, 300}, {2, 0, 4}, {300, 4, 0}})).value();
  EXPECT_EQ(hops->kind(), "hops");
  EXPECT_EQ(hops->node_count(), 3U);
  EXPECT_EQ(hops->vertex_count(), 3U);
  EXPECT_EQ(hops->Distance(0, 2), 300U);
  EXPECT_EQ(hops->PairwiseTotal(std::vector<NodeId>{0, 1, 2}), 306U);
  EXPECT_EQ(hops->grid(), nullptr);
}

TEST(HopMatrixTest, NeighboursAreAtTheSmallestDistance) {
  const auto neighbours = [](const std::vector<std::vector<Hops>>& rows) {
    std::vector<VertexId> found;
    MakeHopMatrix(Table(rows)).value()->AppendNeighbours(1, found);
    return found;
  };
  EXPECT_THAT(neighbours({{0, 2, 4}, {2, 0, 4}, {4, 4, 0}}), ElementsAre(0));
  EXPECT_THAT(neighbours({{0, 2, 4}, {2, 0, 0}, {4, 0, 0}}), ElementsAre(0, 2));
  EXPECT_THAT(neighbours({{0, 0}, {0, 0}}), ElementsAre(0));
}

TEST(HopMatrixTest, OfAGraphIsConsistent) {
  const auto ring = [](VertexId n) {
    std::vector<std::vector<Hops>> rows(n, std::vector<Hops>(n));
    for (VertexId a = 0; a < n; ++a) {
      for (VertexId b = 0; b < n; ++b) {
        const Hops there = a < b ? b - a : a - b;
        rows[a][b] = std::min(there, n - there);
      }
    }
    return rows;
  };
  for (const VertexId n : {1U, 2U, 3U, 50U, 600U}) {
    ExpectConsistent(*MakeHopMatrix(Table(ring(n))).value(), 30);
  }
}

TEST(HopMatrixTest, RefusesInvalidMatrices) {
  EXPECT_THAT(ErrorOf({}), HasSubstr("empty"));
  EXPECT_THAT(ErrorOf({{0, 1}, {1, 3}}), HasSubstr("node 1 is 3 hops from"));
  EXPECT_THAT(ErrorOf({{0, 1, 2}, {1, 0, 5}, {2, 4, 0}}),
              HasSubstr("4 hops from node 2 to 1 and 5 back"));
}

}  // namespace
}  // namespace coolspan
