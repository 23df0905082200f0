// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/largest_box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string_view>
#include <vector>

#include "mesh_machine.h"

namespace coolspan {
namespace {

// A dot for each free cell.
std::vector<std::uint8_t> Cells(std::string_view picture) {
  std::vector<std::uint8_t> cells;
  for (const char c : picture) cells.push_back(c == '.' ? 1 : 0);
  return cells;
}

TEST(LargestBoxTest, Planes) {
  EXPECT_EQ(LargestFreeBox(FlatGrid({4, 3}), Cells("#..#"
                                                   "...#"
                                                   "..#.")),
            4U);
  EXPECT_EQ(LargestFreeBox(FlatGrid({4, 3}), Cells("############")), 0U);
  EXPECT_EQ(LargestFreeBox(FlatGrid({4, 3}), Cells("............")), 12U);
  EXPECT_EQ(LargestFreeBox(FlatGrid({5}), Cells("..#..")), 2U);
  EXPECT_EQ(LargestFreeBox(TorusGrid({5}), Cells("..#..")), 4U);
  EXPECT_EQ(LargestFreeBox(TorusGrid({3, 3}), Cells(".#."
                                                    "###"
                                                    ".#.")),
            4U);
  EXPECT_EQ(LargestFreeBox(FlatGrid({1, 1, 1}), Cells(".")), 1U);
}

// All boxes by their definition.
std::uint64_t Naive(const Grid& grid, const std::vector<std::uint8_t>& free) {
  const std::size_t dims = grid.dims.size();
  std::uint64_t largest = 0;
  const VertexId vertices = grid.VertexCount();
  std::vector<std::uint32_t> corner(dims);
  std::vector<std::uint32_t> extent(dims);
  std::vector<std::uint32_t> at(dims);
  for (VertexId first = 0; first < vertices; ++first) {
    grid.CoordinatesOf(first, corner);
    for (VertexId size = 0; size < vertices; ++size) {
      grid.CoordinatesOf(size, extent);
      std::uint64_t volume = 1;
      bool fits = true;
      for (std::size_t d = 0; d < dims; ++d) {
        volume *= extent[d] + 1;
        fits = fits && (grid.wrap[d] || corner[d] + extent[d] < grid.dims[d]);
      }
      for (VertexId cell = 0; fits && cell < vertices; ++cell) {
        grid.CoordinatesOf(cell, at);
        bool inside = true;
        for (std::size_t d = 0; d < dims; ++d) {
          const std::uint32_t offset =
              (at[d] + grid.dims[d] - corner[d]) % grid.dims[d];
          inside = inside && offset <= extent[d];
        }
        fits = !inside || free[cell] != 0;
      }
      if (fits) largest = std::max(largest, volume);
    }
  }
  return largest;
}

TEST(LargestBoxTest, AsByDefinition) {
  std::mt19937 random(1);
  for (const std::vector<std::uint32_t>& dims :
       std::vector<std::vector<std::uint32_t>>{
           {7}, {5, 4}, {3, 4, 3}, {4, 1, 3}, {2, 3, 2, 3}}) {
    for (int i = 0; i < 40; ++i) {
      Grid grid = FlatGrid(dims);
      for (std::size_t d = 0; d < dims.size(); ++d) {
        grid.wrap[d] = random() % 2 == 0;
      }
      std::vector<std::uint8_t> free(grid.VertexCount());
      const auto busy = 2 + random() % 5;
      for (std::uint8_t& cell : free) cell = random() % busy == 0 ? 0 : 1;
      EXPECT_EQ(LargestFreeBox(grid, free), Naive(grid, free));
    }
  }
}

TEST(LargestBoxTest, OfVerticesWithAllTheirNodesFree) {
  Grid grid = FlatGrid({4});
  grid.nodes_per_vertex = 2;
  grid.holes = {0};
  const auto machine = MeshMachine(grid);
  EXPECT_EQ(
      LargestFreeBox(machine->topology(), std::vector<NodeCount>{0, 2, 2, 2}),
      3U);
  EXPECT_EQ(
      LargestFreeBox(machine->topology(), std::vector<NodeCount>{0, 2, 1, 2}),
      1U);
}

}  // namespace
}  // namespace coolspan
