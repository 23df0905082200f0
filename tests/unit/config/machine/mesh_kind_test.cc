// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes with coordinates; machine_file_test.cc has the other mesh tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folders.h"
#include "unit/config/machine/topology_files.h"
#include "unit/topology/topology_oracle.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Mesh(const char* options) {
  return std::string("topology: {kind: mesh") + options +
         "}\ncoordinates: FILE\n";
}

std::string CrayLine(int id, const char* type, int x, int y, int z) {
  return "cpu=0,slot=2,cabinet=null,x_coord=" + std::to_string(x) +
         ",y_coord=" + std::to_string(y) + ",z_coord=" + std::to_string(z) +
         ",processor_status='up',processor_type='" + type +
         "',processor_id=" + std::to_string(id) + "\n";
}

TEST(MeshKindTest, VerticesMayHaveFewerNodes) {
  const ScratchFile file("a 0 0\nb 1 1\nc 1 1\nd 2 1\n");
  const auto machine =
      ParseWithFile(Mesh(", dims: [3, 2], nodes_per_vertex: 2"), file);
  ASSERT_TRUE(machine.ok()) << machine.status();
  const Grid& grid = *(*machine)->topology().grid();
  EXPECT_THAT(grid.holes, ElementsAre(1, 2, 3));
  EXPECT_THAT(grid.short_vertices,
              ElementsAre(Grid::ShortVertex{0, 1}, Grid::ShortVertex{5, 1}));
  EXPECT_EQ((*machine)->topology().VertexOf(2), 4U);
  ExpectConsistent((*machine)->topology());
}

TEST(MeshKindTest, CoordinatesDetermineTheExtents) {
  const ScratchFile file("a 0 3\nb 1 1\n");
  const auto machine = ParseWithFile(Mesh(""), file);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_THAT((*machine)->topology().grid()->dims, ElementsAre(2, 4));
  EXPECT_THAT(ErrorOfContent(Mesh(", wrap: [true, false]"), "a 0 3\n"),
              HasSubstr("topology.dims: missing (expected the extents, because "
                        "a dimension wraps)"));
}

TEST(MeshKindTest, CrayTable) {
  const ScratchFile file(ScratchFile::Gzip(
      "# comment\n\n" + CrayLine(7, "compute", 1, 0, 0) +
      CrayLine(5, "compute", 1, 0, 0) + CrayLine(100000, "compute", 0, 1, 0) +
      CrayLine(6, "service", 2, 0, 1)));
  const auto machine = ParseWithFile(Mesh(""), file);
  ASSERT_TRUE(machine.ok()) << machine.status();
  const Machine& m = **machine;
  ASSERT_EQ(m.node_count(), 3U);
  EXPECT_EQ(m.NodeName(0), "nid00005");
  EXPECT_EQ(m.NodeName(1), "nid00007");
  EXPECT_EQ(m.NodeName(2), "nid100000");
  // The vertex of the service node is part of the grid.
  EXPECT_THAT(m.topology().grid()->dims, ElementsAre(3, 2, 2));
  EXPECT_EQ(m.topology().grid()->nodes_per_vertex, 2U);
  EXPECT_THAT(m.topology().grid()->short_vertices,
              ElementsAre(Grid::ShortVertex{3, 1}));
}

TEST(MeshKindTest, RealCrayTable) {
  COOLSPAN_NEED_DATA("topology/nersc-sample.xtdb2proc.gz");
  const std::string path =
      (DataDir() / "topology/nersc-sample.xtdb2proc.gz").string();
  const auto machine = ParseMachineFile(
      "name: x\ntopology: {kind: mesh, dims: [17, 8, 24], wrap: [true, true, "
      "true]}\ncoordinates: " +
          path + "\n",
      "m.yaml");
  ASSERT_TRUE(machine.ok()) << machine.status();
  const Machine& m = **machine;
  EXPECT_EQ(m.node_count(), 497U);
  EXPECT_EQ(m.topology().kind(), "torus");
  EXPECT_EQ(m.topology().grid()->nodes_per_vertex, 4U);
  EXPECT_EQ(m.topology().grid()->short_vertices.size(), 1U);
  EXPECT_EQ(m.topology().grid()->holes.size(), 17U * 8 * 24 - 125);
  ExpectConsistent(m.topology(), 20);
}

