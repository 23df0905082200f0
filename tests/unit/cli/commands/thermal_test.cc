// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "folders.h"
#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

// Two zones of two nodes, 100 W idle, 300 computing, 200 communicating; all
// heat comes from the first zone and goes to the second, 1/64 K for a watt.
class ThermalTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    WriteFile("D.txt", "0 0\n0.015625 0\n");
    machine_ = WriteFile(
        "machine.yaml",
        "name: two\ntopology: {kind: mesh, dims: [2, 2]}\nnodes: \"n[1-4]\"\n"
        "node_types:\n  - {name: a, nodes: \"n[1-4]\", idle_w: 100, "
        "compute_w: 300, communicate_w: 200}\ncommunication_share: 0.5\n"
        "thermal: {heat_distribution: D.txt, airflow_w_per_k: 32, zones: "
        "{size: 2}, supply_c: 15, redline_c: 30, cop: [0, 1, 0]}\n");
  }
  CliResult Thermal(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"thermal", "--machine", machine_,
                                          "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunCli(arguments);
  }
  std::string PowerFile(const std::string& text) {
    return WriteFile("power.csv", text);
  }
  // The message of a run that fails.
  std::string ErrorOf(std::vector<std::string> more) {
    const CliResult result = Thermal(std::move(more));
    EXPECT_EQ(result.exit, Exit::kBadInput);
    EXPECT_TRUE(result.out.empty());
    EXPECT_TRUE(IsOneLine(result.err)) << result.err;
    return result.err;
  }

  std::string machine_;
};

TEST_F(ThermalTest, AnIdleRoom) {
  const CliResult result = Thermal({});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_EQ(result.err, "");
  const nlohmann::json json = result.Json();
  EXPECT_EQ(json["supply_c"], 15);
  EXPECT_EQ(json["zone_nodes"],
            nlohmann::json::parse(R"([["n1","n2"],["n3","n4"]])"));
  EXPECT_EQ(json["inlet_c"], nlohmann::json({15, 18.125}));
  EXPECT_EQ(json["peak_inlet_c"], 18.125);
  EXPECT_EQ(json["peak_node"], "n3");
  EXPECT_EQ(json["supply_max_c"], 26.875);
  EXPECT_EQ(json["cop"], 26.875);
  EXPECT_EQ(json["it_w"], 400);
  EXPECT_DOUBLE_EQ(json["cooling_w"], 400 / 26.875);
  EXPECT_DOUBLE_EQ(json["cooling_at_supply_w"], 400.0 / 15);
  EXPECT_EQ(json["cop_is_sensible"], true);
}

TEST_F(ThermalTest, BusyNodes) {
  // 250 W at the file's share, 300 and 200 at the ends.
  EXPECT_EQ(Thermal({"--busy", "n1"}).Json()["it_w"], 550);
  EXPECT_EQ(Thermal({"--busy", "0,3", "--comm-share", "0"}).Json()["it_w"],
            800);
  const auto json =
      Thermal({"--busy", "@" + WriteFile("busy", "n1 n2"), "--comm-share=1"})
          .Json();
  EXPECT_EQ(json["it_w"], 600);
  EXPECT_EQ(json["inlet_c"], nlohmann::json({15, 21.25}));
}

TEST_F(ThermalTest, IdleNodesThatAreOff) {
  const auto json = Thermal({"--idle", "off", "--busy", "n3"}).Json();
  EXPECT_EQ(json["it_w"], 350);  // n4 shares n3's zone
  EXPECT_EQ(json["power_w"], nlohmann::json({0, 350}));
  EXPECT_EQ(json["node_power_w"], nlohmann::json::parse("[[0,0],[250,100]]"));
  EXPECT_EQ(json["peak_inlet_c"], 15);
  EXPECT_EQ(Thermal({"--idle", "on", "--busy", "n3"}).Json()["it_w"], 550);
}

TEST_F(ThermalTest, PowersFromAFile) {
  const std::string file =
      PowerFile("node,watts\nn1,512.5\n# n2 is idle\n\"n4\", 10\n");
  auto json = Thermal({"--power-file", file}).Json();
  EXPECT_EQ(json["power_w"], nlohmann::json({612.5, 110}));
  EXPECT_EQ(json["node_power_w"],
            nlohmann::json::parse("[[512.5,100],[100,10]]"));
  EXPECT_EQ(json["it_w"], 722.5);
  EXPECT_EQ(json["inlet_c"], nlohmann::json({15, 15 + 612.5 / 64}));
  // Ids and hostlists, no heading; node 3's zone is off.
  json = Thermal({"--idle", "off", "--power-file", PowerFile("0,50\r\n1,60\n")})
             .Json();
  EXPECT_EQ(json["power_w"], nlohmann::json({110, 0}));
  EXPECT_EQ(json["node_power_w"], nlohmann::json::parse("[[50,60],[0,0]]"));
  json = Thermal({"--power-file", PowerFile("n[1-2,4],1e2\n")}).Json();
  EXPECT_EQ(json["it_w"], 400);
  json = Thermal({"--power-file", PowerFile("")}).Json();
  EXPECT_EQ(json["it_w"], 400);
}

