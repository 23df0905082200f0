// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/stream_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "mesh_machine.h"
#include "network_machines.h"

namespace coolspan {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TimeMs kNow = 1'000'000;

Request AskFor(TimeMs expected_run_ms) {
  Request request;
  request.demand = Demand::Nodes(1);
  request.expected_run_ms = expected_run_ms;
  return request;
}

RecentStarts StartsAt(const std::vector<TimeMs>& times) {
  RecentStarts starts;
  for (const TimeMs time : times) starts.Add({time, 1, 0});
  return starts;
}

class StreamCostsTest : public ::testing::Test {
 protected:
  explicit StreamCostsTest(
      std::shared_ptr<const Machine> machine = MeshMachine(FlatGrid({10})))
      : machine_(std::move(machine)),
        available_(machine_->node_count()),
        ends_(machine_->node_count(), kUnknownEnd) {}

  void SetFree(const std::vector<NodeId>& nodes) {
    available_ = NodeSet(machine_->node_count(), nodes);
  }
  void SetEnd(NodeId node, TimeMs left_ms) {
    ends_.Mutable(node) = kNow + left_ms;
  }
  MachineView View(const RecentStarts* starts = nullptr) const {
    return {*machine_, available_, nullptr, 0, nullptr, &ends_, kNow, starts};
  }
  double During(const std::vector<TimeMs>& times, TimeMs run_ms) const {
    const RecentStarts starts = StartsAt(times);
    return StartsDuring(View(&starts), AskFor(run_ms));
  }
  double LambdaOf(const StreamWeights& weights) const {
    const RecentStarts starts = StartsAt({kNow});
    return CostsFor(View(&starts), AskFor(1), weights).perimeter_weight;
  }
  std::vector<std::int32_t> PhiOf(const StreamWeights& weights,
                                  TimeMs run_ms) const {
    return CostsFor(View(), AskFor(run_ms), weights).busy_phi;
  }

  std::shared_ptr<const Machine> machine_;
  NodeSet available_;
  EndsByNode ends_;
};

TEST_F(StreamCostsTest, WithoutHistoryOrRunTimeTheRateIsTwoThirds) {
  const RecentStarts none;
  EXPECT_DOUBLE_EQ(StartsDuring(View(), AskFor(100)), 2.0 / 3);
  EXPECT_DOUBLE_EQ(StartsDuring(View(&none), AskFor(100)), 2.0 / 3);
  EXPECT_DOUBLE_EQ(During({kNow - 5}, 0), 2.0 / 3) << "no time limit";
}

// Counted by hand: starts that follow within the run, and this one.
TEST_F(StreamCostsTest, CountsTheStartsWithinTheRun) {
  EXPECT_DOUBLE_EQ(During({kNow - 50}, 100), 0.1) << "this one follows";
  EXPECT_DOUBLE_EQ(During({kNow - 100}, 100), 0.1) << "at the last instant";
  EXPECT_DOUBLE_EQ(During({kNow - 101}, 100), 0);
  // 1 and 2 within 100 of the first; this one of neither; the last has it.
  EXPECT_DOUBLE_EQ(During({kNow - 300, kNow - 250, kNow - 200, kNow - 60}, 100),
                   (2 + 1 + 0 + 1) / 40.0);
}

TEST_F(StreamCostsTest, StartsAtOneInstantFollowEachOtherInTheirOrder) {
  EXPECT_DOUBLE_EQ(During({kNow - 500, kNow - 500, kNow - 500}, 100),
                   (2 + 1 + 0) / 30.0);
  EXPECT_DOUBLE_EQ(During({kNow, kNow}, 1), (2 + 1) / 20.0);
}

TEST_F(StreamCostsTest, TenStartsAreManyAndMoreAreNoMore) {
  const std::vector<TimeMs> times(20, kNow - 10);
  // Of the i-th of 20, 19 - i others and this one follow.
  double sum = 0;
  for (int i = 0; i < 20; ++i) sum += std::min(10, 20 - i);
  EXPECT_DOUBLE_EQ(During(times, 100), sum / 200);
  EXPECT_LT(During(times, 5), During(times, 100)) << "this one is too late";
}

TEST_F(StreamCostsTest, LongerJobsSeeMoreStarts) {
  std::vector<TimeMs> times;
  for (TimeMs i = 0; i < 64; ++i)
    times.push_back(kNow - 7 * (64 - i) * (i % 5 + 1));
  std::sort(times.begin(), times.end());
  double last = 0;
  for (TimeMs run_ms = 1; run_ms < 4'000; run_ms += 13) {
    // The definition, start by start.
    double sum = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      int follow = kNow - times[i] <= run_ms ? 1 : 0;
      for (std::size_t k = i + 1; k < times.size(); ++k) {
        follow += times[k] - times[i] <= run_ms ? 1 : 0;
      }
      sum += std::min(10, follow);
    }
    const double share = During(times, run_ms);
    ASSERT_DOUBLE_EQ(share, sum / 640) << run_ms;
    ASSERT_GE(share, last);
    last = share;
  }
  EXPECT_LE(last, 1);
}

