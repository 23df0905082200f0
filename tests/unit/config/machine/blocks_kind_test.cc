// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/blocks.h"
#include "unit/config/machine/topology_files.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kMachine =
    "topology: {kind: blocks, slurm_topology: FILE, spare_nodes: 1}\n";

TEST(BlocksKindTest, ReadsTopologyConf) {
  const ScratchFile file(
      "# racks\n"
      "blockname=r1 Nodes=b[1-3]\n"
      "BlockName=r2 nodes=\"a[01-02]\"\n"
      "BlockName=r3 \\\n  Nodes=c1,c2\n"
      "BlockSizes=2,4\n");
  const auto machine = ParseWithFile(kMachine, file);
  ASSERT_TRUE(machine.ok()) << machine.status();
  const Machine& m = **machine;
  EXPECT_EQ(m.FormatNodes(std::vector<NodeId>{0, 1, 2, 3, 4, 5, 6}),
            "b[1-3],a[01-02],c[1-2]");
  EXPECT_EQ(m.topology().kind(), "blocks");
  const Blocks* const blocks = m.topology().blocks();
  ASSERT_NE(blocks, nullptr);
  EXPECT_THAT(blocks->first_node, ElementsAre(0, 3, 5, 7));
  EXPECT_THAT(blocks->sizes, ElementsAre(1, 2));
  EXPECT_EQ(blocks->base_nodes, 2U);
  EXPECT_EQ(blocks->spare_nodes, 1U);
  // Within a block, in a pair of blocks, through the top.
  EXPECT_EQ(m.topology().Distance(0, 2), 0U);
  EXPECT_EQ(m.topology().Distance(0, 3), 2U);
  EXPECT_EQ(m.topology().Distance(0, 5), 4U);
}

TEST(BlocksKindTest, SizesOfSlurmByDefault) {
  const ScratchFile file(
      "BlockName=a Nodes=n[1-4]\nBlockName=b Nodes=n[5-8]\n");
  const auto machine = ParseWithFile(kMachine, file);
  ASSERT_TRUE(machine.ok()) << machine.status();
  const Blocks* const blocks = (*machine)->topology().blocks();
  EXPECT_EQ(blocks->base_nodes, 4U);
  EXPECT_THAT(blocks->sizes, ElementsAre(1, 2, 4, 8, 16));
  EXPECT_EQ((*machine)->topology().Distance(0, 7), 2U);
}

TEST(BlocksKindTest, ASingleBlock) {
  const ScratchFile file("BlockName=a Nodes=n[1-4]\n");
  const auto machine = ParseWithFile(kMachine, file);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ((*machine)->topology().Distance(0, 3), 0U);
}

TEST(BlocksKindTest, Errors) {
  const struct {
    const char* content;
    const char* error;
  } cases[] = {
      {"", ":1:1: no block (expected lines BlockName=NAME Nodes=LIST)"},
      {"SwitchName=a Nodes=n1\n",
       ":1:1: unknown key \"SwitchName\" (expected BlockName, Nodes or "
       "BlockSizes)"},
      {"BlockName=a\n", ":1:1: block \"a\": no Nodes (expected Nodes=LIST)"},
      {"Nodes=n1\n", ":1:1: BlockName: missing (expected BlockName=NAME)"},
      {"BlockName=a Nodes=n[1\n", ":1:19: Nodes: "},
      {"BlockName=a Nodes=\n", ":1:19: Nodes: no value (expected a hostlist)"},
      {"BlockName=a Nodes=n1 Nodes=n2\n",
       ":1:22: Nodes: specified more than once"},
      {"BlockName=a Nodes=n1\nBlockName=a Nodes=n2\n",
       ":2:11: block \"a\": specified more than once, first in line 1"},
      {"BlockName=a Nodes=n1\nBlockName=b Nodes=n[1-2]\n",
       ":2:19: node \"n1\": in two blocks, first in line 1 (expected one block "
       "for each node)"},
      {"BlockName=a Nodes=n[1-4]\nBlockSizes=4,12\n",
       ":2:12: BlockSizes: 12 after 4 (expected the first size times ascending "
       "powers of 2, at most 32768)"},
      {"BlockName=a Nodes=n[1-4]\nBlockSizes=4,4\n",
       ":2:12: BlockSizes: 4 after 4 (expected"},
      {"BlockName=a Nodes=n[1-4]\nBlockSizes=x\n",
       ":2:12: BlockSizes: \"x\" is not a number of nodes (expected 1 to "},
      {"BlockName=a Nodes=n[1-4]\nBlockSizes=4\nBlockSizes=4\n",
       ":3:1: BlockSizes: specified more than once"},
      {"BlockName=a Nodes=n[1-4]\nBlockSizes=4 Nodes=x\n",
       ":2:14: unknown key \"Nodes\" after BlockSizes"},
  };
  for (const auto& item : cases) {
    const ScratchFile file(item.content);
    const auto machine = ParseWithFile(kMachine, file);
    ASSERT_FALSE(machine.ok()) << item.content;
    EXPECT_THAT(std::string(machine.status().message()), HasSubstr(item.error))
        << item.content;
  }
}

// As in Slurm from 25.05 on.
TEST(BlocksKindTest, ABlockMayHaveFewerNodes) {
  const ScratchFile file(
      "BlockName=a Nodes=n[1-4]\nBlockName=b Nodes=n[5-7]\n");
  const auto machine = ParseWithFile(kMachine, file);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ((*machine)->topology().blocks()->base_nodes, 4U);
  EXPECT_THAT((*machine)->topology().blocks()->first_node,
              ElementsAre(0, 4, 7));
}

TEST(BlocksKindTest, OptionsOfTheKind) {
  EXPECT_THAT(
      ErrorOfContent("topology: {kind: blocks, dims: [2]}\n", ""),
      HasSubstr("topology.dims: not an option of kind blocks (expected "
                "one of topology.slurm_topology, topology.slurm_topology_name, "
                "topology.spare_nodes"));
  EXPECT_THAT(ErrorOfContent("topology: {kind: blocks}\n", ""),
              HasSubstr("topology.slurm_topology: missing (expected the path"));
}

}  // namespace
}  // namespace coolspan
