// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/observers/run_metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mesh_machine.h"
#include "replay/observers/decision_time_meter.h"
#include "replay/observers/waits.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

// A row of eight nodes, ranks as ids.
class RunMetricsTest : public testing::Test {
 protected:
  void Add(WorkloadJob job, TimeMs start_s, const std::vector<NodeId>& nodes,
           double decision_us = 1) {
    job.nodes = static_cast<NodeCount>(nodes.size());
    const Placement placement = {.job = 0,
                                 .ask = {.job = {.job_id = 1},
                                         .nodes = job.nodes,
                                         .seed = 0,
                                         .now_ms = start_s * 1000,
                                         .communication_share = {}},
                                 .nodes = nodes,
                                 .decision_us = decision_us};
    const MeasuredStart measured = {
        .run = {.run_ms = job.run_ms, .communication_share = {}},
        .locality = meter_.Measure(nodes),
        .pattern = {},
        .cooling = cooling_};
    EXPECT_TRUE(metrics_.Started({job, placement, measured}).ok());
    EXPECT_TRUE(times_.Started({job, placement, measured}).ok());
    EXPECT_TRUE(waits_.Started({job, placement, measured}).ok());
    metrics_.Ended({.job = 0,
                    .nodes = nodes,
                    .start_ms = placement.start_ms(),
                    .now_ms = placement.start_ms() + job.run_ms});
  }
  std::map<std::string, std::optional<double>> Values() const {
    RunReport report;
    report.wall_s = 0.5;
    metrics_.Report(report);
    times_.Report(report);
    waits_.Report(report);
    std::map<std::string, std::optional<double>> values;
    for (const NamedValue& value : report.metrics) {
      EXPECT_TRUE(values.emplace(value.name, value.value).second)
          << value.name << " is there twice";
    }
    return values;
  }
  double Value(const std::string& name) const {
    const auto values = Values();
    return values.at(name).value();
  }

  std::shared_ptr<const Machine> machine_ = MeshMachine(FlatGrid({8}));
  std::shared_ptr<const Ordering> ordering_ =
      MakeOrdering(*machine_, "row-major").value();
  LocalityMeter meter_{machine_->topology(), *ordering_};
  std::optional<Cooling> cooling_;
  RunMetrics metrics_{machine_->node_count(), 0};
  DecisionTimeMeter times_;
  Waits waits_{0};
};

TEST_F(RunMetricsTest, AggregatesLocality) {
  Add(Job(0, 30, 0), 0, {2});           // linear span 1, pairwise 0
  Add(Job(0, 10, 0), 0, {0, 1});        // 2, 1
  Add(Job(0, 60, 0), 0, {3, 4, 5, 7});  // 5, 13
  EXPECT_EQ(metrics_.jobs(), 3U);
  EXPECT_DOUBLE_EQ(Value("linear_span"), 8.0 / 3);
  EXPECT_DOUBLE_EQ(Value("linear_span_max"), 5);
  EXPECT_DOUBLE_EQ(Value("linear_span_sumsq"), 1 + 4 + 25);
  EXPECT_DOUBLE_EQ(Value("linear_span_tw"), (30 + 20 + 300) / 100.0);
  EXPECT_DOUBLE_EQ(Value("linear_span_n2"), 3.5);
  EXPECT_DOUBLE_EQ(Value("linear_span_per_node"), (1 + 1 + 1.25) / 3);
  EXPECT_DOUBLE_EQ(Value("pairwise_total"), 14.0 / 3);
  EXPECT_DOUBLE_EQ(Value("pairwise_total_n2"), 7);
  EXPECT_DOUBLE_EQ(Value("pairwise_mean"), (0 + 1 + 13 / 6.0) / 3);
  EXPECT_DOUBLE_EQ(Value("comm_cost"), (0 + 1 + 26 / 4.0) / 3);
  EXPECT_DOUBLE_EQ(Value("components_max"), 2);
  EXPECT_DOUBLE_EQ(Value("box_size"), (1 + 2 + 5) / 3.0);
}

TEST_F(RunMetricsTest, RatiosHaveNoPerNodeMetric) {
  Add(Job(0, 30, 0), 0, {2});
  const auto values = Values();
  for (const std::string ratio :
       {"pairwise_mean", "stretch_span", "box_expansion", "cube_expansion"}) {
    EXPECT_TRUE(values.contains(ratio + "_n2")) << ratio;
    EXPECT_FALSE(values.contains(ratio + "_per_node")) << ratio;
  }
}

