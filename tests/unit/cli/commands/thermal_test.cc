// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "folders.h"
#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

TEST_F(ThermalTest, OtherTemperatures) {
  const auto json = Thermal({"--supply-c", "20", "--redline-c", "27.5"}).Json();
  EXPECT_EQ(json["supply_c"], 20);
  EXPECT_EQ(json["redline_c"], 27.5);
  EXPECT_EQ(json["inlet_c"], nlohmann::json({20, 23.125}));
  EXPECT_EQ(json["supply_max_c"], 24.375);
  EXPECT_EQ(json.count("sweep"), 0U);
}

TEST_F(ThermalTest, SweepsOfTemperatures) {
  const CliResult result = Thermal(
      {"--busy", "n1", "--supply-c", "16:18:3", "--redline-c", "24:26:2"});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  const nlohmann::json json = result.Json();
  ASSERT_EQ(json["sweep"].size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    const nlohmann::json& at = json["sweep"][i];
    const auto supply_c = 16 + static_cast<double>(i / 2);
    const auto redline_c = 24 + 2 * static_cast<double>(i % 2);
    EXPECT_EQ(at["supply_c"], supply_c);
    EXPECT_EQ(at["redline_c"], redline_c);
    auto single =
        Thermal({"--busy", "n1", "--supply-c", std::to_string(supply_c),
                 "--redline-c", std::to_string(redline_c)})
            .Json();
    for (const auto& [key, value] : at.items()) {
      EXPECT_EQ(value, single[key]) << key << ' ' << i;
    }
  }
  const CliResult text =
      RunCli({"thermal", "--machine", machine_, "--supply-c", "16:18:3"});
  EXPECT_THAT(text.out, HasSubstr("supply_c"));
  EXPECT_THAT(text.out, Not(HasSubstr("hottest")));
}

TEST_F(ThermalTest, TwoPlacementsSideBySide) {
  const nlohmann::json json =
      Thermal({"--busy", "n1", "--against", "n3"}).Json();
  nlohmann::json other = Thermal({"--busy", "n3"}).Json();
  const nlohmann::json one = Thermal({"--busy", "n1"}).Json();
  for (const auto& [key, value] : one.items()) {
    EXPECT_EQ(json[key], value) << key;
  }
  for (const auto& [key, value] : json["against"].items()) {
    EXPECT_EQ(other[key], value) << key;
  }
  EXPECT_LT(json["against"]["peak_inlet_c"], json["peak_inlet_c"]);
  const CliResult text = RunCli(
      {"thermal", "--machine", machine_, "--busy", "n1", "--against", "n3"});
  // 150 W more in the first zone are 2.344 K.
  EXPECT_THAT(text.out, ::testing::ContainsRegex(
                            "peak_inlet_c +20\\.469 +18\\.125 +-2\\.344"));
  EXPECT_THAT(text.out, HasSubstr("\nagainst:\n"));
}

// Inlet 2 goes from 18.125 to 20.469 C with a time constant of 160 s.
TEST_F(ThermalTest, AJobStarts) {
  const CliResult result = Thermal({"--start", "n1", "--redline-c", "19",
                                    "--duration-s", "320", "--step-s", "160"});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  const nlohmann::json json = result.Json();
  const double from_c = 18.125;
  const double to_c = 15 + 350.0 / 64;
  EXPECT_EQ(json["peak_inlet_c"], to_c);
  const nlohmann::json& points = json["transient"]["points"];
  ASSERT_EQ(points.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(points[i]["time_s"], 160 * i);
    EXPECT_EQ(points[i]["peak_node"], "n3");
    EXPECT_NEAR(points[i]["peak_inlet_c"].get<double>(),
                to_c + (from_c - to_c) * std::exp(-static_cast<double>(i)),
                1e-6);
  }
  EXPECT_NEAR(json["transient"]["redline_s"].get<double>(),
              160 * std::log((to_c - from_c) / (to_c - 19)), 1e-6);
  EXPECT_EQ(json["transient"]["redline_node"], "n3");
  const std::vector<std::string> text = {"thermal", "--machine", machine_,
                                         "--start", "n1"};
  EXPECT_THAT(RunCli(text).out, HasSubstr("no inlet that was below the redline "
                                          "reaches it"));
  EXPECT_EQ(Thermal({"--start", "n1"}).Json()["transient"]["points"].size(),
            11U);
}