TEST_F(ThermalTest, BadPowerFiles) {
  const auto error = [this](const std::string& text) {
    return ErrorOf({"--power-file", PowerFile(text)});
  };
  EXPECT_THAT(error("node,watts\nn9,5\n"), HasSubstr("power.csv:2:1: "));
  EXPECT_THAT(error("n1,5\nn2,x\n"), HasSubstr("power.csv:2:4: \"x\" is not "));
  EXPECT_THAT(error("n1,nan\n"), HasSubstr("power.csv:1:4: \"nan\" is not "));
  EXPECT_THAT(error("n1,-1\n"), HasSubstr("watts from 0 to"));
  EXPECT_THAT(error("n1,5\n0,5\n"), HasSubstr("power.csv:2:1: node n1: "));
  EXPECT_THAT(error("n1 5\n"), HasSubstr("power.csv:1:1: no comma"));
  EXPECT_THAT(error("n1,1,2\n"),
              HasSubstr("power.csv:1:1: 3 values (expected NODE,WATTS)"));
  EXPECT_THAT(error("n1,n9,2\n"), HasSubstr("has no node \"n9\""));
  EXPECT_THAT(error(",5\n"), HasSubstr("no node before the comma"));
  EXPECT_THAT(ErrorOf({"--power-file", "/nonexistent/p"}),
              HasSubstr("/nonexistent/p: cannot open file"));
  EXPECT_THAT(ErrorOf({"--power-file", PowerFile("n1,5\n"), "--busy", "n2"}),
              HasSubstr("not allowed with --busy"));
}

TEST_F(ThermalTest, BadFlags) {
  EXPECT_THAT(ErrorOf({"--idle", "half"}), HasSubstr("on or off"));
  EXPECT_THAT(ErrorOf({"--comm-share", "1.5"}), HasSubstr("expected 0 to 1"));
  EXPECT_THAT(ErrorOf({"--comm-share", "nan"}), HasSubstr("expected 0 to 1"));
  EXPECT_THAT(ErrorOf({"--busy", "n9"}), HasSubstr("--busy: "));
  machine_ = WriteMesh("2, 2", "n[1-4]");
  EXPECT_THAT(ErrorOf({}), HasSubstr("no thermal description"));
  EXPECT_THAT(ErrorOf({"--idle", "off"}),
              HasSubstr("--idle: machine test has no thermal"));
}

// The peak is 29.7 K above the redline: supply_max_c is below 0.
TEST_F(ThermalTest, FlagsASupplyOutsideTheCopModel) {
  const std::string file = PowerFile("n1,3700\n");
  const auto json = Thermal({"--power-file", file}).Json();
  EXPECT_LT(json["supply_max_c"], 0);
  EXPECT_EQ(json["cop_is_sensible"], false);
  EXPECT_EQ(json["cooling_w"], nullptr);
  const CliResult text =
      RunCli({"thermal", "--machine", machine_, "--power-file", file});
  EXPECT_THAT(text.out, HasSubstr("outside the valid range"));
  EXPECT_THAT(text.out, HasSubstr("n3 is above the redline"));
}

TEST_F(ThermalTest, TextHasFiguresAndADrawing) {
  const std::vector<std::string> arguments = {"thermal", "--machine", machine_,
                                              "--busy", "n[1-2]"};
  const std::string plain = RunCli(arguments).out;
  EXPECT_THAT(plain, HasSubstr("peak_inlet_c         22.812\n"));
  EXPECT_THAT(plain, HasSubstr("n[3-4]            1   22.812      200\n"));
  EXPECT_THAT(plain, HasSubstr("\n 0 0\n 5 5\n"));
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_THAT(RunCli(arguments, true).out, HasSubstr("\x1b[48;5;27m  \x1b[0m"));
}

