// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/slurm/node_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "mesh_machine.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;

TEST(SlurmNodeOrderTest, NamesAreInTheOrderOfTheirNumbers) {
  const std::vector<std::string> sorted = {
      "a",     "a0",   "a01",      "a02",      "a1",    "a2",     "a9",
      "a10",   "a10b", "a10b2",    "a10b12",   "a100",  "b1-09",  "b1-1",
      "b1-10", "b2-1", "rack1n01", "rack1n10", "rack2", "rack10", "rack10a"};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      EXPECT_EQ(IsNameBefore(sorted[i], sorted[j]), i < j)
          << sorted[i] << " " << sorted[j];
    }
  }
}

TEST(SlurmNodeOrderTest, NodesAreSortedByName) {
  const auto mesh = MakeMesh(FlatGrid({5})).value();
  const auto machine =
      Machine::Create("m", {"n10", "n9", "n1", "m2", "n2"}, mesh).value();
  EXPECT_THAT(SlurmNameOrder(*machine), ElementsAre(3, 2, 4, 1, 0));
}

// Places that Slurm 22.05 computes.
TEST(SlurmNodeOrderTest, TorusRanksAreThoseOfSlurm) {
  const struct {
    std::array<std::uint32_t, 3> point;
    std::uint32_t rank;
  } places[] = {
      {{0, 0, 0}, 0},        {{1, 0, 0}, 3},      {{0, 1, 0}, 1},
      {{0, 0, 1}, 7},        {{1, 2, 8}, 3867},   {{3, 5, 7}, 293},
      {{31, 31, 31}, 23405}, {{0, 31, 0}, 15213}, {{17, 4, 29}, 27302},
      {{31, 0, 0}, 32767},
  };
  for (const auto& place : places) {
    EXPECT_EQ(TorusRank(place.point), place.rank)
        << testing::PrintToString(place.point);
  }
}

TEST(SlurmNodeOrderTest, TorusRanksAreAHilbertCurve) {
  std::vector<std::array<std::uint32_t, 3>> points(
      kTorusSide * kTorusSide * kTorusSide, {kTorusSide, 0, 0});
  for (std::uint32_t x = 0; x < kTorusSide; ++x) {
    for (std::uint32_t y = 0; y < kTorusSide; ++y) {
      for (std::uint32_t z = 0; z < kTorusSide; ++z) {
        const std::uint32_t rank = TorusRank({x, y, z});
        ASSERT_LT(rank, points.size());
        ASSERT_EQ(points[rank][0], kTorusSide) << "two points at " << rank;
        points[rank] = {x, y, z};
      }
    }
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    int step = 0;
    for (int axis = 0; axis < 3; ++axis) {
      step += std::abs(static_cast<int>(points[i][axis]) -
                       static_cast<int>(points[i - 1][axis]));
    }
    ASSERT_EQ(step, 1) << i;
  }
}

TEST(SlurmNodeOrderTest, TorusOrderIsByCoordinates) {
  const auto machine = MeshMachine(TorusGrid({2, 2, 2}));
  // Ids are x + 2 y + 4 z.
  EXPECT_THAT(SlurmTorusOrder(*machine), ElementsAre(0, 2, 3, 1, 5, 7, 6, 4));
  EXPECT_TRUE(IsSlurmTorus(machine->topology()));
  EXPECT_FALSE(IsSlurmTorus(MeshMachine(FlatGrid({4, 4}))->topology()));
  EXPECT_FALSE(IsSlurmTorus(MeshMachine(FlatGrid({33, 1, 1}))->topology()));
}

}  // namespace
}  // namespace coolspan
