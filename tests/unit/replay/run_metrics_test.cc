// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/run_metrics.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mesh_machine.h"
#include "unit/replay/simulated_runs.h"

namespace coolspan {
namespace {

// A row of eight nodes, ranks as ids.
class RunMetricsTest : public testing::Test {
 protected:
  void Add(WorkloadJob job, TimeMs start_s, const std::vector<NodeId>& nodes,
           double decision_us = 1) {
    job.nodes = static_cast<NodeCount>(nodes.size());
    metrics_.Add(job,
                 {.job = 0,
                  .ask = {.job_id = 1,
                          .nodes = job.nodes,
                          .seed = 0,
                          .now_ms = start_s * 1000,
                          .communication_share = {}},
                  .nodes = nodes,
                  .decision_us = decision_us},
                 {.run = {.run_ms = job.run_ms, .communication_share = {}},
                  .locality = meter_.Measure(nodes),
                  .cooling = cooling_});
  }
  std::map<std::string, std::optional<double>> Values() const {
    std::map<std::string, std::optional<double>> values;
    for (const NamedValue& value : metrics_.Values(/*wall_s=*/0.5)) {
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
  RunMetrics metrics_{machine_->node_count()};
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
  Add(Job(100, 30, 0), 100, {2});
  Add(Job(110, 10, 0), 150, {0, 1});  // waits 40, ends at 160
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
  EXPECT_FALSE(Values().contains("it_energy_j")) << "not of a preview";
}

TEST_F(RunMetricsTest, EnergyIsTheRuns) {
  Add(Job(100, 30, 0), 100, {2});
  const RoomMeter::Totals room = {
      .it_energy_j = 900, .cooling_energy_j = 300, .cop_not_sensible_s = 4};
  std::map<std::string, std::optional<double>> values;
  for (const NamedValue& value : metrics_.Values(/*wall_s=*/0.5, &room)) {
    values[value.name] = value.value;
  }
  EXPECT_EQ(values.at("it_energy_j"), 900);
  EXPECT_EQ(values.at("cooling_energy_j"), 300);
  EXPECT_EQ(values.at("total_energy_j"), 1200);
  EXPECT_EQ(values.at("mean_cooling_w"), 10);
  EXPECT_EQ(values.at("cop_not_sensible_s"), 4);
}

TEST_F(RunMetricsTest, PercentilesAreNearestRanks) {
  for (int i = 200; i >= 1; --i) Add(Job(0, 1, 0), 0, {0}, i);
  EXPECT_DOUBLE_EQ(Value("decision_us_p50"), 100);
  EXPECT_DOUBLE_EQ(Value("decision_us_p99"), 198);
  EXPECT_DOUBLE_EQ(Value("decision_us_max"), 200);
}

TEST_F(RunMetricsTest, MetricsThatDoNotApplyAreAbsent) {
  Add(Job(5, 0, 0), 5, {3});  // one node, no time
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