TEST_F(ThermalTest, PueAndCosts) {
  // CoP(T) = T: 400 W and 400 / 26.875 W of cooling.
  nlohmann::json json = Thermal({}).Json();
  EXPECT_DOUBLE_EQ(json["pue"], 1 + 1 / 26.875);
  EXPECT_DOUBLE_EQ(json["pue_at_supply"], 1 + 1 / 15.0);
  EXPECT_EQ(json.count("cost_per_h"), 0U);
  json = Thermal({"--energy-price", "0.25"}).Json();
  EXPECT_DOUBLE_EQ(json["cooling_cost_per_h"], 0.1 / 26.875);
  EXPECT_DOUBLE_EQ(json["cost_per_h"], 0.1 + 0.1 / 26.875);
  json = Thermal({"--idle", "off"}).Json();
  EXPECT_TRUE(json["pue"].is_null());
}

TEST_F(ThermalTest, BadWhatIfs) {
  EXPECT_THAT(ErrorOf({"--supply-c", "x"}),
              HasSubstr("--supply-c: 'x' is not valid (expected degrees"));
  EXPECT_THAT(ErrorOf({"--supply-c", "1:2"}), HasSubstr("FROM:TO:COUNT"));
  EXPECT_THAT(ErrorOf({"--supply-c", "nan"}), HasSubstr("is not valid"));
  EXPECT_THAT(ErrorOf({"--redline-c", "200"}), HasSubstr("to 150"));
  EXPECT_THAT(ErrorOf({"--supply-c", "10:40:4"}),
              HasSubstr("--redline-c: 30 C is not above the supply"));
  EXPECT_THAT(ErrorOf({"--supply-c", "1:9:1000", "--redline-c", "20:30:11"}),
              HasSubstr("11000 pairs of temperatures"));
  EXPECT_THAT(ErrorOf({"--against", "n1", "--start", "n2"}),
              HasSubstr("--start: not allowed with --against"));
  EXPECT_THAT(ErrorOf({"--against", "n1", "--supply-c", "1:2:2"}),
              HasSubstr("--against: not allowed with a range"));
  EXPECT_THAT(ErrorOf({"--step-s", "1"}), HasSubstr("requires --start"));
  EXPECT_THAT(ErrorOf({"--busy", "n1", "--start", "n[1-2]"}),
              HasSubstr("--start: node n1 is busy"));
  EXPECT_THAT(ErrorOf({"--start", "n1", "--step-s", "0.001"}),
              HasSubstr("--step-s: 800000 steps (expected at most 10000)"));
  EXPECT_THAT(ErrorOf({"--start", "n9"}), HasSubstr("--start: "));
}

// What is doubtful of a room is said by the commands that judge or use it, and
// once a run.
TEST_F(ThermalTest, DoubtsOfTheRoomAreNotRepeated) {
  WriteFile("D.txt", "0 0\n0.0000015625 0\n");
  constexpr const char* kDoubt = "no inlet is more than";
  EXPECT_THAT(Thermal({}).err, HasSubstr(kDoubt));
  EXPECT_THAT(RunCli({"check-config", machine_}).err, HasSubstr(kDoubt));
  EXPECT_THAT(RunCli({"allocate", "--machine", machine_, "--policy", "mc1x1",
                      "--nodes", "1"})
                  .err,
              Not(HasSubstr(kDoubt)));
  EXPECT_THAT(RunCli({"order", "--machine", machine_}).err,
              Not(HasSubstr(kDoubt)));
  const std::string trace =
      WriteFile("trace.swf", "1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n");
  const std::string err =
      RunCli({"replay", "--trace", trace, "--machine", machine_, "--policy",
              "mc1x1,hybrid", "--seed", "1,2,3"})
          .err;
  const std::size_t first = err.find(kDoubt);
  ASSERT_NE(first, std::string::npos) << err;
  EXPECT_EQ(err.find(kDoubt, first + 1), std::string::npos) << err;
}

// check-config says how an asymmetric matrix was read.
TEST_F(ThermalTest, CheckConfigSaysHowTheMatrixIsRead) {
  const CliResult result = RunCli({"check-config", machine_});
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out,
              HasSubstr("rows of D.txt are read as inlets: with all nodes busy "
                        "the inlet of n3 is the warmest, 24.38 C, and n1 warms "
                        "the inlets most per watt"));
  EXPECT_EQ(RunCli({"check-config", machine_, "--json"})
                .Json()["files"][0]["room_notes"]
                .size(),
            1U);
}

}  // namespace
}  // namespace coolspan