class BadCoordinatesTest : public ::testing::TestWithParam<BadContent> {};

TEST_P(BadCoordinatesTest, ErrorHasPositionAndMessage) {
  EXPECT_THAT(ErrorOfContent(Mesh(", dims: [2, 2]"), GetParam().content),
              StartsWith(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadCoordinatesTest,
    ::testing::Values(
        BadContent{"empty", "# none\n", "FILE:1:1: no node"},
        BadContent{"outside", "a 0 0\nb 2 0\n",
                   "FILE:2:1: node \"b\": coordinates 2 0 are outside the grid "
                   "(expected 2 coordinates below 2, 2)"},
        BadContent{"three of them", "a 0 0 0\n",
                   "FILE:1:1: node \"a\": 3 coordinates (expected 2, one for "
                   "each dimension)"},
        BadContent{"one of them", "a 0\n",
                   "FILE:1:1: node \"a\": 1 coordinate (expected 2, one for "
                   "each dimension)"},
        BadContent{"other than the first", "a 0 0\nb 1\n",
                   "FILE:2:1: \"b 1\" is not a node (expected a name and 2 "
                   "coordinates"},
        BadContent{"word", "a 0 x\n", "FILE:1:5: \"a 0 x\" is not a node"},
        BadContent{"negative", "a 0 -1\n",
                   "FILE:1:5: \"a 0 -1\" is not a node"},
        BadContent{"name alone", "a\n", "FILE:1:1: \"a\" is not a node"},
        BadContent{"hostlist", "a[1-2] 0 0\n",
                   "FILE:1:1: \"a[1-2]\" is not a node name"},
        BadContent{"control", "a 0 0\nb\x01 0 0\n",
                   "FILE:2:1: \"b\\x01\" is not a node name"},
        BadContent{"commas", ",,\n", "FILE:1:1: \",,\" is not a node"},
        BadContent{"place twice", "a 0 0\nb 1 0\nc 0 0\n",
                   "FILE:3:1: node \"c\": 2 nodes at one vertex (expected at "
                   "most nodes_per_vertex, 1)"},
        BadContent{"name twice", "a 0 0\na 1 0\n",
                   "FILE:2:1: node \"a\": specified more than once, first in "
                   "line 1"},
        BadContent{"type", "processor_type='gpu',processor_id=1\n",
                   "FILE:1:17: processor_type: invalid value \"gpu\" (expected "
                   "compute or service)"},
        BadContent{"no type", "x_coord=1\n",
                   "FILE:1:1: processor_type: invalid"},
        BadContent{"no id",
                   "processor_type='compute',x_coord=0,y_coord=0,z_coord=0\n",
                   "FILE:1:1: processor_id: invalid value \"\""},
        BadContent{"no place",
                   "processor_type='compute',x_coord=0,y_coord=null\n",
                   "FILE:1:44: y_coord: invalid value \"null\" (expected a "
                   "number from 0"},
        BadContent{"service only",
                   "processor_type='service',processor_id=1,x_coord=0,y_coord="
                   "0,z_coord=0\n",
                   "FILE:1:1: no compute node"}));

TEST(MeshKindTest, OptionsAreChecked) {
  EXPECT_THAT(ErrorOfContent(Mesh(", dims: [2], holes: [\"1\"]"), "a 0\n"),
              HasSubstr("topology.holes: specified together with coordinates"));
  EXPECT_THAT(ErrorOfContent(Mesh(", dims: [2]") + "nodes: a\n", "a 0\n"),
              HasSubstr("coordinates: specified together with nodes"));
  EXPECT_THAT(ErrorOfContent("topology: {kind: mesh, dims: [2]}\ncoordinates: "
                             "/nonexistent/c\n",
                             ""),
              StartsWith("m.yaml:3:14: coordinates: /nonexistent/c: cannot"));
  EXPECT_THAT(ErrorOfContent(Mesh(""), "a 4000000 4000000\n"),
              HasSubstr("give more than 4194304 nodes"));
  EXPECT_THAT(ErrorOfContent(Mesh(", wrap: [false]"), "a 1 1\n"),
              HasSubstr("topology.wrap: 1 entries, 2 dimensions (expected one "
                        "per dimension)"));
}

}  // namespace
}  // namespace coolspan