TEST_F(RunMetricsTest, TotalsOfARun) {
  Add(Job(0, 30, 0), 0, {2});
  Add(Job(10, 10, 0), 50, {0, 1});  // waits 40, ends at 60
  EXPECT_DOUBLE_EQ(Value("makespan_s"), 60);
  EXPECT_DOUBLE_EQ(Value("mean_wait_s"), 20);
  EXPECT_DOUBLE_EQ(Value("mean_runtime_s"), 20);
  EXPECT_DOUBLE_EQ(Value("mean_turnaround_s"), 40);
  EXPECT_DOUBLE_EQ(Value("utilization"), (30 + 20) / (8 * 60.0));
  EXPECT_DOUBLE_EQ(Value("throughput_jobs_per_h"), 2 * 3600 / 60.0);
  EXPECT_DOUBLE_EQ(Value("replay_jobs_per_s"), 4);
}

TEST_F(RunMetricsTest, RoomsAreAggregatedWithAllocations) {
  cooling_ = {
      .peak_inlet_c = 40, .supply_max_c = -5, .it_w = 900, .cooling_w = 300};
  Add(Job(0, 30, 0), 0, {2});
  cooling_ = {
      .peak_inlet_c = 20, .supply_max_c = -15, .it_w = 100, .cooling_w = 50};
  Add(Job(0, 10, 0), 0, {0, 1});
  EXPECT_DOUBLE_EQ(Value("peak_inlet_c"), 30);
  EXPECT_DOUBLE_EQ(Value("peak_inlet_c_max"), 40);
  EXPECT_DOUBLE_EQ(Value("supply_max_c_max"), -5) << "all are below 0";
  EXPECT_DOUBLE_EQ(Value("it_w_n2"), 100);
  EXPECT_DOUBLE_EQ(Value("cooling_w_tw"), (300 * 30 + 50 * 10) / 40.0);
  EXPECT_DOUBLE_EQ(Value("cooling_w_sumsq"), 92'500);
  EXPECT_FALSE(Values().contains("cooling_w_per_node"));
}

TEST_F(RunMetricsTest, WaitsAndBoundedSlowdowns) {
  Add(Job(0, 100, 0), 0, {1});    // slowdown 1
  Add(Job(10, 100, 0), 60, {1});  // waits 50: 1.5
  Add(Job(20, 5, 0), 50, {1});    // waits 30: 35 / 10
  Add(Job(30, 1, 0), 31, {1});    // waits 1: 2 / 10, at least 1
  EXPECT_DOUBLE_EQ(Value("wait_s_p50"), 1);
  EXPECT_DOUBLE_EQ(Value("wait_s_p95"), 50);
  EXPECT_DOUBLE_EQ(Value("wait_s_max"), 50);
  // Mean 20.25; squares 410.0625, 885.0625, 95.0625, 370.5625.
  EXPECT_NEAR(Value("wait_s_sd"), std::sqrt(1760.75 / 4), 1e-9);
  EXPECT_DOUBLE_EQ(Value("mean_bounded_slowdown"), (1 + 1.5 + 3.5 + 1) / 4);
  EXPECT_DOUBLE_EQ(Value("bounded_slowdown_p50"), 1);
  EXPECT_DOUBLE_EQ(Value("bounded_slowdown_max"), 3.5);
}

TEST_F(RunMetricsTest, PercentilesAreNearestRanks) {
  for (int i = 200; i >= 1; --i) Add(Job(0, 1, 0), 0, {0}, i);
  EXPECT_DOUBLE_EQ(Value("decision_us_p50"), 100);
  EXPECT_DOUBLE_EQ(Value("decision_us_p99"), 198);
  EXPECT_DOUBLE_EQ(Value("decision_us_max"), 200);
}

TEST_F(RunMetricsTest, MetricsThatDoNotApplyAreAbsent) {
  Add(Job(0, 0, 0), 0, {3});  // one node, no time
  const auto values = Values();
  EXPECT_EQ(values.at("linear_span"), 1);
  EXPECT_EQ(values.at("linear_span_tw"), std::nullopt);
  EXPECT_EQ(values.at("linear_span_n2"), std::nullopt);
  EXPECT_EQ(values.at("utilization"), std::nullopt);
  EXPECT_EQ(values.at("throughput_jobs_per_h"), std::nullopt);
  EXPECT_EQ(values.at("makespan_s"), 0);
}

TEST_F(RunMetricsTest, ARunWithoutJobsHasNoMeans) {
  const auto values = Values();
  EXPECT_EQ(values.at("mean_wait_s"), std::nullopt);
  EXPECT_EQ(values.at("decision_us_max"), std::nullopt);
}

}  // namespace
}  // namespace coolspan
