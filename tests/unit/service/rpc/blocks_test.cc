// SPDX-License-Identifier: GPL-3.0-or-later
// A machine with blocks, over a real connection: segments, and what is idle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "httplib.h"
#include "topology/block_tree.h"
#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class BlocksTest : public ServingTest {
 protected:
  BlocksTest() : ServingTest("http: {listen: \"127.0.0.1:0\"}\n") {}

  // Nodes 1 to 4 and 5 to 8.
  void StartInBlocks() {
    DaemonSetup setup = SmallSetup(folder_.File(""), more_);
    Blocks blocks;
    blocks.first_node = {0, 4, 8};
    blocks.base_nodes = 4;
    blocks.sizes = {1};
    setup.machine = *Machine::Create(
        "blocks", {"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"},
        *MakeBlockTree(std::move(blocks)));
    setup.ordering = *MakeOrdering(*setup.machine, "row-major");
    setup.policy = *MakePolicy("first-fit", setup.machine, {setup.ordering});
    Serve(setup);
    Sync();
  }
  v1::AllocateReply Place(std::uint32_t job, std::uint32_t nodes,
                          std::uint32_t segment) {
    v1::AllocateRequest request = AskFor(epoch_, job, nodes);
    request.set_segment_nodes(segment);
    return Allocate(request);
  }
  std::string Metrics() const {
    httplib::Client client("http://" + daemon_->http_address());
    const httplib::Result result = client.Get("/metrics");
    EXPECT_TRUE(result) << httplib::to_string(result.error());
    return result ? result->body : "";
  }
};

TEST_F(BlocksTest, SegmentsStayInBlocks) {
  StartInBlocks();
  EXPECT_EQ(Place(1, 3, 3).nodes(), Bitmap({1, 2, 3}));
  EXPECT_EQ(Place(2, 2, 2).nodes(), Bitmap({5, 6}));
  EXPECT_EQ(Place(3, 2, 1).nodes(), Bitmap({4, 7}));
  const v1::AllocateReply none = Place(4, 2, 2);
  EXPECT_FALSE(none.placed());
  EXPECT_THAT(Place(5, 3, 2).reason(), HasSubstr("too few"));
}

TEST_F(BlocksTest, SpreadAndConsolidatedSegments) {
  StartInBlocks();
  v1::AllocateRequest request = AskFor(epoch_, 1, 4);
  request.set_segment_nodes(2);
  request.set_spread_segments(true);
  EXPECT_EQ(Allocate(request).nodes(), Bitmap({1, 2, 5, 6}));
  request = AskFor(epoch_, 2, 4);
  request.set_segment_nodes(2);
  request.set_consolidate_segments(true);
  EXPECT_FALSE(Allocate(request).placed());
  request.set_consolidate_segments(false);
  request.set_attempt(2);
  EXPECT_EQ(Allocate(request).nodes(), Bitmap({3, 4, 7, 8}));
}

TEST_F(BlocksTest, WhatIsIdleIsShown) {
  StartInBlocks();
  Place(1, 3, 3);
  const v1::StatusReply status = Good(&Stub::Status, v1::StatusRequest());
  ASSERT_TRUE(status.clusters(0).has_block_space());
  const v1::ClusterStatus::BlockSpace& space = status.clusters(0).block_space();
  EXPECT_EQ(space.idle_blocks(), 1U);
  EXPECT_EQ(space.largest_job(), 5U);
  EXPECT_THAT(space.segment_nodes(), ElementsAre(1, 2, 4));
  EXPECT_THAT(space.segments(), ElementsAre(5, 2, 1));
  const v1::ClusterStatus::FreeSpace& free = status.clusters(0).free_space();
  EXPECT_EQ(free.intervals(), 1U);
  EXPECT_EQ(free.largest_interval(), 5U);
  EXPECT_FALSE(free.has_largest_box());
  EXPECT_THAT(free.idle_switches(), ElementsAre(1));
  EXPECT_THAT(free.largest_switch(), ElementsAre(4));
  const std::string page = Metrics();
  EXPECT_THAT(page, HasSubstr("coolspan_free_intervals{cluster=\"c\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("coolspan_largest_free_nodes{cluster=\"c\","
                              "within=\"interval\"} 5\n"));
  EXPECT_THAT(page, HasSubstr("coolspan_largest_free_nodes{cluster=\"c\","
                              "within=\"switch_0\"} 4\n"));
  EXPECT_THAT(page, HasSubstr("coolspan_idle_switches{cluster=\"c\","
                              "level=\"0\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("coolspan_idle_blocks{cluster=\"c\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("coolspan_largest_job_nodes{cluster=\"c\"} 5\n"));
  EXPECT_THAT(page, HasSubstr("coolspan_idle_segments{cluster=\"c\","
                              "nodes=\"2\"} 2\n"));
}

TEST_F(BlocksTest, WithoutBlocks) {
  Sync();
  const v1::AllocateReply reply = Place(1, 2, 2);
  EXPECT_FALSE(reply.placed());
  EXPECT_THAT(reply.reason(), HasSubstr("the machine has no blocks"));
  EXPECT_FALSE(
      Good(&Stub::Status, v1::StatusRequest()).clusters(0).has_block_space());
  const std::string page = Metrics();
  EXPECT_THAT(page, Not(HasSubstr("coolspan_idle_blocks{")));
  EXPECT_THAT(page, Not(HasSubstr("coolspan_idle_switches{")));
}

TEST_F(BlocksTest, FreeNodesOfAMesh) {
  Sync();  // n1 to n8
  Place(1, 2, 0);
  const v1::StatusReply status = Good(&Stub::Status, v1::StatusRequest());
  const v1::ClusterStatus::FreeSpace& free = status.clusters(0).free_space();
  EXPECT_EQ(free.intervals(), 1U);
  EXPECT_EQ(free.largest_interval(), 6U);
  EXPECT_EQ(free.largest_box(), 6U);
  EXPECT_EQ(free.idle_switches_size(), 0);
  EXPECT_THAT(Metrics(), HasSubstr("coolspan_largest_free_nodes{cluster=\"c\","
                                   "within=\"box\"} 6\n"));
}

}  // namespace
}  // namespace coolspan
