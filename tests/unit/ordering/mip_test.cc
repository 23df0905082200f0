// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "folders.h"
#include "network_machines.h"
#include "ordering/ordering.h"
#include "ordering/ordering_cost.h"

namespace coolspan {
namespace {

using testing::HasSubstr;

double CostOf(const Machine& machine, const Ordering& ordering, bool ring) {
  const OrderingCost cost = MeasureOrdering(machine.topology(), ordering);
  return ring ? cost.locality_cost_ring : cost.locality_cost;
}

void ExpectProved(const Machine& machine, const std::string& spec) {
  SCOPED_TRACE(spec);
  const auto ordering = MakeOrdering(machine, spec).value();
  ASSERT_TRUE(ordering->proof().has_value());
  const OrderingProof& proof = *ordering->proof();
  EXPECT_TRUE(proof.proved);
  EXPECT_EQ(proof.gap, 0);
  EXPECT_EQ(proof.bound, CostOf(machine, *ordering, proof.ring));
}

TEST(MipTest, ProvesSmallMachinesOnTheLineAndTheRing) {
  for (const Grid& grid : {FlatGrid({1}), FlatGrid({2}), FlatGrid({3, 2}),
                           FlatGrid({4, 2}), FlatGrid({3, 3})}) {
    const auto machine = MeshMachine(grid);
    ExpectProved(*machine, "mip");
    ExpectProved(*machine, "mip:ring");
  }
}

// The optimum is found within the first second; its proof takes longer.
TEST(MipTest, FindsTheOptimumOfFourByFour) {
  const auto machine = MeshMachine(FlatGrid({4, 4}));
  const auto ordering = MakeOrdering(*machine, "mip:seconds=2").value();
  EXPECT_NEAR(CostOf(*machine, *ordering, false), 21.685455, 1e-6);
}

TEST(MipTest, StatesItsGapAtTheTimeLimit) {
  for (const Grid& grid : {FlatGrid({4, 5, 2}), FlatGrid({16, 16})}) {
    const auto machine = MeshMachine(grid);
    const auto ordering = MakeOrdering(*machine, "mip:seconds=1").value();
    const OrderingProof& proof = ordering->proof().value();
    const double cost = CostOf(*machine, *ordering, false);
    EXPECT_EQ(proof.proved, proof.bound == cost);
    EXPECT_GT(proof.bound, cost / 2);
    EXPECT_LE(proof.bound, cost);
    EXPECT_DOUBLE_EQ(proof.gap, (cost - proof.bound) / cost);
    const auto hilbert = MakeOrdering(*machine, "hilbert").value();
    EXPECT_LE(cost, CostOf(*machine, *hilbert, false));
  }
}

// Trees of switches of any size are proved.
TEST(MipTest, ProvesTreesOfSwitches) {
  ExpectProved(*FatTreeMachine(), "mip");
  ExpectProved(*FatTreeMachine(), "mip:ring");
  SwitchTree tree;
  constexpr VertexId kLeaves = 300;
  tree.parent.assign(kLeaves, kLeaves);
  tree.nodes_at.assign(kLeaves, 36);
  tree.parent.push_back(kLeaves);
  tree.nodes_at.push_back(0);
  ExpectProved(*MachineOn(MakeFatTree(tree).value()), "mip");
}

TEST(MipTest, ProvesTheRealTopologyFiles) {
  COOLSPAN_NEED_DATA("topology");
  const std::filesystem::path folder = DataDir() / "topology";
  for (const char* const name : {"slurm-superpod-circe", "unsw-abacus"}) {
    const std::string file = folder / (std::string(name) + ".topology.conf");
    const auto machine = ParseMachineFile(
        "name: real\ntopology: {kind: fat-tree, "
        "slurm_topology: \"" +
            file + "\"}\n",
        "real.yaml");
    ASSERT_TRUE(machine.ok()) << machine.status();
    ExpectProved(**machine, "mip");
    ExpectProved(**machine, "mip:ring");
  }
}

TEST(MipTest, RefusesUnknownOptions) {
  const auto machine = MeshMachine(FlatGrid({2, 2}));
  for (const char* const spec :
       {"mip:rung", "mip:seconds=", "mip:seconds=-1", "mip:seconds=x",
        "mip:seconds=nan", "mip:ring;seconds=1"}) {
    const auto ordering = MakeOrdering(*machine, spec);
    EXPECT_EQ(ordering.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(ordering.status().message()), HasSubstr("ring"));
  }
}

}  // namespace
}  // namespace coolspan
