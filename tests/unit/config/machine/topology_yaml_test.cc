// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/topology_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/blocks.h"
#include "unit/config/machine/topology_files.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kSeveral =
    "---\n"
    "- topology: wires\n"
    "  cluster_default: true\n"
    "  tree:\n"
    "    switches:\n"
    "      - switch: root\n"
    "        children: s[1-2]\n"
    "      - switch: s1\n"
    "        nodes: n[01-02]\n"
    "      - switch: s2\n"
    "        nodes: [n03, n04]\n"
    "- topology: racks\n"
    "  cluster_default: false\n"
    "  block:\n"
    "    block_sizes:\n"
    "      - 2\n"
    "      - 4\n"
    "    blocks:\n"
    "      - block: b1\n"
    "        nodes: n[01-02]\n"
    "      - block: b2\n"
    "        nodes: n[03-04]\n"
    "- topology: rest\n"
    "  flat: true\n";
constexpr const char* kTree =
    "topology: {kind: fat-tree, slurm_topology: FILE}\n";
constexpr const char* kBlocks =
    "topology: {kind: blocks, slurm_topology: FILE}\n";

std::string ErrorOfYaml(const std::string& machine_text,
                        std::string_view content) {
  const ScratchFile file(content, ".yaml");
  const auto machine = ParseWithFile(machine_text, file);
  if (machine.ok()) return "no error";
  std::string message(machine.status().message());
  const std::size_t at = message.find(file.path());
  if (at != std::string::npos) message.replace(at, file.path().size(), "FILE");
  return message;
}

TEST(TopologyYamlTest, TreesAndBlocks) {
  const ScratchFile file(kSeveral, ".yaml");
  const auto tree = ParseWithFile(kTree, file);
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ((*tree)->FormatNodes(std::vector<NodeId>{0, 1, 2, 3}), "n[01-04]");
  EXPECT_EQ((*tree)->topology().Distance(0, 1), 0U);
  EXPECT_EQ((*tree)->topology().Distance(0, 2), 2U);
  const auto racks = ParseWithFile(kBlocks, file);
  ASSERT_TRUE(racks.ok()) << racks.status();
  const Blocks* const blocks = (*racks)->topology().blocks();
  ASSERT_NE(blocks, nullptr);
  EXPECT_THAT(blocks->first_node, ElementsAre(0, 2, 4));
  EXPECT_THAT(blocks->sizes, ElementsAre(1, 2));
}

TEST(TopologyYamlTest, AllTopologiesAreListed) {
  const ScratchFile file(kSeveral, ".yaml");
  EXPECT_TRUE(IsTopologyYaml(file.path()));
  EXPECT_FALSE(IsTopologyYaml("/etc/slurm/topology.conf"));
  const auto all = ReadTopologyYaml(file.path());
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ((*all)[0].name, "wires");
  EXPECT_TRUE((*all)[0].is_cluster_default);
  EXPECT_EQ((*all)[1].plugin, "block");
  EXPECT_EQ((*all)[1].place.line, 12);
  EXPECT_EQ((*all)[2].plugin, "flat");
}

// Two of a kind: the default one, or by name.
TEST(TopologyYamlTest, WhichTopology) {
  const auto of = [](std::string_view name, std::string_view nodes,
                     std::string_view more) {
    return "- topology: " + std::string(name) + "\n" + std::string(more) +
           "  block: {blocks: [{block: b, nodes: \"" + std::string(nodes) +
           "\"}]}\n";
  };
  const std::string two = of("a", "x[1-2]", "") + of("b", "y[1-3]", "");
  EXPECT_THAT(ErrorOfYaml(kBlocks, two),
              StartsWith("m.yaml:2:42: topology.slurm_topology: several block "
                         "topologies, none of them the default (expected "
                         "topology.slurm_topology_name); the file has a "
                         "(block), b (block)"));
  const ScratchFile with_default(
      of("a", "x[1-2]", "") + of("b", "y[1-3]", "  cluster_default: true\n"),
      ".yaml");
  const auto machine = ParseWithFile(kBlocks, with_default);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ((*machine)->NodeName(0), "y1");
  const ScratchFile file(two, ".yaml");
  const auto named = ParseWithFile(
      "topology: {kind: blocks, slurm_topology: FILE, slurm_topology_name: "
      "a}\n",
      file);
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_EQ((*named)->NodeName(0), "x1");
  EXPECT_THAT(
      ErrorOfYaml("topology: {kind: blocks, slurm_topology_name: c, "
                  "slurm_topology: FILE}\n",
                  two),
      StartsWith("m.yaml:2:47: topology.slurm_topology_name: no topology "
                 "\"c\"; the file has"));
  EXPECT_THAT(ErrorOfYaml("topology: {kind: fat-tree, slurm_topology_name: a, "
                          "slurm_topology: FILE}\n",
                          two),
              HasSubstr("topology \"a\" is no tree topology"));
  EXPECT_THAT(ErrorOfYaml(kTree, two), HasSubstr("no tree topology"));
}