TEST_F(ThermalTest, AllocateReportsTheRoom) {
  const auto allocate = [this](std::vector<std::string> more) {
    std::vector<std::string> arguments = {
        "allocate",   "--machine", machine_,  "--policy", "free-list",
        "--ordering", "row-major", "--nodes", "1",        "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CliResult result = RunCli(arguments);
    EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
    return result.Json();
  };
  auto json = allocate({"--busy", "n1"});
  EXPECT_EQ(json["ids"], nlohmann::json({1}));
  EXPECT_EQ(json["metrics"]["it_w"], 700);
  EXPECT_EQ(json["metrics"]["peak_inlet_c"], 15 + 500.0 / 64);
  EXPECT_EQ(json["metrics"]["supply_max_c"], 30 - 500.0 / 64);
  EXPECT_DOUBLE_EQ(json["metrics"]["cooling_w"], 700 / (30 - 500.0 / 64));
  EXPECT_THAT(std::string(json["why"]),
              HasSubstr("peak inlet before 20.47 C, peak inlet after 22.81 C, "
                        "cooling added "));
  // n1 and n2 cause all heat; no choice of one node is more compact.
  EXPECT_THAT(std::string(json["why"]),
              HasSubstr("pairwise total 0, coolest peak inlet 20.47 C, "));
  EXPECT_THAT(std::string(json["why"]),
              HasSubstr("compact peak inlet 22.81 C, "));
  json = allocate({"--comm-share", "0"});
  EXPECT_EQ(json["metrics"]["it_w"], 600);
  json = allocate({"--idle", "off", "--comm-share", "1"});
  EXPECT_EQ(json["metrics"]["it_w"], 300);
  machine_ = WriteMesh("2, 2", "n[1-4]");
  EXPECT_FALSE(allocate({})["metrics"].contains("peak_inlet_c"));
}

TEST_F(ThermalTest, CheckConfigLoadsTheMatrix) {
  CliResult result = RunCli({"check-config", machine_});
  EXPECT_EQ(result.exit, Exit::kSuccess) << result.err;
  EXPECT_THAT(result.out, HasSubstr(", a room of 2 zones\n"));
  WriteFile("D.txt", "0 0\n0 -0.9\n");
  result = RunCli({"check-config", machine_});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_THAT(result.err, HasSubstr("machine.yaml:7:"));
  EXPECT_THAT(result.err, HasSubstr("cools the inlet of zone 1: row 2"));
}

TEST_F(ThermalTest, PublishedPeaksOfBoston40) {
  COOLSPAN_NEED_DATA("heat/boston40-D.txt");
  machine_ = WriteFile(
      "boston40.yaml",
      "name: boston40\ntopology: {kind: mesh, dims: [4, 5, 2]}\n"
      "nodes: \"n[01-40]\"\nnode_types:\n  - {name: std, nodes: \"n[01-40]\", "
      "idle_w: 1000, compute_w: 3000, communicate_w: 3000}\n"
      "thermal: {airflow_w_per_k: 293.486, supply_c: 15, redline_c: 30, "
      "heat_distribution: " +
          (DataDir() / "heat/boston40-D.txt").string() + "}\n");
  const CliResult idle = Thermal({});
  ASSERT_EQ(idle.exit, Exit::kSuccess) << idle.err;
  EXPECT_NEAR(idle.Json()["peak_inlet_c"], 23.73, 0.005);
  EXPECT_EQ(idle.Json()["inlet_c"].size(), 40U);
  const auto full = Thermal({"--busy", "n[01-40]"}).Json();
  EXPECT_NEAR(full["peak_inlet_c"], 41.20, 0.005);
  EXPECT_EQ(full["it_w"], 120000);
}

// The columns of this file are in another node order than its rows.
TEST_F(ThermalTest, CheckConfigRefusesMixedNodeOrders) {
  COOLSPAN_NEED_DATA("heat/sst-DMatrix4_5_2.mtx");
  machine_ = WriteFile(
      "copy.yaml",
      "name: copy\ntopology: {kind: mesh, dims: [4, 5, 2]}\n"
      "nodes: \"n[01-40]\"\nnode_types:\n  - {name: std, nodes: \"n[01-40]\", "
      "idle_w: 1000, compute_w: 3000, communicate_w: 3000}\n"
      "thermal: {airflow_w_per_k: 293.486, supply_c: 15, redline_c: 30, "
      "heat_distribution: " +
          (DataDir() / "heat/sst-DMatrix4_5_2.mtx").string() + "}\n");
  const CliResult result = RunCli({"check-config", machine_});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_TRUE(IsOneLine(result.err)) << result.err;
  EXPECT_THAT(result.err, HasSubstr("copy.yaml:6:"));
  EXPECT_THAT(result.err, HasSubstr("437 negative entries, row "));
  EXPECT_THAT(result.err, HasSubstr("sums to 1.757"));
  EXPECT_THAT(result.err, HasSubstr("the order of the nodes"));
}

}  // namespace
}  // namespace coolspan
