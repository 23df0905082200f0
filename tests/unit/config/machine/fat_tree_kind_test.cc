// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folders.h"
#include "unit/config/machine/topology_files.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kMachine =
    "topology: {kind: fat-tree, slurm_topology: FILE}\n";

TEST(FatTreeKindTest, ReadsTopologyConf) {
  const ScratchFile file(
      "# a comment\r\n"
      "\n"
      "switchname = top SWITCHES=\"l[0-1]\" LinkSpeed=100 # behind\n"
      "  SwitchName=l1 \\\n"
      "  Nodes=b[1-2],\\\n"
      "c3\n"
      "SwitchName=l0 Nodes=a[01-02] LinkSpeed=7\n");
  std::vector<std::string> warnings;
  const auto machine = ParseWithFile(kMachine, file, &warnings);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_THAT(warnings, IsEmpty());
  const Machine& m = **machine;
  ASSERT_EQ(m.node_count(), 5U);
  EXPECT_EQ(m.topology().kind(), "fat-tree");
  // Leaf switches in the order of Switches= of the top switch.
  EXPECT_EQ(m.NodeName(0), "a01");
  EXPECT_EQ(m.NodeName(2), "b1");
  EXPECT_EQ(m.NodeName(4), "c3");
  EXPECT_EQ(m.topology().Distance(2, 4), 0U);
  EXPECT_EQ(m.topology().Distance(0, 4), 2U);
}

TEST(FatTreeKindTest, NodesBelowASwitchAreConsecutive) {
  const ScratchFile file(
      "SwitchName=a Nodes=a1\nSwitchName=b Nodes=b1\nSwitchName=c Nodes=c1\n"
      "SwitchName=d Nodes=d1\nSwitchName=l Switches=a,d\n"
      "SwitchName=r Switches=b,c\nSwitchName=top Switches=r,l\n");
  const auto machine = ParseWithFile(kMachine, file);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ((*machine)->FormatNodes(std::vector<NodeId>{0, 1, 2, 3}),
            "b1,c1,a1,d1");
  EXPECT_EQ((*machine)->topology().Distance(0, 1), 2U);
  EXPECT_EQ((*machine)->topology().Distance(1, 2), 4U);
  EXPECT_THAT((*machine)->topology().switches()->listed,
              ElementsAre(2, 0, 1, 3, 5, 4, 6))
      << "a, b, c, d, l, r, top";
}

TEST(FatTreeKindTest, NodesMustBeTheSameInAnyOrder) {
  const ScratchFile file("SwitchName=a Nodes=n[1-3]\n");
  const std::string machine = kMachine;
  const auto same = ParseWithFile(machine + "nodes: \"n3,n[1-2]\"\n", file);
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ((*same)->NodeName(0), "n1");
  EXPECT_THAT(
      ErrorOfContent(machine + "nodes: \"n[1-2]\"\n",
                     "SwitchName=a Nodes=n[1-3]\n"),
      StartsWith("m.yaml:3:8: nodes: \"n3\" of the topology is missing"));
  EXPECT_THAT(ErrorOfContent(machine + "nodes: \"n[1-4]\"\n",
                             "SwitchName=a Nodes=n[1-3]\n"),
              StartsWith("m.yaml:3:8: nodes: \"n4\" is not in the topology"));
}

TEST(FatTreeKindTest, SeveralRootsGetAnImpliedRootWithAWarning) {
  const ScratchFile file(
      "SwitchName=a Nodes=a1\nSwitchName=b Nodes=b1\nSwitchName=c "
      "Switches=b\n");
  std::vector<std::string> warnings;
  const auto machine = ParseWithFile(kMachine, file, &warnings);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_THAT(warnings,
              ElementsAre(file.path() +
                          ": 2 top-level switches (a, c); a switch above all "
                          "of them is implied, but Slurm's topology/tree "
                          "refuses jobs across them"));
  EXPECT_EQ((*machine)->topology().Distance(0, 1), 3U);
  EXPECT_TRUE((*machine)->topology().switches()->HasImpliedTop());
}

TEST(FatTreeKindTest, ANodeStaysAtItsFirstSwitchWithAWarning) {
  const ScratchFile file(
      "SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[2-4],n4\n"
      "SwitchName=t Switches=a,b\n");
  std::vector<std::string> warnings;
  const auto machine = ParseWithFile(kMachine, file, &warnings);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_THAT(warnings,
              ElementsAre(file.path() +
                          ":2: n[2-4]: at more than one switch, n2 also at a; "
                          "the first switch applies"));
  EXPECT_EQ((*machine)->node_count(), 4U);
  EXPECT_EQ((*machine)->topology().Distance(0, 2), 0U);
  EXPECT_EQ((*machine)->topology().Distance(0, 3), 2U);
}