TEST(TopologyYamlTest, ATopologyConfHasNoNames) {
  EXPECT_THAT(ErrorOfContent("topology: {kind: blocks, slurm_topology_name: a, "
                             "slurm_topology: FILE}\n",
                             "BlockName=a Nodes=n1\n"),
              StartsWith("m.yaml:2:47: topology.slurm_topology_name: FILE is "
                         "no topology.yaml"));
}

TEST(TopologyYamlTest, Errors) {
  const struct {
    const char* content;
    const char* error;
  } cases[] = {
      {"", ":1:1: file is empty (expected a list of topologies)"},
      {"a: 1\n", ":1:1: document is a map (expected a list of topologies)"},
      {"- 3\n", ":1:3: invalid entry \"3\" (expected a topology)"},
      {"- block: {blocks: []}\n", ":1:3: topology: missing (expected a name)"},
      {"- topology: a\n",
       ":1:3: topology \"a\": no kind (expected block, tree "
       "or flat)"},
      {"- topology: a\n  flat: true\n  tree: {}\n",
       ":3:3: \"tree\" after flat (expected one kind of topology)"},
      {"- topology: a\n  flat: true\n- topology: a\n  flat: true\n",
       ":3:3: topology \"a\": specified more than once, first in line 1"},
      {"- topology: a\n  block: 4\n",
       ":2:10: invalid block \"4\" (expected blocks)"},
      {"- topology: a\n  block: {racks: []}\n",
       ":2:11: unknown key \"racks\" (expected block_sizes or blocks)"},
      {"- topology: a\n  block: {blocks: 3}\n",
       ":2:19: invalid blocks \"3\" (expected a list)"},
      {"- topology: a\n  block: {blocks: [3]}\n",
       ":2:20: invalid entry \"3\" (expected a map)"},
      {"- topology: a\n  block: {blocks: [{name: x}]}\n",
       ":2:21: unknown key \"name\" (expected block, nodes)"},
      {"- topology: a\n  block: {blocks: [{block: x, nodes: {a: b}}]}\n",
       ":2:38: nodes is a map (expected a text)"},
      // Those of the reader of topology.conf, at their places.
      {"- topology: a\n  block: {blocks: [{block: x}]}\n",
       ":2:21: block \"x\": no Nodes"},
      {"- topology: a\n  block: {blocks: [{block: x, nodes: \"n[1\"}]}\n",
       ":2:38: Nodes: "},
      {"- topology: a\n  block: {block_sizes: [4, 12], blocks: [{block: x, "
       "nodes: \"n[1-4]\"}]}\n",
       ":2:24: BlockSizes: 12 after 4"},
      {"- topology: a\n  cluster_default: perhaps\n", ":2:20: not valid YAML"},
      {"- [\n", ": not valid YAML"},
  };
  for (const auto& item : cases) {
    EXPECT_THAT(ErrorOfYaml(kBlocks, item.content), HasSubstr(item.error))
        << item.content;
    EXPECT_THAT(ErrorOfYaml(kBlocks, item.content), StartsWith("FILE:"))
        << item.content;
  }
  EXPECT_THAT(ErrorOfYaml("topology: {kind: blocks, slurm_topology: "
                          "/nowhere/topology.yaml}\n",
                          ""),
              StartsWith("m.yaml:2:42: topology.slurm_topology: "));
}

}  // namespace
}  // namespace coolspan
