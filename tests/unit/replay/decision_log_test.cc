// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/decision_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "mesh_machine.h"
#include "room_machine.h"
#include "scratch_file.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

constexpr char kHeader[] =
    "policy,job,submit_s,start_s,end_s,nodes,pairwise_"
    "total,linear_span,"
    "ring_span,hostlist,ordering,scheduler,seed\n";

class DecisionLogTest : public testing::Test {
 protected:
  absl::Status Add(DecisionLog& log, std::size_t run, const std::string& policy,
                   WorkloadJob job, TimeMs start_ms,
                   const std::vector<NodeId>& nodes) {
    MeasuredStart start;
    start.run.run_ms = job.run_ms;
    start.locality.pairwise_total = 7;
    start.locality.linear_span = 4;
    start.locality.ring_span = 3;
    start.cooling = cooling_;
    const Placement placement{.job = 0,
                              .ask = {.job = {.job_id = 1},
                                      .nodes = job.nodes,
                                      .seed = 0,
                                      .now_ms = start_ms,
                                      .communication_share = {}},
                              .nodes = nodes,
                              .decision_us = 1};
    RunSpec spec;
    spec.policy = policy;
    spec.ordering = ordering_;
    spec.seed = 3;
    return log.Observer(run, spec)->Started({job, placement, start});
  }

  std::shared_ptr<const Machine> machine_ = MeshMachine(FlatGrid({8}));
  const std::shared_ptr<const Ordering> ordering_ =
      MakeOrdering(*machine_, "row-major").value();
  std::optional<Cooling> cooling_;
};

TEST_F(DecisionLogTest, RunsComeInTheirOrder) {
  const ScratchFile file("what was there before");
  auto log = DecisionLog::Create(file.path(), 2, *machine_);
  ASSERT_TRUE(log.ok()) << log.status();
  WorkloadJob job = Job(10, 60, 2);
  job.number = 17;
  ASSERT_TRUE(Add(**log, 1, "best-fit", job, 12'000, {0, 1}).ok());
  ASSERT_TRUE(Add(**log, 0, "first-fit", job, 10'000, {0, 2, 3}).ok());
  ASSERT_TRUE(Add(**log, 1, "best-fit", job, 13'000, {5}).ok());
  ASSERT_TRUE((*log)->Finish().ok());
  EXPECT_EQ(file.Read(),
            std::string(kHeader) +
                "first-fit,17,10,10,70,2,7,4,3,\"n[0,2-3]\",row-major,easy,3\n"
                "best-fit,17,10,12,72,2,7,4,3,n[0-1],row-major,easy,3\n"
                "best-fit,17,10,13,73,2,7,4,3,n5,row-major,easy,3\n");
}

TEST_F(DecisionLogTest, RoomsAddColumns) {
  const ScratchFile file;
  const auto machine = InRoom(*machine_, RoomDescription(8, 1, {0}));
  auto log = DecisionLog::Create(file.path(), 1, *machine);
  cooling_ = {.peak_inlet_c = 23.75,
              .supply_max_c = 21,
              .it_w = 900,
              .cooling_w = 300.5};
  ASSERT_TRUE(Add(**log, 0, "p", Job(0, 5, 2), 0, {0, 2}).ok());
  ASSERT_TRUE((*log)->Finish().ok());
  EXPECT_THAT(
      file.Read(),
      HasSubstr(
          "hostlist,peak_inlet_c,it_w,cooling_w,ordering,scheduler,seed\n"));
  EXPECT_THAT(file.Read(),
              HasSubstr("\"n[0,2]\",23.75,900,300.5,row-major,easy,3\n"));
}

TEST_F(DecisionLogTest, InfiniteCoolingPowerIsEmpty) {
  const ScratchFile file;
  const auto machine = InRoom(*machine_, RoomDescription(8, 1, {0}));
  auto log = DecisionLog::Create(file.path(), 1, *machine);
  cooling_ = {.peak_inlet_c = 90,
              .it_w = 900,
              .cooling_w = std::numeric_limits<double>::infinity()};
  ASSERT_TRUE(Add(**log, 0, "p", Job(0, 5, 2), 0, {0, 2}).ok());
  ASSERT_TRUE((*log)->Finish().ok());
  EXPECT_THAT(file.Read(), HasSubstr("\"n[0,2]\",90,900,,row-major,easy,3\n"));
}

TEST_F(DecisionLogTest, FractionsOfSecondsAreExact) {
  const ScratchFile file;
  auto log = DecisionLog::Create(file.path(), 1, *machine_);
  WorkloadJob job = Job(0, 0, 1);
  job.submit_ms = -1'050;
  job.run_ms = 1;
  ASSERT_TRUE(Add(**log, 0, "p", job, -50, {0}).ok());
  ASSERT_TRUE((*log)->Finish().ok());
  EXPECT_THAT(file.Read(), HasSubstr("p,0,-1.050,-0.050,-0.049,1,"));
}

TEST_F(DecisionLogTest, SaysWhyAFileCannotBeWritten) {
  const auto log = DecisionLog::Create("/nonexistent/d.csv", 1, *machine_);
  EXPECT_EQ(std::string(log.status().message()),
            "/nonexistent/d.csv: cannot be written: No such file or directory");
  // The write fails when the buffer is full, or in Finish.
  auto full = DecisionLog::Create("/dev/full", 1, *machine_);
  ASSERT_TRUE(full.ok());
  EXPECT_THAT(std::string((*full)->Finish().message()),
              HasSubstr("No space left"));
}

}  // namespace
}  // namespace coolspan
