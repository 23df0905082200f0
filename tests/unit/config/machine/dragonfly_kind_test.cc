// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folders.h"
#include "unit/config/machine/topology_files.h"
#include "unit/topology/topology_oracle.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two groups of two routers; links of the second group are listed at one end.
constexpr const char* kDump =
    "# ports\n"
    "c0-0c0s1a0l00(0:0:1) green -> c0-0c0s0a0l00(0:0:0)\n"
    "c0-0c0s0a0l00(0:0:0) green -> c0-0c0s1a0l00(0:0:1)\n"
    "c0-0c0s0a0l01(0:0:0) blue -> unused\n"
    "c0-0c0s0a0l50(0:0:0) ptile -> processor\n"
    "c0-0c0s0a0l51(0:0:0) ptile -> processor\n"
    "c0-0c0s0a0l52(0:0:0) ptile -> processor\n"
    "c0-0c0s0a0l53(0:0:0) ptile -> unused\n"
    "c0-0c0s1a0l01(0:0:1) blue -> c1-0c0s0a0l01(1:0:0)\n"
    "c1-0c1s0a0l01(1:1:0) black -> c1-0c0s0a0l44(1:0:0)\n"
    "c1-0c1s0a0l50(1:1:0) ptile -> processor\n"
    "c1-0c1s0a0l50(1:1:0) ptile -> processor\n";

std::string WithNodes(const char* topology, const char* nodes) {
  return std::string("topology: {kind: dragonfly, ") + topology +
         "}\nnodes: \"" + nodes + "\"\n";
}

TEST(DragonflyKindTest, ReadsLinks) {
  const ScratchFile file(kDump);
  const auto machine = ParseWithFile(WithNodes("links: FILE", "n[1-3]"), file);
  ASSERT_TRUE(machine.ok()) << machine.status();
  const Topology& topology = (*machine)->topology();
  EXPECT_EQ(topology.kind(), "dragonfly");
  ASSERT_EQ(topology.vertex_count(), 4U);
  // (0:0:0) has two nodes for three ports, (1:1:0) one.
  EXPECT_EQ(topology.VertexOf(1), 0U);
  EXPECT_EQ(topology.VertexOf(2), 3U);
  EXPECT_EQ(topology.Distance(0, 2), 3U);
  ExpectConsistent(topology);
}

TEST(DragonflyKindTest, NodesPerRouterOverrideThePorts) {
  const ScratchFile file(ScratchFile::Gzip(kDump));
  const auto machine =
      ParseWithFile(WithNodes("links: FILE, nodes: 5", "n[1-20]"), file);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ((*machine)->topology().VertexOf(19), 3U);
}

TEST(DragonflyKindTest, ReadsSizes) {
  const auto machine = ParseMachineFile(
      "name: x\n" + WithNodes("groups: 9, routers: 4, nodes: 2", "n[1-72]"),
      "m.yaml");
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ((*machine)->topology().vertex_count(), 36U);
}

TEST(DragonflyKindTest, Theta) {
  COOLSPAN_NEED_DATA("topology/codes-theta.interconnect.gz");
  const std::string path =
      (DataDir() / "topology/codes-theta.interconnect.gz").string();
  const auto machine = ParseMachineFile(
      "name: x\n" + WithNodes(("links: " + path).c_str(), "nid[1-3456]"),
      "m.yaml");
  ASSERT_TRUE(machine.ok()) << machine.status();
  const Topology& topology = (*machine)->topology();
  EXPECT_EQ(topology.vertex_count(), 864U);
  // 96 routers per group, in rows of 16 and columns of 6.
  EXPECT_EQ(topology.VertexDistance(0, 15), 1U);
  EXPECT_EQ(topology.VertexDistance(0, 80), 1U);
  EXPECT_EQ(topology.VertexDistance(0, 17), 2U);
  EXPECT_EQ(topology.NodesAt(863).count, 4U);
  ExpectConsistent(topology, 40);
}

class BadInterconnectTest : public ::testing::TestWithParam<BadContent> {};

TEST_P(BadInterconnectTest, ErrorHasPositionAndMessage) {
  EXPECT_THAT(
      ErrorOfContent(WithNodes("links: FILE", "n[1-9]"), GetParam().content),
      StartsWith(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadInterconnectTest,
    ::testing::Values(
        BadContent{"empty", "", "FILE: no port"},
        BadContent{"words", "a(0:0:0) blue b(0:0:1)\n",
                   "FILE:1:1: \"a(0:0:0) blue b(0:0:1)\" is not a port"},
        BadContent{"commas", ",\n", "FILE:1:1: \",\" is not a port"},
        BadContent{"router", "a(0:0) blue -> unused\n",
                   "FILE:1:1: \"a(0:0)\" is not a router port"},
        BadContent{"router of four", "a(0:0:0:0) blue -> unused\n",
                   "FILE:1:1: \"a(0:0:0:0)\""},
        BadContent{"negative", "a(0:-1:0) blue -> unused\n",
                   "FILE:1:1: \"a(0:-1:0)\""},
        BadContent{"end", "a(0:0:0) blue -> b\n",
                   "FILE:1:18: \"b\" is not a router port"},
        BadContent{"colour", "a(0:0:0) red -> unused\n",
                   "FILE:1:10: \"red\" is not a port colour"},
        BadContent{"ptile", "a(0:0:0) ptile -> a(0:0:1)\n",
                   "FILE:1:19: invalid end \"a(0:0:1)\" of a ptile port"},
        BadContent{"green between groups", "a(0:0:0) green -> a(1:0:0)\n",
                   "FILE:1:19: green link to another group"},
        BadContent{"blue in a group", "a(0:0:0) blue -> a(0:1:0)\n",
                   "FILE:1:18: blue link within a group"},
        BadContent{"apart",
                   "a(0:0:0) ptile -> processor\nb(0:1:0) ptile -> "
                   "processor\n",
                   "m.yaml:2:36: no path leads from router (0:0:0) to router "
                   "(0:1:0)"},
        BadContent{"no nodes", "a(0:0:0) blue -> unused\n",
                   "m.yaml:2:36: no vertex has a node"},
        BadContent{"other names", "a(0:0:0) ptile -> processor\n",
                   "m.yaml:3:8: nodes: 9 names, 1 node in the topology"}));

TEST(DragonflyKindTest, OptionsAreChecked) {
  const auto error = [](const char* topology) {
    return ErrorOfContent(WithNodes(topology, "n[1-4]"), kDump);
  };
  EXPECT_THAT(error("groups: 4"),
              HasSubstr("expected groups, routers and nodes, "));
  EXPECT_THAT(error("links: FILE, groups: 4"),
              HasSubstr("specified together with topology.links"));
  EXPECT_THAT(error("groups: 1000000000, routers: 1, nodes: 1"),
              StartsWith("m.yaml:2:37: topology.groups: invalid value "
                         "\"1000000000\" (expected an integer from 1 to "
                         "4194304)"));
  EXPECT_THAT(error("groups: 4000000, routers: 4000000, nodes: 4000000"),
              HasSubstr("more than 4194304 vertices"));
  EXPECT_THAT(error("groups: 2, routers: 1, nodes: 3"),
              HasSubstr("nodes: 4 names, 6 nodes in the topology"));
  EXPECT_THAT(ErrorOfContent("topology: {kind: dragonfly, groups: 1, routers: "
                             "1, nodes: 1}\n",
                             ""),
              HasSubstr("nodes: missing"));
}

}  // namespace
}  // namespace coolspan
