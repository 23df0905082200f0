// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

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
  RoomRemarks remarks;
  const auto machine =
      LoadMachineFile(json["machine"].get<std::string>(), nullptr, &remarks);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_TRUE(remarks.warnings.empty()) << remarks.warnings.front();
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

// Two racks of three slots, one of them empty.
TEST_F(GenerateRoomTest, ARoomFromPlaces) {
  const std::string places = WriteFile(
      "places.csv", "node,rack,slot\na1,A,1\na2,A,2\na3,A,3\nb1,B,1\nb3,B,3\n");
  const std::string folder = folder_ / "placed";
  const CliResult made =
      RunCli({"generate", "--room", "--places", places, "--busy-w", "3000",
              "--out", folder, "--json"});
  ASSERT_EQ(made.exit, Exit::kSuccess) << made.err;
  const std::string file = made.Json()["machine"];
  RoomRemarks remarks;
  const auto machine = LoadMachineFile(file, nullptr, &remarks);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_TRUE(remarks.warnings.empty()) << remarks.warnings.front();
  ASSERT_EQ((*machine)->node_count(), 5U);
  EXPECT_EQ((*machine)->NodeName(3), "b1");
  // Two slots and a rack apart.
  EXPECT_EQ((*machine)->topology().Distance(0, 4), 3);
  std::ifstream text(file);
  const std::string yaml((std::istreambuf_iterator<char>(text)), {});
  EXPECT_NE(yaml.find("D is a guess from the places"), std::string::npos);
  EXPECT_NE(yaml.find("coolspan calibrate --machine"), std::string::npos);

  const std::string svg = folder_ / "room.svg";
  const CliResult drawn =
      RunCli({"thermal", "--machine", file, "--busy", "a[1-3],b1,b3",
              "--places", places, "--svg", svg});
  ASSERT_EQ(drawn.exit, Exit::kSuccess) << drawn.err;
  // The hottest inlet, 41 C, is at the top, above the redline of 30 C; slot 2
  // of rack B is empty.
  const std::size_t at = drawn.out.find("  A B\n3 ");
  ASSERT_NE(at, std::string::npos) << drawn.out;
  EXPECT_THAT(drawn.out.substr(at),
              ::testing::MatchesRegex("  A B\n3 [0-9!] [0-9!]\n2 [0-9!]\n"
                                      "1 [0-9!] [0-9!]\n0: 15 C; .*"));
  std::ifstream image(svg);
  const std::string picture((std::istreambuf_iterator<char>(image)), {});
  EXPECT_NE(picture.find("<title>a3: "), std::string::npos);
  EXPECT_NE(picture.find("#ff0000"), std::string::npos);
  EXPECT_EQ(picture.find("<title>b2"), std::string::npos);
  const nlohmann::json json =
      RunCli({"thermal", "--machine", file, "--places", places, "--json"})
          .Json();
  ASSERT_EQ(json["places"].size(), 5U);
  EXPECT_EQ(json["places"][4]["node"], "b3");
  EXPECT_EQ(json["places"][4]["rack"], "B");
  EXPECT_EQ(json["places"][4]["slot"], 3);
  EXPECT_EQ(json["places"][4]["inlet_c"], json["inlet_c"][4]);
}

TEST_F(GenerateRoomTest, BadPlaces) {
  const std::string places =
      WriteFile("places.csv", "node,rack,slot\nzz,A,1\n");
  const CliResult racks = RunCli({"generate", "--room", "--places", places,
                                  "--racks", "2", "--out", folder_ / "x"});
  EXPECT_EQ(racks.exit, Exit::kBadInput);
  EXPECT_NE(racks.err.find("--places: not allowed with --rows"),
            std::string::npos);
  const std::string folder = folder_ / "room";
  ASSERT_EQ(
      RunCli({"generate", "--room", "--racks", "2", "--out", folder}).exit,
      Exit::kSuccess);
  const CliResult other = RunCli(
      {"thermal", "--machine", folder + "/room.yaml", "--places", places});
  EXPECT_EQ(other.exit, Exit::kBadInput);
  EXPECT_NE(other.err.find("zz is not a node"), std::string::npos);
  EXPECT_EQ(RunCli({"thermal", "--machine", folder + "/room.yaml", "--svg",
                    folder_ / "x.svg"})
                .exit,
            Exit::kBadInput);
}

}  // namespace
}  // namespace coolspan
