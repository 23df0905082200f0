// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/picture_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "mesh_machine.h"
#include "replay/ports/in_process_port.h"
#include "replay/replay.h"
#include "room_machine.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using Stretch = RunPicture::Frame::Stretch;

constexpr std::int64_t kFree = RunPicture::Frame::kFree;

WorkloadJob Numbered(std::int64_t number, WorkloadJob job) {
  job.number = number;
  return job;
}

class PictureRecorderTest : public testing::Test {
 protected:
  PictureRecorderTest() {
    setup_.machine = MeshMachine(FlatGrid({4, 2}));
    setup_.recording.pictured = {0};
  }
  RunPicture Record(std::vector<WorkloadJob> jobs) {
    setup_.open_port = InProcessPorts(setup_.machine, {});
    setup_.runs = {
        {.policy = "first-fit",
         .ordering = MakeOrdering(*setup_.machine, ordering_).value()}};
    Workload workload;
    workload.jobs = std::move(jobs);
    std::atomic<std::uint64_t> started = 0;
    return *Replay(setup_, OneWorkload(std::move(workload)), started)
                .value()
                .front()
                .picture;
  }

  std::string ordering_ = "row-major";
  ReplaySetup setup_;
};

TEST_F(PictureRecorderTest, FramesHaveTheJobsOfTheNodes) {
  const RunPicture picture =
      Record({Numbered(17, Job(5, 1, 3)), Numbered(18, Job(5, 2, 4))});
  EXPECT_EQ(picture.begin_ms, 5'000);
  EXPECT_EQ(picture.interval_ms, 1'000);
  ASSERT_EQ(picture.frames.size(), 3U);
  EXPECT_THAT(picture.frames[0].stretches,
              ElementsAre(Stretch{3, 17}, Stretch{4, 18}, Stretch{1, kFree}));
  EXPECT_THAT(
      picture.frames[1].stretches,
      ElementsAre(Stretch{3, kFree}, Stretch{4, 18}, Stretch{1, kFree}));
  EXPECT_THAT(picture.frames[2].stretches, ElementsAre(Stretch{8, kFree}));
  EXPECT_TRUE(picture.frames[0].inlet_c.empty());
}

TEST_F(PictureRecorderTest, FramesHaveTheInletsOfTheRoom) {
  setup_.machine =
      InRoom(*setup_.machine, RoomDescription(8, 2, {0.01, 0, 0, 0.01}));
  setup_.runtime.communication_share = 0;
  const RunPicture picture = Record({Job(0, 2, 3)});
  // 400 W idle for each zone, 200 W more for each node in use.
  EXPECT_THAT(picture.frames[0].inlet_c, ElementsAre(25, 19));
  EXPECT_THAT(picture.frames[2].inlet_c, ElementsAre(19, 19));
}

// The bars are by rank: node 3 of the snake is beside node 7.
TEST_F(PictureRecorderTest, BarsHaveTheRanks) {
  ordering_ = "snake";
  const RunPicture picture =
      Record({Numbered(1, Job(0, 9, 3)), Numbered(2, Job(1, 3, 2)),
              Numbered(3, Job(2, 1, 3))});
  ASSERT_EQ(picture.bars.size(), 3U);
  EXPECT_EQ(picture.bars[0].job, 3);
  EXPECT_EQ(picture.bars[0].start_ms, 2'000);
  EXPECT_EQ(picture.bars[0].end_ms, 3'000);
  EXPECT_EQ(picture.bars[0].nodes, 3U);
  EXPECT_THAT(picture.bars[0].ranks, ElementsAre(Pair(5, 3)));
  EXPECT_THAT(picture.bars[1].ranks, ElementsAre(Pair(3, 2)));
  EXPECT_THAT(picture.bars[2].ranks, ElementsAre(Pair(0, 3)));
  EXPECT_DOUBLE_EQ(picture.bar_node_s, 27 + 6 + 3);
  EXPECT_DOUBLE_EQ(picture.total_node_s, 27 + 6 + 3);
}

TEST_F(PictureRecorderTest, KeepsTheLargestJobs) {
  setup_.recording.picture_bounds.bars = 2;
  const RunPicture picture =
      Record({Numbered(1, Job(0, 4, 2)), Numbered(2, Job(10, 8, 1)),
              Numbered(3, Job(20, 1, 1)), Numbered(4, Job(30, 8, 1))});
  // Of the three equal ones the latest is left out.
  ASSERT_EQ(picture.bars.size(), 2U);
  EXPECT_EQ(picture.bars[0].job, 1);
  EXPECT_EQ(picture.bars[1].job, 2);
  EXPECT_DOUBLE_EQ(picture.bar_node_s, 16);
  EXPECT_DOUBLE_EQ(picture.total_node_s, 25);
}

TEST_F(PictureRecorderTest, LimitsTheValuesOfFrames) {
  setup_.recording.picture_bounds.frame_values = 20;
  std::vector<WorkloadJob> jobs;
  for (TimeMs i = 0; i < 100; ++i) {
    jobs.push_back(Numbered(i + 1, Job(i, 2, 1)));
  }
  const RunPicture picture = Record(jobs);
  std::size_t values = 0;
  for (const auto& frame : picture.frames) values += frame.stretches.size();
  // One frame more than the bound may be added before it is noticed.
  EXPECT_LE(values, 20 + 8U);
  EXPECT_GE(picture.frames.size(), 3U);
  EXPECT_GT(picture.interval_ms, 8'000);
}

}  // namespace
}  // namespace coolspan