TEST_F(StreamCostsTest, TheRateIsAShareOfTheWeight) {
  SetFree({0, 1, 2, 3});
  // One start now: this job alone follows, so g = 0.1.
  EXPECT_DOUBLE_EQ(LambdaOf({2, 0, 0, 1}), 2 * 0.1);
  EXPECT_DOUBLE_EQ(LambdaOf({2, 0, 0, 0.5}), 2 * (0.5 + 0.5 * 0.1));
  EXPECT_DOUBLE_EQ(LambdaOf({0, 0, 0, 1}), 0);
  EXPECT_DOUBLE_EQ(CostsFor(View(), AskFor(0), {3, 0, 0, 1}).perimeter_weight,
                   2)
      << "unknown: two thirds";
}

TEST_F(StreamCostsTest, NeighboursCountByTheDifferenceOfTheEnds) {
  SetFree({8, 9});
  const StreamWeights weights{1, 0.5, 0.25, 0};
  SetEnd(0, 1'000);   // with the job
  SetEnd(1, 500);     // before
  SetEnd(2, 4'000);   // after
  SetEnd(3, 0);       // now
  SetEnd(4, -9'000);  // overdue: now
  SetEnd(8, 500);     // of a job that shares a free node
  // 5, 6 and 7: unknown.
  EXPECT_THAT(PhiOf(weights, 1'000),
              ElementsAre(0, 64, 48, 128, 128, 0, 0, 0, 0, 0));
}

TEST_F(StreamCostsTest, WithoutRunTimeEndsOrWeightsNeighboursCountNothing) {
  const StreamWeights weights{1, 0.5, 0.25, 0};
  SetEnd(0, 500);
  EXPECT_THAT(PhiOf(weights, 0), IsEmpty());
  EXPECT_THAT(PhiOf({1, 0, 0, 0}, 1'000), IsEmpty());
  const MachineView blind(*machine_, available_, nullptr, 0);
  EXPECT_THAT(CostsFor(blind, AskFor(1'000), weights).busy_phi, IsEmpty());
  ends_ = EndsByNode(10, kUnknownEnd);
  EXPECT_THAT(PhiOf(weights, 1'000), Each(0));
}

TEST_F(StreamCostsTest, TimesOfAnyLengthDoNotOverflow) {
  constexpr TimeMs kMax = std::numeric_limits<TimeMs>::max();
  ends_.Mutable(0) = kMax;
  ends_.Mutable(1) = kNow;
  const StreamWeights weights{1, 1'000, 500, 0};
  const std::vector<std::int32_t> phi = PhiOf(weights, kMax);
  EXPECT_EQ(phi[0], 0);
  EXPECT_EQ(phi[1], 1'000 * kPhiUnit);
  EXPECT_EQ(PhiOf(weights, 1)[0], 500 * kPhiUnit);
  EXPECT_DOUBLE_EQ(During({0, kNow}, kMax), (2 + 1) / 20.0);
}

// A single switch with all nodes of a large machine.
class OneVertexCostsTest : public StreamCostsTest {
 protected:
  OneVertexCostsTest()
      : StreamCostsTest(MachineOn(*MakeFatTree({{0}, {9'000}}))) {}
};

TEST_F(OneVertexCostsTest, NeighboursOfOneVertexAddUp) {
  SetEnd(0, 500);
  SetEnd(1, 500);
  SetEnd(2, 0);
  EXPECT_THAT(PhiOf({1, 1, 1, 0}, 1'000), ElementsAre(128 + 128 + 256));
}

TEST_F(OneVertexCostsTest, TheSumOfAVertexDoesNotOverflow) {
  for (NodeId node = 0; node < 9'000; ++node) SetEnd(node, 0);
  EXPECT_THAT(PhiOf({1, 1'000, 1, 0}, 1'000), ElementsAre(kMaxPhi));
}

}  // namespace
}  // namespace coolspan
