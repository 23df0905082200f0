// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "config/machine/machine_file.h"
#include "folders.h"
#include "formats/heat_file.h"
#include "sanitized.h"
#include "simulated_plant.h"
#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CalibrateTest : public CliTest {
 protected:
  // A room of 8 nodes that depends on the seed.
  std::string MakeRoom(const std::string& name, const std::string& seed) {
    const std::string folder = folder_ / name;
    const CliResult made =
        RunCli({"generate", "--room", "--rows", "2", "--racks", "2",
                "--nodes-per-rack", "2", "--busy-w", "3000", "--seed", seed,
                "--out", folder});
    EXPECT_EQ(made.exit, Exit::kSuccess) << made.err;
    return folder + "/room.yaml";
  }
  std::string WriteTelemetry(const Machine& machine, const PlantRun& run) {
    std::ostringstream text;
    text << "time_s,node,inlet_c,power_w\n";
    for (std::size_t i = 0; i < run.readings.inlet_c.size(); ++i) {
      const auto node = static_cast<NodeId>(i % run.readings.zones);
      text << 60 * (i / run.readings.zones) << ',' << machine.NodeName(node)
           << ',' << run.readings.inlet_c[i] << ',' << run.readings.power_w[i]
           << '\n';
    }
    return WriteFile("history.csv", text.str());
  }
};

TEST_F(CalibrateTest, WritesAMatrixThatLoads) {
  const auto hidden = LoadMachineFile(MakeRoom("hidden", "1")).value();
  const std::string prior = MakeRoom("prior", "2");
  PlantOptions options;
  options.instants = 600;
  options.non_linear = 0.02;  // few zones: the room is often full or empty
  const PlantRun run = RunPlant(hidden->room()->heat(), options);
  const std::string out = folder_ / "D.txt";
  const CliResult result =
      RunCli({"calibrate", "--machine", prior, "--telemetry",
              WriteTelemetry(*hidden, run), "--out", out, "--json"});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  const nlohmann::json json = result.Json();
  EXPECT_EQ(json["zones"], 8);
  EXPECT_EQ(json["interval_s"], 60);
  EXPECT_LT(json["held_out"]["model_k"], 0.4);
  EXPECT_LT(json["held_out"]["rms_k"], json["prior_held_out"]["rms_k"]);
  EXPECT_LT(json["one_step"]["rms_k"], json["one_step"]["persistence_rms_k"]);
  const auto learnt = ReadHeatFile(out);
  ASSERT_TRUE(learnt.ok()) << learnt.status();
  EXPECT_EQ((*learnt)->zone_count(), 8U);
}

// The initial D with rows and columns swapped: the readings tell.
TEST_F(CalibrateTest, ATransposedInitialMatrixIsNamed) {
  const std::string file = MakeRoom("room", "1");
  const auto machine = LoadMachineFile(file).value();
  PlantOptions options;
  options.instants = 600;
  options.non_linear = 0.02;
  const HeatMatrix& heat = machine->room()->heat();
  const std::string history = WriteTelemetry(*machine, RunPlant(heat, options));
  std::ostringstream transposed;
  for (ZoneId row = 0; row < 8; ++row) {
    for (ZoneId column = 0; column < 8; ++column) {
      transposed << heat.At(column, row) << (column == 7 ? '\n' : ' ');
    }
  }
  const std::vector<std::string> arguments = {
      "calibrate", "--machine",       file,       "--telemetry", history,
      "--out",     folder_ / "D.txt", "--strict", "--json"};
  EXPECT_THAT(RunCli(arguments).err, Not(HasSubstr("swapped")));
  std::ofstream(folder_ / "room/room-heat.txt") << transposed.str();
  const CliResult swapped = RunCli(arguments);
  EXPECT_EQ(swapped.exit, Exit::kCannotBeMet);
  EXPECT_THAT(swapped.err,
              HasSubstr("initial D: rows and columns may be swapped: "));
  const nlohmann::json json = swapped.Json();
  EXPECT_LT(json["prior_transposed_held_out"]["rms_k"],
            json["prior_held_out"]["rms_k"]);
  EXPECT_GT(json["transposed_held_out"]["rms_k"], json["held_out"]["rms_k"]);
}

