// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "unit/cli/commands/replay_command_test.h"

namespace coolspan {
namespace {

using testing::HasSubstr;

// A row of four nodes, each a zone that heats only itself by 10 mK/W; 100 W
// idle, 300 W computing, 200 W communicating.
class RoomReplayTest : public ReplayCommandTest {
 protected:
  void SetUp() override {
    ReplayCommandTest::SetUp();
    WriteFile("heat.txt", "0.01 0 0 0\n0 0.01 0 0\n0 0 0.01 0\n0 0 0 0.01\n");
    machine_ = WriteFile(
        "room.yaml",
        "name: room\ntopology: {kind: mesh, dims: [4]}\nnodes: \"n[1-4]\"\n"
        "node_types:\n  - {name: std, nodes: \"n[1-4]\", idle_w: 100, "
        "compute_w: 300, communicate_w: 200}\n"
        "communication_share: 0.5\n"
        "thermal: {heat_distribution: heat.txt, airflow_w_per_k: 60, "
        "supply_c: 15, redline_c: 30}\n");
    trace_ =
        WriteFile("trace.swf", SwfLine(1, 0, 100, 3) + SwfLine(2, 20, 50, 1));
  }
  nlohmann::json Run(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--json", "--ordering", "row-major"});
    return ReplayTrace(more).Json().at("runs")[0];
  }
};

TEST_F(RoomReplayTest, OnlySomeSchedulersObeyNodeTypes) {
  EXPECT_EQ(RefusalOfTrace({"--node-types-by", "partition"}),
            "--node-types-by: scheduler easy does not look at the type of a "
            "job (expected fcfs-groups, edf-lrh or scint)\n");
}

// Without --energy-time a replay counts energy to the end of its last job: to
// start later than necessary costs idle power.
TEST_F(RoomReplayTest, APlanCountsEnergyAsTheReplay) {
  WriteFile("heat.txt",
            "0.01 0.01 0.01 0.01\n0.01 0.01 0.01 0.01\n0.01 0.01 0.01 0.01\n"
            "0.01 0.01 0.01 0.01\n");
  trace_ =
      WriteFile("trace.swf", SwfLine(1, 0, 1000, 2) + SwfLine(2, 0, 1000, 2));
  const auto energy_j = [&](const std::string& scheduler) {
    const auto metrics = Run({"--scheduler", scheduler, "--policy", "lrh",
                              "--deadline-factor", "30", "--idle", "on"})
                             .at("metrics");
    return metrics.at("total_energy_j").get<double>();
  };
  EXPECT_LE(energy_j("scint"), energy_j("easy") * (1 + 1e-9));
}

TEST_F(RoomReplayTest, MigrationsHaveMetricsAndLimits) {
  const auto metrics =
      Run({"--scheduler", "scint:evaluations=9000:migrations=1", "--policy",
           "lrh"})
          .at("metrics");
  EXPECT_EQ(metrics.at("migration_energy_j"),
            6000 * metrics.at("migrated_nodes").get<double>());
  EXPECT_TRUE(metrics.contains("migrations"));
  EXPECT_FALSE(Run({"--scheduler", "scint:evaluations=9000"})
                   .at("metrics")
                   .contains("migrations"));
  EXPECT_EQ(RefusalOfTrace({"--scheduler", "scint:migrations=1",
                            "--runtime-model", "sst"}),
            "--scheduler: scint:migrations=1 moves running jobs, and with "
            "--runtime-model sst run times depend on the nodes at the start "
            "(expected --runtime-model none)\n");
}

// A job on nodes of speed 2 without contention is not stretched.
TEST_F(RoomReplayTest, StretchIsRelativeToTheSpeedOfTheNodes) {
  std::string text;
  {
    std::ifstream in(machine_);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  const std::string type = "communicate_w: 200";
  text.replace(text.find(type), type.size(), type + ", speed: 2");
  machine_ = WriteFile("fast.yaml", text);
  const auto metrics =
      Run({"--runtime-model", "contention", "--link-gb-per-s", "1000"})
          .at("metrics");
  EXPECT_EQ(metrics.at("stretch"), 1);
  EXPECT_EQ(metrics.at("stretched_jobs"), 0);
  EXPECT_EQ(metrics.at("mean_runtime_s"), 37.5);
}

TEST_F(RoomReplayTest, EnergyIsExactBetweenEvents) {
  const auto run = Run();
  EXPECT_EQ(run.at("runtime_model"), "none");
  EXPECT_EQ(run.at("comm_share"), 0.5);
  EXPECT_EQ(run.at("idle"), "on");
  const auto& metrics = run.at("metrics");
  // 250 W raise the inlet to 17.5 C, so the supply may be at 27.5 C.
  const double cop = 0.0068 * 27.5 * 27.5 + 0.0008 * 27.5 + 0.458;
  EXPECT_NEAR(metrics.at("peak_inlet_c"), 17.5, 1e-9);
  EXPECT_NEAR(metrics.at("supply_max_c"), 27.5, 1e-9);
  EXPECT_NEAR(metrics.at("it_w"), (850 + 1000) / 2.0, 1e-9);
  EXPECT_NEAR(metrics.at("cooling_w"), 925 / cop, 1e-6);
  EXPECT_NEAR(metrics.at("cooling_w_max"), 1000 / cop, 1e-6);
  EXPECT_NEAR(metrics.at("it_w_tw"), (850 * 100 + 1000 * 50) / 150.0, 1e-9);
  const double it_j = 850 * 20 + 1000 * 50 + 850 * 30;
  EXPECT_NEAR(metrics.at("it_energy_j"), it_j, 1e-6);
  EXPECT_NEAR(metrics.at("cooling_energy_j"), it_j / cop, 1e-3);
  EXPECT_NEAR(metrics.at("total_energy_j"), it_j + it_j / cop, 1e-3);
  EXPECT_NEAR(metrics.at("mean_cooling_w"), it_j / cop / 100, 1e-5);
  EXPECT_EQ(metrics.at("cop_not_sensible_s"), 0);
}

TEST_F(RoomReplayTest, OptionsChangeTheRoom) {
  const auto off = Run({"--idle", "off", "--comm-share", "1"});
  EXPECT_EQ(off.at("idle"), "off");
  EXPECT_EQ(off.at("comm_share"), 1);
  EXPECT_NEAR(off.at("metrics").at("it_energy_j"),
              600 * 20 + 800 * 50 + 600 * 30, 1e-6);
  EXPECT_THAT(RefusalOfTrace({"--idle", "maybe"}),
              HasSubstr("--idle: 'maybe' is not valid (expected on or off)"));
}

TEST_F(RoomReplayTest, LongerCommunicationChangesPower) {
  // The third of three nodes is far off: hops 1, 3, 2 where 1, 2, 1 are ideal.
  const std::string blocker = SwfLine(1, 0, 1000, 2) + SwfLine(2, 0, 10, 1) +
                              SwfLine(3, 1, 1, 1) + SwfLine(4, 20, 100, 2);
  trace_ = WriteFile("far.swf", blocker);
  WriteFile("order.txt", "n1 n3 n2 n4");
  const auto run = [this](const std::string& model) {
    return ReplayTrace({"--json", "--runtime-model", model, "--ordering",
                        "file:" + (folder_ / "order.txt").string()})
        .Json()
        .at("runs")[0];
  };
  // Jobs 1 and 4 are two hops wide.
  EXPECT_NEAR(run("none").at("metrics").at("mean_runtime_s"), 1111 / 4.0, 1e-9);
  const auto bqp = run("bqp");
  EXPECT_EQ(bqp.at("runtime_model"), "bqp");
  EXPECT_NEAR(bqp.at("metrics").at("mean_runtime_s"), (1500 + 150 + 11) / 4.0,
              1e-9);
  // Two thirds of job 1 is communication: 233 1/3 W a node, as steps of 1/16 W;
  // half of jobs 2 and 3, which run beside it.
  EXPECT_NEAR(bqp.at("metrics").at("it_w_max"), 2 * 233.3125 + 2 * 250, 1e-9);
  const auto sst = run("sst");
  EXPECT_EQ(sst.at("comm_cost_reading"), "mean-hop");
  EXPECT_EQ(sst.at("runtime_noise"), 0);
  EXPECT_NEAR(sst.at("metrics").at("mean_runtime_s"),
              (1100 * (1 + 0.5 * (0.9875 + 0.1924 - 1)) + 11) / 4, 1e-3);
}

TEST_F(RoomReplayTest, TextNamesTheRuntimeOptions) {
  const CliResult result =
      ReplayTrace({"--runtime-model", "sst", "--idle", "off"});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_THAT(
      result.out,
      HasSubstr("runtime model sst (communication cost: mean-hop, noise 0), "
                "communication share 0.5, idle nodes off\n"));
  EXPECT_THAT(
      ReplayTrace({"--runtime-model", "sst", "--comm-cost", "ordered"}).out,
      HasSubstr("runtime model sst (communication cost: ordered, noise 0)"));
  EXPECT_THAT(result.out, HasSubstr("cooling_energy_j"));
}

}  // namespace
}  // namespace coolspan
