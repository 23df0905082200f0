// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/telemetry_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "config/machine/machine_file.h"
#include "room_machine.h"
#include "scratch_file.h"

namespace coolspan {
namespace {

// Nodes n1 and n2 in zone 0, n3 in zone 1.
std::shared_ptr<const Machine> ThreeNodes() {
  const auto machine =
      ParseMachineFile(
          "name: three\ntopology: {kind: mesh, dims: [3]}\nnodes: \"n[1-3]\"\n",
          "/three.yaml")
          .value();
  return InRoom(*machine, RoomDescription(3, 2, {0, 0, 0, 0}));
}

absl::StatusOr<RoomHistory> Read(const std::string& text) {
  return ReadTelemetry(std::vector{ScratchFile(text).path()}, *ThreeNodes());
}

std::string Complaint(const std::string& text) {
  const ScratchFile file(text);
  return file.MessageOf(
      ReadTelemetry(std::vector{file.path()}, *ThreeNodes()).status());
}

TEST(TelemetryFileTest, AssignsReadingsToInstantsAndZones) {
  const auto history = Read(
      "time_s,node,inlet_c,power_w\n"
      "100,n1,20,100\n"
      "100,n2,22,150\n"
      "101,n3,25,300\n"
      "160,n1,21,110\n"
      "161,n3,,310\n"
      "220,n1,21,120\n"
      "220,n2,,130\n");
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_EQ(history->interval_s, 60);
  EXPECT_EQ(history->zones, 2U);
  ASSERT_EQ(history->instants(), 3U);
  EXPECT_EQ(history->inlet_c[0], 21);  // the mean of zone 0
  EXPECT_EQ(history->inlet_c[1], 25);
  EXPECT_EQ(history->inlet_c[2], 21);
  EXPECT_TRUE(std::isnan(history->inlet_c[3]));
  EXPECT_EQ(history->power_w[0], 250);  // the sum
  EXPECT_EQ(history->power_w[1], 300);
  EXPECT_TRUE(std::isnan(history->power_w[2]));  // n2 says nothing
  EXPECT_EQ(history->power_w[3], 310);
  EXPECT_EQ(history->power_w[4], 250);
  EXPECT_TRUE(std::isnan(history->power_w[5]));
  EXPECT_EQ(history->supply_c, (std::vector<double>{15, 15, 15}));
}

TEST(TelemetryFileTest, InterpolatesTheSupplyTemperature) {
  const auto history = Read(
      "node,time_s,supply_c,power_w,inlet_c,fan\n"
      "n1,0,,1,20,7\n"
      "n1,10,14,1,20,7\n"
      "n1,20,nan,1,20,7\n"
      "n1,30,16,1,20,7\n"
      "n1,40,900,1,20,7\n");
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_EQ(history->supply_c, (std::vector<double>{14, 14, 15, 16, 16}));
}

TEST(TelemetryFileTest, ImpossibleValuesAreMissing) {
  const auto history = Read(
      "time_s,node,inlet_c,power_w\n"
      "0,n3,-273.15,100\n"
      "60,n3,20,-1\n");
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_TRUE(std::isnan(history->inlet_c[1]));
  EXPECT_EQ(history->inlet_c[3], 20);
  EXPECT_TRUE(std::isnan(history->power_w[3]));
}

// Other column names, dates instead of seconds, one file per node.
TEST(TelemetryFileTest, ReadsOtherColumnNamesAndSeveralFiles) {
  const std::string names = ",Host,Time,Power,Inlet\n";
  const ScratchFile first(names +
                          "0,n1 ,2018-10-09 11:20:00,100,20\n"
                          "1,n1 ,2018-10-09T11:30:00,110,21\n");
  const ScratchFile second(names + "0,n3,2018-10-09T13:20:00+02:00,300,25\n");
  const auto columns = TelemetryColumns::Parse(
      "time_s=Time,node=Host,inlet_c=Inlet,power_w=Power");
  ASSERT_TRUE(columns.ok()) << columns.status();
  const auto history = ReadTelemetry(std::vector{first.path(), second.path()},
                                     *ThreeNodes(), *columns);
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_EQ(history->interval_s, 600);
  ASSERT_EQ(history->instants(), 2U);
  EXPECT_EQ(history->inlet_c[0], 20);
  EXPECT_EQ(history->inlet_c[1], 25);
  EXPECT_EQ(history->inlet_c[2], 21);
  EXPECT_EQ(history->power_w[1], 300);

  for (const char* const bad :
       {"", "time_s", "time_s=", "when=Time", "=", "node=a=b", "node=Host,"}) {
    const auto none = TelemetryColumns::Parse(bad);
    EXPECT_FALSE(none.ok()) << bad;
  }
  EXPECT_EQ(TelemetryColumns::Parse("when=Time").status().message(),
            "\"when=Time\" is not a column name (expected NAME=NAME_IN_FILE, "
            "NAME one of time_s, node, inlet_c, power_w, supply_c)");
}

TEST(TelemetryFileTest, Errors) {
  EXPECT_EQ(Complaint("time_s,node,power_w\n"),
            ":1:1: column inlet_c: missing (expected time_s, node, inlet_c and "
            "power_w; columns are separated by commas, other names with "
            "--columns)");
  EXPECT_EQ(Complaint(""),
            ": file is empty (expected a line with the names of the columns)");
  EXPECT_EQ(Complaint("time_s,node,inlet_c,power_w,node\n"),
            ":1:29: column node: specified more than once");
  EXPECT_EQ(Complaint("time_s,node,inlet_c,power_w,x,x\n0,n1,20,100,1,2\n"),
            ": no node has readings at two times (expected a history)");
  const std::string names = "time_s,node,inlet_c,power_w\n";
  EXPECT_EQ(Complaint(names + "0,n1,20\n"),
            ":2:1: 3 values (expected 4, one per column of the first line)");
  EXPECT_EQ(Complaint(names + "0, m1,20,100\n"),
            ":2:4: \"m1\" is not a node (expected a node of machine three)");
  EXPECT_EQ(Complaint(names + "0,n1,20,much\n"),
            ":2:9: \"much\" is not a number (expected a finite number)");
  for (const char* const time :
       {"infinite-future", "2018-10-09", "2018-10-09 11:20", "noon"}) {
    EXPECT_EQ(Complaint(names + time + ",n1,20,100\n"),
              std::string(":2:1: \"") + time +
                  "\" is not a time (expected seconds or YYYY-MM-DD "
                  "HH:MM:SS)");
  }
  EXPECT_EQ(Complaint(names + "0,n1,20,100\n0,n2,20,100\n"),
            ": no node has readings at two times (expected a history)");
  EXPECT_EQ(Complaint(names + "0,n1,20,100\n1,n1,20,100\n2,n1,20,100\n"
                              "1e12,n2,20,100\n"),
            ": times from 0 s to 1000000000000 s at intervals of 1 s: "
            "1000000000001 time steps of 3 nodes (expected at most 134217728 "
            "values)");
}

}  // namespace
}  // namespace coolspan
