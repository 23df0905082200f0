// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/futures.h"

#include <gtest/gtest.h>

#include "mesh_machine.h"

namespace coolspan {
namespace {

class FuturesTest : public ::testing::Test {
 protected:
  FuturesTest() {
    request_.expected_run_ms = 600'000;
    request_.seed = 7;
  }
  void AddStart(TimeMs start_ms, NodeCount nodes, TimeMs run_ms) {
    starts_.Add({start_ms, nodes, run_ms});
  }
  Futures Make() const {
    return {MachineView(*machine_, free_, nullptr, 0, nullptr, nullptr, 100'000,
                        &starts_),
            request_, 5};
  }

  std::shared_ptr<const Machine> machine_ = MeshMachine(FlatGrid({4, 4}));
  NodeSet free_ = NodeSet::All(16);
  RecentStarts starts_;
  Request request_;
};

TEST_F(FuturesTest, ReachAsFarAsTheMeanRunTime) {
  AddStart(0, 2, 200'000);
  AddStart(50'000, 3, 0);  // unknown: not in the mean
  EXPECT_EQ(Make().horizon_ms(), 400'000);
}

TEST_F(FuturesTest, AreEmptyWithoutRecentStarts) {
  EXPECT_TRUE(Make().Draw(0).jobs.empty());
}

TEST_F(FuturesTest, DrawSizesAndRunTimesTogether) {
  AddStart(0, 2, 200'000);
  AddStart(50'000, 3, 0);
  std::size_t jobs = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    TimeMs last_ms = 100'000;
    for (const ComingJob& job : Make().Draw(i).jobs) {
      ++jobs;
      EXPECT_GE(job.submit_ms, last_ms);
      EXPECT_LT(job.submit_ms, 100'000 + 400'000);
      last_ms = job.submit_ms;
      const bool known = (job.nodes == 2 && job.run_ms == 200'000) ||
                         (job.nodes == 3 && job.run_ms == 400'000) ||
                         (job.nodes == 5 && job.run_ms == 600'000);
      EXPECT_TRUE(known) << job.nodes << " " << job.run_ms;
    }
  }
  // A gap of 50 s over 400 s: 8 of each future.
  EXPECT_NEAR(static_cast<double>(jobs) / 100, 8, 1);
}

TEST_F(FuturesTest, OfAJobThatWaitedHaveOthersDueAtOnce) {
  AddStart(0, 2, 200'000);
  const auto due = [this] {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < 300; ++i) {
      for (const ComingJob& job : Make().Draw(i).jobs) {
        count += job.submit_ms == 100'000 ? 1 : 0;
      }
    }
    return static_cast<double>(count) / 300;
  };
  EXPECT_NEAR(due(), 0, 0.1);
  request_.waited_ms = 61'000;
  EXPECT_NEAR(due(), 0.7 / 0.3, 0.5);
}

TEST_F(FuturesTest, DependOnTheSeedAndTheNumberAlone) {
  AddStart(0, 2, 200'000);
  const auto submits = [this](std::uint32_t index) {
    std::vector<TimeMs> times;
    for (const ComingJob& job : Make().Draw(index).jobs) {
      times.push_back(job.submit_ms);
    }
    return times;
  };
  EXPECT_EQ(submits(3), submits(3));
  EXPECT_NE(submits(3), submits(4));
  const std::vector<TimeMs> before = submits(3);
  request_.seed = 8;
  EXPECT_NE(submits(3), before);
}

TEST_F(FuturesTest, AreBoundedInBursts) {
  for (int i = 0; i < 64; ++i) AddStart(100'000, 1, 1'000'000'000);
  EXPECT_LE(Make().Draw(0).jobs.size(), 64U);
}

}  // namespace
}  // namespace coolspan
