// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "config/machine/machine_file.h"
#include "folders.h"
#include "formats/heat_file.h"
#include "simulated_plant.h"
#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

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
  const nlohmann::json& ahead = json["one_step"];
  EXPECT_GT(ahead["readings"], 15000);
  EXPECT_LT(ahead["rms_k"], 0.9 * ahead["persistence_rms_k"].get<double>());
  const auto learnt = ReadHeatFile(folder_ / "D.txt");
  ASSERT_TRUE(learnt.ok()) << learnt.status();
  EXPECT_EQ((*learnt)->zone_count(), 6U);
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
