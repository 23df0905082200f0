// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <string>

#include "config/machine/machine_file.h"
#include "core/room_state.h"
#include "thermal/cooling.h"
#include "unit/cli/cli_runner.h"

namespace coolspan {
namespace {

using GenerateRoomTest = CliTest;

TEST_F(GenerateRoomTest, WritesAMachineThatLoads) {
  const std::string folder = folder_ / "new" / "room";
  const CliResult result = RunCli(
      {"generate", "--room", "--rows", "2", "--racks", "5", "--nodes-per-rack",
       "4", "--idle-peak-c", "22", "--full-peak-c", "36", "--busy-w", "3000",
       "--seed", "3", "--out", folder, "--json"});
  ASSERT_EQ(result.exit, Exit::kSuccess) << result.err;
  const nlohmann::json json = result.Json();
  EXPECT_EQ(json["nodes"], 40);
  EXPECT_EQ(json["idle_w"], 1000);
  std::vector<std::string> warnings;
  const auto machine =
      LoadMachineFile(json["machine"].get<std::string>(), &warnings);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  EXPECT_EQ((*machine)->NodeName(39), "n40");
  EXPECT_EQ((*machine)->topology().Distance(0, 39), 3 + 4 + 1);
  RoomState state((*machine)->room());
  EXPECT_NEAR(CoolingOf(state.view()).peak_inlet_c, 22, 1e-3);
  state.Follow(std::vector<NodeLoad>(40, NodeLoad{1, 0}));
  EXPECT_NEAR(CoolingOf(state.view()).peak_inlet_c, 36, 1e-3);
}

TEST_F(GenerateRoomTest, BadOptionsAreReported) {
  EXPECT_EQ(RunCli({"generate"}).exit, Exit::kBadInput);
  const CliResult nowhere = RunCli({"generate", "--room"});
  EXPECT_EQ(nowhere.exit, Exit::kBadInput);
  EXPECT_EQ(nowhere.err, "--out is required with --room\n");
  const std::string file = WriteFile("file", "");
  const CliResult on_file = RunCli({"generate", "--room", "--out", file});
  EXPECT_EQ(on_file.exit, Exit::kBadInput);
  EXPECT_TRUE(IsOneLine(on_file.err)) << on_file.err;
  EXPECT_EQ(RunCli({"generate", "--rows", "2"}).exit, Exit::kBadInput);
  EXPECT_EQ(
      RunCli({"generate", "--room", "--redline-c", "10", "--out", file}).err,
      "--redline-c: 10 C is not above the supply temperature (expected more "
      "than 15 C)\n");
  EXPECT_EQ(RunCli({"generate", "--room", "--rows", "0", "--out", file})
                .err.rfind("--room: a room of 0 rows", 0),
            0U);
}

}  // namespace
}  // namespace coolspan