// Three months of six servers, one file per server, with other column names.
// Predictions ten minutes ahead beat persistence.
TEST_F(CalibrateTest, IngestsMeasuredTelemetry) {
  COOLSPAN_NEED_DATA("telemetry/mrc-qh2-rcc126.csv.gz");
  const auto made =
      RunCli({"generate", "--room", "--nodes-per-rack", "6", "--busy-w", "400",
              "--idle-peak-c", "17", "--full-peak-c", "20", "--out", folder_});
  ASSERT_EQ(made.exit, Exit::kSuccess) << made.err;
  std::ostringstream machine;
  machine << std::ifstream(folder_ / "room.yaml").rdbuf();
  const std::string nodes = "qh2-rcc[126,132,139,146-147,153]";
  const std::string text =
      std::regex_replace(machine.str(), std::regex(R"(n\[1-6\])"), nodes);
  std::vector<std::string> arguments = {
      "calibrate",
      "--machine",
      WriteFile("six.yaml", text),
      "--out",
      folder_ / "D.txt",
      "--json",
      "--columns",
      "time_s=Time,node=Series,inlet_c=Inlet_Temperature,power_w=Power"};
  for (const char* const node : {"126", "132", "139", "146", "147", "153"}) {
    arguments.emplace_back("--telemetry");
    arguments.push_back(
        DataDir() / (std::string("telemetry/mrc-qh2-rcc") + node + ".csv.gz"));
  }
  const CliResult result = RunCli(arguments);
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  const nlohmann::json json = result.Json();
  EXPECT_EQ(json["interval_s"], 600);
  EXPECT_GT(json["held_out_instants"], 2500);
  EXPECT_LT(json["held_out"]["rms_k"], json["prior_held_out"]["rms_k"]);
  // Six servers of many say little about what heats them.
  EXPECT_GT(json["held_out"]["rms_k"], json["mean_held_out"]["rms_k"]);
  EXPECT_THAT(json["faults"].dump(), HasSubstr("not better than a constant"));
  EXPECT_THAT(json["faults"].dump(), HasSubstr("not physical at any airflow"));
  const nlohmann::json& ahead = json["one_step"];
  EXPECT_GT(ahead["readings"], 15000);
  EXPECT_LT(ahead["rms_k"], 0.9 * ahead["persistence_rms_k"].get<double>());
  const auto learnt = ReadHeatFile(folder_ / "D.txt");
  ASSERT_TRUE(learnt.ok()) << learnt.status();
  EXPECT_EQ((*learnt)->zone_count(), 6U);
}

