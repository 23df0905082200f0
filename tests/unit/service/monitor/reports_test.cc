// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/reports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/fat_tree.h"
#include "topology/mesh.h"
#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

class ReportsTest : public ServingTest {
 protected:
  // The same eight nodes, wired another way.
  v1::StatusReply StatusOn(std::shared_ptr<const Topology> topology) {
    DaemonSetup setup = SmallSetup(folder_.File(""));
    std::vector<std::string> names;
    for (NodeId node = 0; node < 8; ++node) {
      names.push_back(setup.machine->NodeName(node));
    }
    setup.machine = *Machine::Create("small", names, std::move(topology));
    setup.ordering = *MakeOrdering(*setup.machine, "row-major");
    setup.policy = *MakePolicy("first-fit", setup.machine, {setup.ordering});
    Serve(setup);
    return Good(&Stub::Status, v1::StatusRequest());
  }
};

TEST_F(ReportsTest, ReportsVerticesWithFewerNodes) {
  Grid grid;
  grid.dims = {3, 2};
  grid.wrap = {true, false};
  grid.nodes_per_vertex = 2;
  grid.holes = {5};
  grid.short_vertices = {{0, 1}, {3, 1}};
  const v1::Grid sent = StatusOn(MakeMesh(grid).value()).grid();
  EXPECT_THAT(sent.dims(), ::testing::ElementsAre(3, 2));
  EXPECT_THAT(sent.wrap(), ::testing::ElementsAre(true, false));
  EXPECT_EQ(sent.nodes_per_vertex(), 2U);
  EXPECT_THAT(sent.holes(), ::testing::ElementsAre(5));
  ASSERT_EQ(sent.short_vertices_size(), 2);
  EXPECT_EQ(sent.short_vertices(1).vertex(), 3U);
  EXPECT_EQ(sent.short_vertices(1).nodes(), 1U);
}

TEST_F(ReportsTest, APolicyIsNamedWithItsOptions) {
  DaemonSetup setup = SmallSetup(folder_.File(""));
  const std::string spec = "coolspan:perimeter=0.2";
  setup.policy = *MakePolicy(spec, setup.machine, {setup.ordering});
  Serve(setup);
  EXPECT_EQ(Good(&Stub::Status, v1::StatusRequest()).policy(), spec);
  Sync();
  EXPECT_EQ(Allocate(AskFor(epoch_, 1, 4)).policy(), spec);
  EXPECT_EQ(Explain(1).policy(), spec);
  EXPECT_THAT(Explain(1).why(), ::testing::HasSubstr("coolspan"));
  EXPECT_THAT(Explain(1).why(), ::testing::Not(::testing::HasSubstr(spec)));
}

TEST_F(ReportsTest, TreesHaveNoGrid) {
  const v1::StatusReply status =
      StatusOn(MakeFatTree({{2, 2, 2}, {3, 5, 0}}).value());
  EXPECT_FALSE(status.has_grid());
  Sync();
  const v1::AllocateReply reply = Allocate(AskFor(epoch_, 1, 4));
  EXPECT_TRUE(reply.placed());
}

}  // namespace
}  // namespace coolspan
