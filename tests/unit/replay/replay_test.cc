// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "mesh_machine.h"
#include "replay/in_process_port.h"
#include "unit/replay/scratch_file.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

Workload RandomWorkload(std::size_t jobs) {
  std::mt19937_64 random(1);
  Workload workload;
  TimeMs now_s = 0;
  for (std::size_t i = 0; i < jobs; ++i) {
    now_s += static_cast<TimeMs>(random() % 10);
    workload.jobs.push_back(Job(now_s, 1 + static_cast<TimeMs>(random() % 60),
                                1 + static_cast<NodeCount>(random() % 20)));
    workload.jobs.back().number = static_cast<std::int64_t>(i);
  }
  return workload;
}

class ReplayTest : public testing::Test {
 protected:
  ReplayTest() {
    setup_.machine = MeshMachine(FlatGrid({8, 8}));
    setup_.ordering = MakeOrdering(*setup_.machine, "hilbert").value();
    setup_.scheduler = *FindScheduler("easy");
    setup_.policies = {"first-fit", "best-fit", "random"};
    setup_.open_port =
        InProcessPorts(setup_.machine, {.ordering = setup_.ordering});
    setup_.decisions_path = decisions_.path();
  }
  absl::StatusOr<std::vector<RunReport>> RunSetup() {
    return Replay(setup_, workload_, started_);
  }

  const ScratchFile decisions_;
  const Workload workload_ = RandomWorkload(500);
  ReplaySetup setup_;
  std::atomic<std::uint64_t> started_ = 0;
};

TEST_F(ReplayTest, PoliciesTogetherDecideAsOneByOne) {
  const auto together = RunSetup();
  ASSERT_TRUE(together.ok()) << together.status();
  EXPECT_EQ(started_, 1500U);
  const std::string decisions = decisions_.Read();
  std::string one_by_one;
  for (const std::string& policy : std::vector(setup_.policies)) {
    setup_.policies = {policy};
    ASSERT_TRUE(RunSetup().ok());
    std::string one = decisions_.Read();
    if (!one_by_one.empty()) one.erase(0, one.find('\n') + 1);
    one_by_one += one;
  }
  EXPECT_EQ(decisions, one_by_one);
  EXPECT_EQ(std::count(decisions.begin(), decisions.end(), '\n'), 1501);
}

TEST_F(ReplayTest, ReportsEachPolicyInOrder) {
  const auto reports = RunSetup();
  ASSERT_TRUE(reports.ok());
  ASSERT_EQ(reports->size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*reports)[i].policy, setup_.policies[i]);
    EXPECT_EQ((*reports)[i].jobs, 500U);
    EXPECT_GT((*reports)[i].wall_s, 0);
    EXPECT_GT((*reports)[i].peak_rss_mb, 1);
  }
}

TEST_F(ReplayTest, SeedsDecideRandomPolicies) {
  setup_.policies = {"random"};
  const auto decisions = [this](std::uint64_t seed) {
    setup_.seed = seed;
    EXPECT_TRUE(RunSetup().ok());
    return decisions_.Read();
  };
  const std::string first = decisions(1);
  EXPECT_EQ(first, decisions(1));
  EXPECT_NE(first, decisions(2));
}

TEST_F(ReplayTest, NodesAreHeldByOneJobAtATime) {
  setup_.policies = {"best-fit"};
  ASSERT_TRUE(RunSetup().ok());
  // From the file alone: the sum of nodes that run never passes the machine's,
  // and no node is in two jobs that overlap.
  struct Held {
    double start, end;
    NodeSet nodes;
  };
  std::vector<Held> all;
  std::istringstream lines(decisions_.Read());
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::vector<std::string> fields;
    std::istringstream rest(line);
    for (int i = 0; i < 9; ++i) {
      std::getline(rest, fields.emplace_back(), ',');
    }
    std::string hostlist;
    std::getline(rest, hostlist);
    std::erase(hostlist, '"');
    const auto nodes = setup_.machine->ParseNodes(hostlist);
    ASSERT_TRUE(nodes.ok()) << nodes.status();
    EXPECT_EQ(nodes->Count(), std::stoul(fields[5]));
    all.push_back({std::stod(fields[3]), std::stod(fields[4]), *nodes});
  }
  ASSERT_EQ(all.size(), 500U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (all[i].start < all[j].end && all[j].start < all[i].end) {
        ASSERT_FALSE(all[i].nodes.Intersects(all[j].nodes)) << i << " " << j;
      }
    }
  }
}

TEST_F(ReplayTest, AnUnknownPolicyIsFoundBeforeAnythingIsWritten) {
  setup_.policies = {"first-fit", "bestfit"};
  const auto reports = RunSetup();
  EXPECT_TRUE(absl::IsInvalidArgument(reports.status()));
  EXPECT_THAT(std::string(reports.status().message()), HasSubstr("bestfit"));
  EXPECT_EQ(decisions_.Read(), "");
}

TEST_F(ReplayTest, AFileThatCannotBeWrittenIsAnError) {
  setup_.decisions_path = "/dev/full";
  EXPECT_THAT(std::string(RunSetup().status().message()),
              HasSubstr("/dev/full: cannot be written"));
}

}  // namespace
}  // namespace coolspan