// Inlets that do not depend on power, and a node whose power never moves.
TEST_F(CalibrateTest, AMatrixNoBetterThanAConstantIsSaid) {
  const std::string room = MakeRoom("room", "1");
  const auto machine = LoadMachineFile(room).value();
  std::minstd_rand random(1);
  std::normal_distribution<double> noise(0, 1);
  PlantRun run;
  run.readings.zones = 8;
  for (std::size_t i = 0; i < 200; ++i) {
    for (ZoneId zone = 0; zone < 8; ++zone) {
      run.readings.inlet_c.push_back(20 + noise(random));
      run.readings.power_w.push_back(zone == 2 ? 1000
                                               : 2000 + 500 * noise(random));
    }
  }
  const std::string out = folder_ / "D.txt";
  const std::vector<std::string> arguments = {"calibrate",
                                              "--machine",
                                              room,
                                              "--telemetry",
                                              WriteTelemetry(*machine, run),
                                              "--out",
                                              out,
                                              "--json"};
  const CliResult told = RunCli(arguments);
  ASSERT_EQ(told.exit, Exit::kSuccess) << told.err;
  const nlohmann::json json = told.Json();
  EXPECT_GE(json["held_out"]["rms_k"], json["mean_held_out"]["rms_k"]);
  EXPECT_NE(told.err.find("warning: " + out + ": not better than a constant: "),
            std::string::npos)
      << told.err;
  ASSERT_FALSE(json["faults"].empty());
  EXPECT_EQ(json["still_nodes"], std::string(machine->NodeName(2)));
  EXPECT_NE(told.err.find("the power of " + std::string(machine->NodeName(2)) +
                          " hardly moves (less than 3 %)"),
            std::string::npos)
      << told.err;
  EXPECT_TRUE(std::filesystem::exists(out));

  std::filesystem::remove(out);
  std::vector<std::string> strictly = arguments;
  strictly.emplace_back("--strict");
  const CliResult refused = RunCli(strictly);
  EXPECT_EQ(refused.exit, Exit::kCannotBeMet);
  EXPECT_NE(refused.err.find(out + ": not written (--strict)\n"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(refused.Json()["faults"], json["faults"]);
  EXPECT_FALSE(std::filesystem::exists(out));
}

// 467 nodes in ten racks for ten hours; one stops reporting, one never does.
TEST_F(CalibrateTest, JudgesTheHistoryOfALargeRoom) {
  COOLSPAN_NEED_DATA("telemetry/quanah467-first50.csv.gz");
  if (kSanitized) GTEST_SKIP() << "takes minutes with a sanitizer";
  // As they report.
  const std::string nodes =
      "r1s[1-60],r2s[1-60],r3s[1-56],r4s[1-48],r5s[1-24],r6s[1-20],r7s[1-3,5-"
      "60],"
      "r8s[1-60],r9s[1-60],r10s[25-44]";
  const CliResult made =
      RunCli({"generate", "--room", "--racks", "467", "--nodes-per-rack", "1",
              "--busy-w", "400", "--out", folder_});
  ASSERT_EQ(made.exit, Exit::kSuccess) << made.err;
  std::ostringstream machine;
  machine << std::ifstream(folder_ / "room.yaml").rdbuf();
  const std::string text =
      std::regex_replace(machine.str(), std::regex(R"(n\[0*1-467\])"), nodes);
  const CliResult result = RunCli(
      {"calibrate", "--machine", WriteFile("quanah.yaml", text), "--telemetry",
       DataDir() / "telemetry/quanah467-first50.csv.gz", "--columns",
       "time_s=time", "--out", folder_ / "D.txt", "--json"});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  const nlohmann::json json = result.Json();
  EXPECT_EQ(json["zones"], 467);
  EXPECT_EQ(json["interval_s"], 300);
  EXPECT_EQ(json["assumed_nodes"], "r2s54,r9s21");
  EXPECT_GT(json["mean_held_out"]["readings"], 467 * 5);
}

TEST_F(CalibrateTest, AnUnknownColumnIsReported) {
  const CliResult result =
      RunCli({"calibrate", "--machine", MakeRoom("room", "1"), "--telemetry",
              "none.csv", "--out", folder_ / "D.txt", "--columns", "t=Time"});
  EXPECT_EQ(result.exit, Exit::kBadInput);
  EXPECT_EQ(result.err.find("--columns: \"t=Time\" is not a column"), 0U)
      << result.err;
}

TEST_F(CalibrateTest, NeedsARoomAndAHistory) {
  const std::string history =
      WriteFile("history.csv",
                "time_s,node,inlet_c,power_w\n0,n1,20,100\n"
                "60,n1,20,100\n");
  const std::string mesh = WriteMesh("2", "n[1-2]");
  const std::string out = folder_ / "D.txt";
  const CliResult no_room = RunCli(
      {"calibrate", "--machine", mesh, "--telemetry", history, "--out", out});
  EXPECT_EQ(no_room.exit, Exit::kBadInput);
  EXPECT_EQ(no_room.err, mesh +
                             ": no thermal description (expected thermal: "
                             "with an initial heat distribution matrix)\n");
  const CliResult short_one =
      RunCli({"calibrate", "--machine", MakeRoom("room", "1"), "--telemetry",
              history, "--out", out});
  EXPECT_EQ(short_one.exit, Exit::kBadInput);
  EXPECT_TRUE(IsOneLine(short_one.err)) << short_one.err;
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace coolspan
