// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/render/machine_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <sstream>

#include "cli/render/map_planes.h"

namespace coolspan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Grid MakeGrid(std::vector<std::uint32_t> dims) {
  Grid grid;
  grid.wrap.assign(dims.size(), false);
  grid.dims = std::move(dims);
  return grid;
}

MapJob MakeJob(std::uint32_t job_id, std::vector<NodeId> nodes,
               std::string state = "committed") {
  return {job_id, std::move(state), "nodes", std::move(nodes)};
}

TEST(MapPlanes, GridIsRowMajorXFastest) {
  const Occupancy occupancy{6, MakeGrid({3, 2}), {MakeJob(1, {0, 4})}};
  const auto planes = PlanesOf(occupancy, 8);
  ASSERT_EQ(planes.size(), 1U);
  EXPECT_EQ(planes[0].width, 3U);
  EXPECT_THAT(planes[0].cells, ElementsAre(0, -1, -1, -1, 0, -1));
}

TEST(MapPlanes, HolesHaveNoNodeAndVerticesMayHaveSeveral) {
  Grid grid = MakeGrid({2, 2});
  grid.holes = {1};
  grid.nodes_per_vertex = 2;
  const Occupancy occupancy{6, grid, {MakeJob(1, {2}), MakeJob(2, {5})}};
  EXPECT_THAT(PlanesOf(occupancy, 8)[0].cells,
              ElementsAre(kFreeCell, kFreeCell, kNoCell, kNoCell, 0, kFreeCell,
                          kFreeCell, 1));
}

TEST(MapPlanes, VerticesMayHaveFewerNodesThanOthers) {
  Grid grid = MakeGrid({2, 2});
  grid.holes = {1};
  grid.nodes_per_vertex = 2;
  grid.short_vertices = {{0, 1}};
  const Occupancy occupancy{5, grid, {MakeJob(1, {1}), MakeJob(2, {4})}};
  EXPECT_THAT(PlanesOf(occupancy, 8)[0].cells,
              ElementsAre(kFreeCell, kNoCell, kNoCell, kNoCell, 0, kFreeCell,
                          kFreeCell, 1));
}

TEST(MapPlanes, OnePlaneForEachPlaceInTheOtherDimensions) {
  const Occupancy occupancy{12, MakeGrid({1, 2, 3, 2}), {MakeJob(1, {11})}};
  const auto planes = PlanesOf(occupancy, 8);
  ASSERT_EQ(planes.size(), 6U);
  EXPECT_EQ(planes[0].title, "z=0 w=0");
  EXPECT_EQ(planes[5].title, "z=2 w=1");
  EXPECT_EQ(planes[5].At(0, 1), 0);
}

TEST(MapPlanes, StripWrapsAndPads) {
  const Occupancy occupancy{5, std::nullopt, {MakeJob(1, {4})}};
  const auto planes = PlanesOf(occupancy, 3);
  ASSERT_EQ(planes.size(), 1U);
  EXPECT_EQ(planes[0].height, 2U);
  EXPECT_THAT(planes[0].cells, ElementsAre(kFreeCell, kFreeCell, kFreeCell,
                                           kFreeCell, 0, kNoCell));
}

TEST(MapPlanes, ANodeOfSeveralJobsIsShared) {
  const Occupancy occupancy{
      2, std::nullopt, {MakeJob(1, {0}), MakeJob(2, {0, 1})}};
  EXPECT_THAT(PlanesOf(occupancy, 2)[0].cells, ElementsAre(kSharedCell, 1));
}

TEST(MapPlanes, ScaledCellsShowTheMostFrequentState) {
  Plane plane{"", 4, 2, {0, 0, 1, kNoCell, kFreeCell, 0, kNoCell, kNoCell}};
  const Plane small = ScaledDown(plane, 2);
  EXPECT_EQ(small.width, 2U);
  EXPECT_EQ(small.height, 1U);
  EXPECT_THAT(small.cells, ElementsAre(0, 1));
}

TEST(MachineMap, WithoutColourOnlyLetters) {
  // Job 36 has the letter of place 36 in A-Z, a-z, 0-9: k.
  const Occupancy occupancy{4, MakeGrid({2, 2}), {MakeJob(36, {0, 3})}};
  EXPECT_EQ(DrawMap(occupancy, {.colour = false, .columns = 80}),
            "0 k .\n"
            "1 . k\n"
            "\n"
            "k  job 36 committed, 2 nodes: nodes\n"
            "2 of 4 nodes free\n");
}

TEST(MachineMap, NoTwoJobsShareALetter) {
  const Occupancy occupancy{
      4,
      MakeGrid({4, 1}),
      {MakeJob(1, {0}), MakeJob(63, {1}), MakeJob(2, {2})}};
  EXPECT_THAT(DrawMap(occupancy, {.colour = false, .columns = 80}),
              StartsWith("0 B C D .\n"));
}

TEST(MachineMap, ColourFillsCommittedJobsOnly) {
  const Occupancy occupancy{
      2, MakeGrid({2, 1}), {MakeJob(0, {0}), MakeJob(1, {1}, "tentative")}};
  const std::string map = DrawMap(occupancy, {.colour = true, .columns = 80});
  EXPECT_THAT(map, HasSubstr("\x1b[38;5;16;48;5;39mA \x1b[38;5;208;49mB "));
  EXPECT_THAT(DrawMap(occupancy, {.colour = false, .columns = 80}),
              Not(HasSubstr("\x1b")));
}

std::size_t VisibleWidth(const std::string& line) {
  std::size_t width = 0;
  bool escape = false;
  for (const char c : line) {
    if (c == '\x1b') escape = true;
    if (!escape && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++width;
    if (escape && c == 'm') escape = false;
  }
  return width;
}

TEST(MachineMap, FitsTheTerminalWhateverTheMachine) {
  const std::vector<std::vector<std::uint32_t>> meshes = {
      {16, 16},     {1000, 1000}, {24, 167},   {100, 100, 100},
      {22, 22, 22}, {4096},       {3, 4, 5, 2}};
  for (const auto& dims : meshes) {
    NodeCount count = 1;
    for (const std::uint32_t extent : dims) count *= extent;
    std::vector<NodeId> nodes(count / 3);
    std::iota(nodes.begin(), nodes.end(), 0);
    const Occupancy occupancy{count, MakeGrid(dims), {MakeJob(7, nodes)}};
    for (const bool colour : {false, true}) {
      for (const unsigned columns : {40U, 80U, 200U}) {
        std::istringstream map(DrawMap(occupancy, {colour, columns}));
        std::size_t lines = 0;
        for (std::string line; std::getline(map, line); ++lines) {
          ASSERT_LE(VisibleWidth(line), columns) << line;
        }
        EXPECT_LE(lines, 300U) << testing::PrintToString(dims);
      }
    }
  }
}

TEST(MachineMap, TheLegendNamesTheScale) {
  const Occupancy occupancy{1'000'000, MakeGrid({1000, 1000}), {}};
  EXPECT_THAT(DrawMap(occupancy, {.colour = true, .columns = 80}),
              HasSubstr("cell: majority of "));
}

}  // namespace
}  // namespace coolspan
