// SPDX-License-Identifier: GPL-3.0-or-later
// Choices worked out by hand from the rules of Slurm's select/cons_tres.
// tests/integration/slurm_choices.py compares them with those of a cluster.
#include "policy/slurm/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/allocator.h"
#include "network_machines.h"
#include "policy/table.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SlurmTest : public testing::Test {
 protected:
  void On(std::shared_ptr<const Machine> machine, const std::string& spec) {
    machine_ = std::move(machine);
    policy_ = MakePolicy(spec, machine_, {MakeOrdering(*machine_, "").value()})
                  .value();
  }

  // Ascending; empty: no place.
  std::vector<NodeId> Choose(NodeCount nodes,
                             const std::vector<NodeId>& available,
                             const std::vector<NodeId>& required = {},
                             NodeCount segment_nodes = 0) {
    const NodeSet free(machine_->node_count(), available);
    Request request;
    request.demand = Demand::Nodes(nodes);
    request.segment_nodes = segment_nodes;
    if (!required.empty()) {
      request.required = NodeSet(machine_->node_count(), required);
    }
    Budget budget;
    Trace trace;
    const MachineView view(*machine_, free, nullptr, 1);
    const auto answer = policy_->Place(view, request, budget, trace);
    return answer.has_value() ? answer->nodes : std::vector<NodeId>();
  }
  std::vector<NodeId> AllBut(const std::vector<NodeId>& busy) const {
    NodeSet free = NodeSet::All(machine_->node_count());
    for (const NodeId node : busy) free.Erase(node);
    return free.Members();
  }

  std::shared_ptr<const Machine> machine_;
  std::unique_ptr<const Policy> policy_;
};

TEST_F(SlurmTest, SmallestSufficientSetOfConsecutiveNodes) {
  On(MeshMachine(FlatGrid({10})), "slurm");
  const std::vector<NodeId> free = {0, 1, 3, 4, 5, 7, 8, 9};
  EXPECT_THAT(Choose(1, free), ElementsAre(0));
  EXPECT_THAT(Choose(2, free), ElementsAre(0, 1));
  EXPECT_THAT(Choose(3, free), ElementsAre(3, 4, 5)) << "the first of two";
  EXPECT_THAT(Choose(4, free), ElementsAre(0, 3, 4, 5))
      << "the largest, then the best fit for the rest";
  EXPECT_THAT(Choose(7, free), ElementsAre(0, 3, 4, 5, 7, 8, 9));
}

TEST_F(SlurmTest, RequiredNodesAndThoseAfterThemFirst) {
  On(MeshMachine(FlatGrid({10})), "slurm");
  const std::vector<NodeId> free = {0, 1, 3, 4, 5, 7, 8, 9};
  EXPECT_THAT(Choose(1, free, {4}), ElementsAre(4));
  EXPECT_THAT(Choose(2, free, {8}), ElementsAre(8, 9));
  EXPECT_THAT(Choose(3, free, {8}), ElementsAre(7, 8, 9));
  EXPECT_THAT(Choose(3, free, {8, 9}), ElementsAre(7, 8, 9));
  EXPECT_THAT(Choose(4, free, {1, 8}), ElementsAre(1, 7, 8, 9))
      << "of the sets with a required node, one that has enough";
}

TEST_F(SlurmTest, ConsecutiveIsByName) {
  const auto mesh = MakeMesh(FlatGrid({4})).value();
  On(Machine::Create("m", {"n10", "n1", "n2", "n9"}, mesh).value(), "slurm");
  EXPECT_THAT(Choose(2, {0, 1, 3}), ElementsAre(0, 3)) << "n9 and n10";
}

// Spines 4 and 5 below the top; A (3 nodes) and B (1) below 4, C (2) and D (1)
// below 5. topology.conf has them in the order C, D, B, A.
std::shared_ptr<const Machine> FourLeaves(std::vector<VertexId> listed = {
                                              2, 3, 1, 0, 4, 5, 6}) {
  SwitchTree tree;
  tree.parent = {4, 4, 5, 5, 6, 6, 6};
  tree.nodes_at = {3, 1, 2, 1, 0, 0, 0};
  tree.listed = std::move(listed);
  return MachineOn(MakeFatTree(std::move(tree)).value());
}

TEST_F(SlurmTest, LeafSwitchOfTheBestFit) {
  On(FourLeaves(), "slurm");
  EXPECT_THAT(Choose(1, AllBut({})), ElementsAre(6))
      << "D and B fit best, D is listed first";
  EXPECT_THAT(Choose(2, AllBut({})), ElementsAre(4, 5)) << "C";
  EXPECT_THAT(Choose(3, AllBut({})), ElementsAre(0, 1, 2)) << "A";
  EXPECT_THAT(Choose(2, AllBut({4})), ElementsAre(0, 1));
  EXPECT_THAT(Choose(2, AllBut({4}), {6}), ElementsAre(5, 6))
      << "the nearest leaf after the required one";
  On(FourLeaves({1, 3, 2, 0, 4, 5, 6}), "slurm");
  EXPECT_THAT(Choose(1, AllBut({})), ElementsAre(3)) << "B is listed first";
}

