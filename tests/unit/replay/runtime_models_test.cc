// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "mesh_machine.h"
#include "ordering/ordering.h"
#include "replay/runtime_models/runtime_model.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

// A row of eight nodes; jobs of 1,000 s.
class RuntimeModelsTest : public testing::Test {
 protected:
  JobRun RunOn(const RuntimeOptions& options, const std::vector<NodeId>& nodes,
               std::uint64_t seed = 0) {
    const auto run_times = RunTimes::Create(options, machine_->topology());
    EXPECT_TRUE(run_times.ok()) << run_times.status();
    return run_times->RunOf(1'000'000, static_cast<NodeCount>(nodes.size()),
                            meter_.Measure(nodes), seed);
  }

  std::shared_ptr<const Machine> machine_ = MeshMachine(FlatGrid({8}));
  std::shared_ptr<const Ordering> ordering_ =
      MakeOrdering(*machine_, "row-major").value();
  LocalityMeter meter_{machine_->topology(), *ordering_};
};

TEST_F(RuntimeModelsTest, NoneIsAsLogged) {
  EXPECT_EQ(RunOn({}, {0, 7}).run_ms, 1'000'000);
  EXPECT_EQ(RunOn({}, {0, 7}).communication_share, std::nullopt);
}

TEST_F(RuntimeModelsTest, SstHasThreeDefinitionsOfCost) {
  // Nodes 0, 1, 5: hops 1, 5, 4; 10 in all, over 3 pairs of 3 nodes.
  const auto run_ms = [this](CommCost comm_cost) {
    return RunOn({.model = "sst", .comm_cost = comm_cost}, {0, 1, 5}).run_ms;
  };
  EXPECT_EQ(run_ms(CommCost::kOrdered), 1'188'650);    // CC 20/3
  EXPECT_EQ(run_ms(CommCost::kUnordered), 1'092'450);  // 10/3
  EXPECT_EQ(run_ms(CommCost::kMeanHop), 1'092'450);    // 10/3 too
  // Two nodes four hops apart: 4, 2, 4.
  const auto of_two = [this](CommCost comm_cost) {
    return RunOn({.model = "sst", .comm_cost = comm_cost}, {1, 5}).run_ms;
  };
  EXPECT_EQ(of_two(CommCost::kOrdered), 1'111'690);
  EXPECT_EQ(of_two(CommCost::kUnordered), 1'053'970);
  EXPECT_EQ(of_two(CommCost::kMeanHop), 1'111'690);
}

TEST_F(RuntimeModelsTest, SstReadsTheCostThatWasFittedByDefault) {
  // Four nodes in a row: 10 hops over 6 pairs; ordered would be 5.
  EXPECT_EQ(
      RunOn({.model = "sst", .communication_share = 1}, {0, 1, 2, 3}).run_ms,
      987'500 + std::llround(96'200 * 10 / 6.0));
}

TEST_F(RuntimeModelsTest, SstScalesTheCommunicationShare) {
  const RuntimeOptions options = {.model = "sst", .communication_share = 1};
  const JobRun run = RunOn(options, {1, 5});
  EXPECT_EQ(run.run_ms, 987'500 + 4 * 96'200);
  EXPECT_EQ(run.communication_share, std::nullopt) << "the paper's stays 30 %";
}

TEST_F(RuntimeModelsTest, OneNodeHasNoDelay) {
  for (const std::string model : {"sst", "bqp"}) {
    EXPECT_EQ(RunOn({.model = model}, {3}).run_ms, 1'000'000) << model;
  }
}

TEST_F(RuntimeModelsTest, NoiseIsSeededUniformAndBounded) {
  constexpr double kRho = 0.05;
  const RuntimeOptions options = {
      .model = "sst", .communication_share = 1, .noise = kRho};
  const double middle = 987'500 + 4 * 96'200;
  const double reach = kRho * 4 * 1'000'000;
  double sum = 0;
  std::set<TimeMs> seen;
  constexpr int kDraws = 4000;
  for (int seed = 0; seed < kDraws; ++seed) {
    const TimeMs run_ms =
        RunOn(options, {1, 5}, static_cast<std::uint64_t>(seed)).run_ms;
    EXPECT_NEAR(static_cast<double>(run_ms), middle, reach + 1);
    sum += (static_cast<double>(run_ms) - middle) / reach;
    seen.insert(run_ms);
  }
  EXPECT_GT(seen.size(), 3900U);
  EXPECT_GT(static_cast<double>(*seen.rbegin()), middle + 0.99 * reach);
  EXPECT_LT(static_cast<double>(*seen.begin()), middle - 0.99 * reach);
  EXPECT_NEAR(sum / kDraws, 0, 0.04);  // over four standard deviations
  EXPECT_EQ(RunOn(options, {1, 5}, 9).run_ms, RunOn(options, {1, 5}, 9).run_ms);
}

TEST_F(RuntimeModelsTest, BqpComparesWithTheIdealAndChangesPower) {
  // 10 hops where 0, 1, 2 have 4: communication takes 2.5 times as long.
  const JobRun run = RunOn({.model = "bqp"}, {0, 1, 5});
  EXPECT_EQ(run.run_ms, 700'000 + 750'000);
  ASSERT_TRUE(run.communication_share.has_value());
  EXPECT_NEAR(*run.communication_share, 0.75 / 1.45, 1e-6);
  const JobRun ideal = RunOn({.model = "bqp"}, {3, 4, 5});
  EXPECT_EQ(ideal.run_ms, 1'000'000);
  EXPECT_NEAR(*ideal.communication_share, 0.3, 1e-6);
}

TEST_F(RuntimeModelsTest, BqpRefusesNodesAtDistanceZero) {
  Grid pairs = FlatGrid({4});
  pairs.nodes_per_vertex = 2;
  const auto machine = MeshMachine(pairs);
  const auto refused = RunTimes::Create({.model = "bqp"}, machine->topology());
  EXPECT_TRUE(absl::IsInvalidArgument(refused.status()));
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("bqp needs distances above 0"));
}

TEST_F(RuntimeModelsTest, RunTimesThatOverflowAreClamped) {
  const auto run_times = RunTimes::Create(
      {.model = "sst", .communication_share = 1}, machine_->topology());
  constexpr TimeMs kLatestMs = std::numeric_limits<TimeMs>::max();
  const Locality far = meter_.Measure(std::vector<NodeId>{0, 7});
  EXPECT_EQ(run_times->RunOf(kLatestMs / 10 * 7, 2, far, 0).run_ms, kLatestMs);
}

TEST_F(RuntimeModelsTest, UnknownNamesAndValuesAreReported) {
  const auto message = [this](const RuntimeOptions& options) {
    return std::string(
        RunTimes::Create(options, machine_->topology()).status().message());
  };
  EXPECT_EQ(message({.model = "sss"}),
            "--runtime-model: unknown name 'sss'; did you mean 'sst'?");
  EXPECT_THAT(
      message({.model = "sst", .noise = 0.1}),
      HasSubstr("--runtime-noise: 0.1 is out of range (expected 0 to 0.0962)"));
  EXPECT_THAT(message({.model = "sst", .noise = std::nan("")}),
              HasSubstr("--runtime-noise: nan"));
}

}  // namespace
}  // namespace coolspan