TEST(FatTreeKindTest, RealFiles) {
  COOLSPAN_NEED_DATA("topology/unsw-abacus.topology.conf");
  const auto path = [](const char* name) {
    return (DataDir() / "topology" / name).string();
  };
  std::vector<std::string> warnings;
  const auto load = [&](const char* name) {
    return ParseMachineFile(
        "name: x\ntopology: {kind: fat-tree, slurm_topology: " + path(name) +
            "}\n",
        "m.yaml", &warnings);
  };
  const auto abacus = load("unsw-abacus.topology.conf");
  ASSERT_TRUE(abacus.ok()) << abacus.status();
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_EQ((*abacus)->node_count(), 32U);
  EXPECT_EQ((*abacus)->topology().vertex_count(), 3U);
  EXPECT_EQ((*abacus)->topology().Distance(0, 15), 0U);
  EXPECT_EQ((*abacus)->topology().Distance(15, 16), 2U);

  const auto circe = load("slurm-superpod-circe.topology.conf");
  ASSERT_TRUE(circe.ok()) << circe.status();
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_THAT(warnings[0], HasSubstr(".conf:5: circe-n051: at more than one "));
  EXPECT_THAT(warnings[1],
              HasSubstr("5 top-level switches (s0, s1, s2, s3, ...)"));
  EXPECT_EQ((*circe)->node_count(), 79U);
  EXPECT_EQ((*circe)->topology().vertex_count(), 6U);
  const NodeId node = *(*circe)->FindNode("circe-n051");
  const NodeId at_s2 = *(*circe)->FindNode("circe-n041");
  EXPECT_EQ((*circe)->topology().Distance(node, at_s2), 0U);
}

class BadTopologyConfTest : public ::testing::TestWithParam<BadContent> {};

TEST_P(BadTopologyConfTest, ErrorHasPositionAndMessage) {
  EXPECT_THAT(ErrorOfContent(kMachine, GetParam().content),
              StartsWith(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadTopologyConfTest,
    ::testing::Values(
        BadContent{"empty", "", "FILE:1:1: no switch"},
        BadContent{"comments", "# a\n\n#\n", "FILE:1:1: no switch"},
        BadContent{
            "no setting", "SwitchName=a Nodes=n1\n  BlockName b\n",
            "FILE:2:3: \"BlockName\" is not a setting (expected KEY=VALUE)"},
        BadContent{"sign alone", "SwitchName=a Nodes=n1 =\n",
                   "FILE:1:23: \"=\""},
        BadContent{
            "unknown key", "SwitchName=a Nods=n1\n",
            "FILE:1:14: unknown key \"Nods\" (expected SwitchName, Nodes"},
        BadContent{"quote", "SwitchName=a Nodes=\"n1\n", "FILE:1:20: unclosed"},
        BadContent{"no name", "Nodes=n1\n", "FILE:1:1: SwitchName: missing"},
        BadContent{
            "list of names", "SwitchName=s[1-2] Nodes=n1\n",
            "FILE:1:12: SwitchName: value is a list (expected one name)"},
        BadContent{"neither", "SwitchName=a\n",
                   "FILE:1:12: switch \"a\": neither Nodes nor Switches"},
        BadContent{"both", "SwitchName=a Nodes=n Switches=b\n",
                   "FILE:1:12: switch \"a\": both Nodes and Switches"},
        BadContent{"key twice", "SwitchName=a Nodes=n Nodes=m\n",
                   "FILE:1:22: Nodes: specified more than once"},
        BadContent{"empty list", "SwitchName=a Nodes=\n",
                   "FILE:1:20: Nodes: no value"},
        BadContent{"hostlist", "SwitchName=a \\\n Nodes=n[1-\n",
                   "FILE:2:8: Nodes: column "},
        BadContent{
            "switch twice", "SwitchName=a Nodes=n\nSwitchName=a Nodes=m\n",
            "FILE:2:12: switch \"a\": specified more than once, first in "
            "line 1"},
        BadContent{"unknown switch",
                   "SwitchName=a Nodes=n\nSwitchName=t Switches=a,b\n",
                   "FILE:2:23: switch \"b\": not defined"},
        BadContent{"two above",
                   "SwitchName=a Nodes=n\nSwitchName=t Switches=a\n"
                   "SwitchName=u Switches=a\n",
                   "FILE:3:23: switch \"a\": already below \"t\""},
        BadContent{"below itself", "SwitchName=a Switches=a\n",
                   "FILE:1:12: switch \"a\": below itself (expected a tree)"},
        BadContent{"circle",
                   "SwitchName=x Nodes=n\nSwitchName=a Switches=b\n"
                   "SwitchName=b Switches=a,x\n",
                   "FILE:3:12: switch \"b\": below itself through \"a\""},
        BadContent{"a billion nodes", "SwitchName=a Nodes=n[1-1000000000]\n",
                   "FILE:1:20: Nodes: "}));

TEST(FatTreeKindTest, OptionsAreChecked) {
  EXPECT_THAT(ErrorOfContent("topology: {kind: fat-tree}\n", ""),
              StartsWith("m.yaml:2:11: topology.slurm_topology: missing"));
  EXPECT_THAT(ErrorOfContent("topology: {kind: fat-tree, slurm_topology: "
                             "/nonexistent/t.conf}\n",
                             ""),
              StartsWith("m.yaml:2:44: topology.slurm_topology: "
                         "/nonexistent/t.conf: cannot open file"));
  EXPECT_THAT(
      ErrorOfContent(
          "topology: {kind: fat-tree, slurm_topology: FILE, dims: [2]}\n", ""),
      HasSubstr("topology.dims: not an option of kind fat-tree (expected one "
                "of topology.slurm_topology, topology.slurm_topology_name)"));
  EXPECT_THAT(ErrorOfContent(std::string(kMachine) + "coordinates: c.txt\n",
                             "SwitchName=a Nodes=n\n"),
              StartsWith("m.yaml:3:14: coordinates: not an option"));
}

}  // namespace
}  // namespace coolspan