TEST_F(SlurmTest, NearerSwitchesDifferByRelease) {
  // Leaves of 3 and 1 nodes below one spine, of 1 and 1 below the second, of 2
  // below the third; listed with the first two last.
  SwitchTree tree;
  tree.parent = {5, 5, 6, 6, 7, 8, 8, 8, 8};
  tree.nodes_at = {3, 1, 1, 1, 2, 0, 0, 0, 0};
  tree.listed = {2, 3, 4, 1, 0, 5, 6, 7, 8};
  const auto machine = MachineOn(MakeFatTree(std::move(tree)).value());
  // 22.05 still counts the nodes of the first leaf below its spine, which
  // therefore has enough for the rest, and so takes the leaf beside it.
  On(machine, "slurm:release=22.05");
  EXPECT_THAT(Choose(6, AllBut({})), ElementsAre(0, 1, 2, 3, 6, 7));
  On(machine, "slurm:release=24.11");
  EXPECT_THAT(Choose(6, AllBut({})), ElementsAre(0, 1, 2, 3, 4, 5));
  On(machine, "slurm");
  EXPECT_THAT(Choose(6, AllBut({})), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(SlurmTest, SeparateTreesAreNotJoinedIfOneHasEnoughNodes) {
  SwitchTree tree;
  tree.parent = {3, 3, 4, 5, 5, 5};  // leaves 0, 1 below 3; 2 below 4
  tree.nodes_at = {2, 2, 3, 0, 0, 0};
  tree.listed = {0, 1, 2, 3, 4};  // the top is implied
  On(MachineOn(MakeFatTree(std::move(tree)).value()), "slurm");
  EXPECT_THAT(Choose(2, AllBut({})), ElementsAre(4, 5))
      << "the last of the trees with enough nodes, though leaf 0 fits better";
  EXPECT_THAT(Choose(4, AllBut({})), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(Choose(6, AllBut({})).size(), 6U) << "by the implied switch";
  EXPECT_THAT(Choose(3, AllBut({}), {0}), ElementsAre(0, 1, 2));
  EXPECT_THAT(Choose(2, AllBut({}), {0, 6}), ElementsAre(0, 6));
}

TEST_F(SlurmTest, FullestBlockThatHasEnough) {
  On(BlocksMachine(), "slurm");  // base blocks of 4, in pairs
  EXPECT_THAT(Choose(3, AllBut({})), ElementsAre(20, 21, 22)) << "the last";
  EXPECT_THAT(Choose(3, AllBut({1, 13})), ElementsAre(12, 14, 15));
  // A pair: the second has the fewest free nodes.
  EXPECT_THAT(Choose(6, AllBut({9, 10})), ElementsAre(8, 11, 12, 13, 14, 15));
  EXPECT_THAT(Choose(5, AllBut({9, 10})), ElementsAre(8, 12, 13, 14, 15))
      << "the base block with most nodes first";
}

TEST_F(SlurmTest, LargeJobsUseAsFewPairsOfBlocksAsPossible) {
  On(BlocksMachine(), "slurm");
  EXPECT_THAT(Choose(10, AllBut({})),
              ElementsAre(12, 13, 16, 17, 18, 19, 20, 21, 22, 23));
  // 12 nodes are free, 4 of each pair: 9 would need three pairs.
  const std::vector<NodeId> four_of_each = {0,  1,  2,  3,  8,  9,
                                            10, 11, 16, 17, 18, 19};
  EXPECT_THAT(Choose(8, four_of_each), IsEmpty()) << "8 must be in one pair";
  EXPECT_THAT(Choose(9, four_of_each), IsEmpty());
}

TEST_F(SlurmTest, NodesOfAnIncompleteLastPartAreNotCounted) {
  Blocks blocks;  // 5 of 2 nodes, in pairs: the last pair lacks a block
  blocks.first_node = {0, 2, 4, 6, 8, 10};
  blocks.base_nodes = 2;
  blocks.sizes = {1, 2};
  On(MachineOn(MakeBlockTree(std::move(blocks)).value()), "slurm");
  EXPECT_THAT(Choose(6, {2, 3, 4, 5, 6, 7, 8, 9}),
              ElementsAre(4, 5, 6, 7, 8, 9))
      << "6 are in the two whole pairs, but the last pair may be used";
  EXPECT_THAT(Choose(6, {4, 5, 6, 7, 8, 9}), IsEmpty())
      << "2 of them are in the last pair";
}

TEST_F(SlurmTest, RequiredNodesNameTheBlock) {
  On(BlocksMachine(), "slurm");
  EXPECT_THAT(Choose(3, AllBut({}), {1}), ElementsAre(0, 1, 2));
  EXPECT_THAT(Choose(3, AllBut({}), {1, 5}), IsEmpty()) << "of two blocks";
  EXPECT_THAT(Choose(6, AllBut({}), {1, 5}), ElementsAre(0, 1, 4, 5, 6, 7));
}

TEST_F(SlurmTest, SegmentsOneAfterTheOther) {
  On(BlocksMachine(), "slurm");
  EXPECT_TRUE(policy_->PlacesSegments());
  EXPECT_THAT(Choose(6, AllBut({}), {}, 3),
              ElementsAre(16, 17, 18, 20, 21, 22));
  EXPECT_THAT(Choose(4, AllBut({0}), {}, 2), ElementsAre(1, 2, 20, 21))
      << "block 0 has fewest nodes; then it has too few, and the last is taken";
  EXPECT_THAT(Choose(12, AllBut({}), {}, 6), IsEmpty())
      << "larger than a base block";
}

TEST_F(SlurmTest, AnAllocatorLeavesSegmentsToThePolicy) {
  const auto machine = BlocksMachine();
  Allocator allocator(machine);
  const auto policy =
      MakePolicy("slurm", machine, {MakeOrdering(*machine, "").value()})
          .value();
  AllocateCall call;
  call.job = {.job_id = 1};
  call.request.demand = Demand::Nodes(6);
  call.request.segment_nodes = 3;
  Budget budget;
  const auto decision =
      allocator.Preview(call, DecidingPolicies{*policy}, budget);
  ASSERT_TRUE(decision.ok()) << decision.status();
  EXPECT_THAT(decision->allocation.nodes, ElementsAre(16, 17, 18, 20, 21, 22));
}

// Slurm 24.11, whose choice it is, knows none of these.
TEST_F(SlurmTest, AnAllocatorPlacesOtherSegmentsOneByOne) {
  const auto machine = BlocksMachine();
  Allocator allocator(machine);
  const auto policy =
      MakePolicy("slurm", machine, {MakeOrdering(*machine, "").value()})
          .value();
  const auto place = [&](const Request& request) {
    AllocateCall call;
    call.job = {.job_id = 1};
    call.request = request;
    Budget budget;
    const auto decision =
        allocator.Preview(call, DecidingPolicies{*policy}, budget);
    EXPECT_TRUE(decision.ok()) << decision.status();
    return decision.ok() ? decision->allocation.nodes : std::vector<NodeId>();
  };
  Request request;
  request.demand = Demand::Nodes(4);
  request.segment_nodes = 2;
  request.spread_segments = true;
  const std::vector<NodeId> spread = place(request);
  ASSERT_EQ(spread.size(), 4U);
  EXPECT_NE(BlockOf(*machine->topology().blocks(), spread[1]),
            BlockOf(*machine->topology().blocks(), spread[2]));
  request.spread_segments = false;
  request.consolidate_segments = true;
  EXPECT_EQ(place(request).size(), 4U);
  request.consolidate_segments = false;
  request.required =
      NodeSet(machine->node_count(), std::vector<NodeId>{0, 1, 4, 5});
  EXPECT_THAT(place(request), ElementsAre(0, 1, 4, 5));
}

std::string ErrorOf(const std::shared_ptr<const Machine>& machine,
                    const std::string& spec) {
  return std::string(
      MakePolicy(spec, machine, {MakeOrdering(*machine, "").value()})
          .status()
          .message());
}

TEST(SlurmMisfitTest, NamesTheMachineThatIsExpected) {
  const auto mesh = MeshMachine(FlatGrid({4, 4}));
  EXPECT_EQ(ErrorOf(mesh, "slurm"), "");
  EXPECT_EQ(ErrorOf(mesh, "slurm:topology=default"), "");
  EXPECT_EQ(ErrorOf(mesh, "slurm:topology=tree"),
            "policy slurm:topology=tree: the machine has no switches (expected "
            "topology.kind: fat-tree)");
  EXPECT_EQ(ErrorOf(mesh, "slurm:topology=block"),
            "policy slurm:topology=block: the machine has no blocks (expected "
            "topology.kind: blocks)");
  EXPECT_THAT(ErrorOf(mesh, "slurm:topology=torus3d"),
              HasSubstr("three dimensions of at most 32"));
  EXPECT_EQ(ErrorOf(MeshMachine(FlatGrid({2, 2, 2})), "slurm:topology=torus3d"),
            "");
  EXPECT_EQ(ErrorOf(BlocksMachine(), "slurm:topology=block"), "");
  EXPECT_THAT(ErrorOf(BlocksMachine(), "slurm:topology=tree"),
              HasSubstr("no switches"));
  EXPECT_EQ(ErrorOf(FatTreeMachine(), "slurm:topology=tree"), "");
  EXPECT_EQ(ErrorOf(FatTreeMachine(), "slurm:topology=default"), "");
}

}  // namespace
}  // namespace coolspan
