// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/machine_room.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/machine/machine_file.h"
#include "core/room_state.h"
#include "folders.h"
#include "scratch_file.h"
#include "thermal/cooling.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A machine of four nodes with the given node types and thermal section.
std::string FourNodes(const std::string& types, const std::string& thermal) {
  return "name: four\ntopology: {kind: mesh, dims: [4]}\nnodes: \"n[1-4]\"\n" +
         types + thermal;
}
constexpr const char* kTypes =
    "node_types:\n"
    "  - {name: a, nodes: \"n[1,3-4]\", idle_w: 100, compute_w: 300, "
    "communicate_w: 200}\n"
    "  - {name: b, nodes: n2, idle_w: 50, compute_w: 80, communicate_w: 60, "
    "speed: 2.5, servers: 10}\n";

std::string Thermal(const std::string& options) {
  return "thermal: {supply_c: 15, redline_c: 30, " + options + "}\n";
}

struct Loaded {
  absl::StatusOr<std::shared_ptr<const Machine>> machine;
  std::vector<std::string> warnings;

  std::string error() const { return std::string(machine.status().message()); }
};

Loaded Load(const std::string& types, const std::string& thermal) {
  RoomRemarks remarks;
  auto machine =
      ParseMachineFile(FourNodes(types, thermal), "m.yaml", nullptr, &remarks);
  return {std::move(machine), std::move(remarks.warnings)};
}

// In zones of two nodes. option: that of the matrix; more: further options.
Loaded LoadMatrix(std::string_view option, const ScratchFile& matrix,
                  std::string_view more = "") {
  return Load(kTypes, Thermal(fmt::format("{}: {}, zones: {{size: 2}}{}",
                                          option, matrix.path(), more)));
}

TEST(MachineRoomTest, ReadsAll) {
  const ScratchFile heat("0.0001 0.001\n0.0005 0.0001\n");
  const Loaded loaded = Load(
      kTypes,
      "communication_share: 0.25\n" +
          Thermal(fmt::format("heat_distribution: {}, airflow_w_per_k: 100, "
                              "zones: {{size: 2}}, cop: [1, 2, 3], idle: off, "
                              "time_constant_s: 90",
                              heat.path())));
  ASSERT_TRUE(loaded.machine.ok()) << loaded.machine.status();
  EXPECT_THAT(loaded.warnings, IsEmpty());
  const Room& room = *(*loaded.machine)->room();
  EXPECT_EQ(room.node_count(), 4U);
  EXPECT_EQ(room.zone_count(), 2U);
  EXPECT_EQ(room.ZoneOf(1), 0U);
  EXPECT_EQ(room.ZoneOf(2), 1U);
  EXPECT_NEAR(room.heat().At(0, 1), 0.001, 1e-12);
  EXPECT_NEAR(room.heat().At(1, 0), 0.0005, 1e-12);
  EXPECT_EQ(room.PowerOf(0).compute_w, 300);
  EXPECT_EQ(room.PowerOf(1).idle_w, 50);
  EXPECT_EQ(room.PowerOf(1).communicate_w, 60);
  EXPECT_EQ(room.PowerOf(1).speed, 2.5);
  EXPECT_EQ(room.PowerOf(3).compute_w, 300);
  EXPECT_EQ(room.communication_share(), 0.25);
  EXPECT_FALSE(room.idle_on());
  EXPECT_EQ(room.supply_c(), 15);
  EXPECT_EQ(room.redline_c(), 30);
  EXPECT_THAT(room.cop(), ElementsAre(1, 2, 3));
  EXPECT_EQ(room.time_constant_s(), 90);
  EXPECT_EQ((*loaded.machine)->NodeName(3), "n4");
}

TEST(MachineRoomTest, LastZoneMayBeSmaller) {
  const ScratchFile heat("0 0\n0 0\n");
  const Loaded loaded = Load(
      kTypes, Thermal(fmt::format("heat_distribution: {}, zones: {{size: 3}}",
                                  heat.path())));
  ASSERT_TRUE(loaded.machine.ok()) << loaded.machine.status();
  EXPECT_EQ((*loaded.machine)->room()->NodesOf(1).size(), 1U);
  EXPECT_TRUE((*loaded.machine)->room()->idle_on());
}

TEST(MachineRoomTest, WithoutThermalThereIsNoRoom) {
  const Loaded loaded = Load(kTypes, "");
  ASSERT_TRUE(loaded.machine.ok()) << loaded.machine.status();
  EXPECT_EQ((*loaded.machine)->room(), nullptr);
}

TEST(MachineRoomTest, ReportsTheAirflowItFound) {
  const ScratchFile heat("0.001 0\n0 0.001\n");
  const Loaded loaded = LoadMatrix("heat_distribution", heat);
  ASSERT_TRUE(loaded.machine.ok()) << loaded.machine.status();
  EXPECT_THAT(
      loaded.warnings,
      ElementsAre("m.yaml:7: thermal.heat_distribution: "
                  "airflow_w_per_k is not specified; D is physical with "
                  "50 W/K in each zone"));
}

// Row i of A: the shares of the air leaving zone i; half of that of zone 0
// enters zone 1.
TEST(MachineRoomTest, ComputesDFromA) {
  const ScratchFile shares(
      "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 0.5\n");
  const Loaded loaded =
      LoadMatrix("cross_interference", shares, ", airflow_w_per_k: [100, 200]");
  ASSERT_TRUE(loaded.machine.ok()) << loaded.machine.status();
  const HeatMatrix& heat = (*loaded.machine)->room()->heat();
  EXPECT_NEAR(heat.At(1, 0), 0.5 / 200, 1e-11);
  EXPECT_NEAR(heat.At(0, 1), 0, 1e-11);
  EXPECT_THAT(loaded.warnings, IsEmpty());
}

TEST(MachineRoomTest, RejectsDThatIsNotPhysical) {
  // A = I - (I + K D)^-1 with K = 100 W/K: sums of A exceed 1.
  const ScratchFile heat("0 0.2\n0.2 0\n");
  const Loaded loaded =
      LoadMatrix("heat_distribution", heat, ", airflow_w_per_k: 100");
  ASSERT_FALSE(loaded.machine.ok());
  EXPECT_EQ(loaded.error().find("m.yaml:7:"), 0U) << loaded.error();
  EXPECT_THAT(loaded.error(),
              HasSubstr("thermal.heat_distribution: not physical: A of "));
  EXPECT_THAT(loaded.error(), HasSubstr(" at an airflow of 100 W/K: "));
  EXPECT_THAT(loaded.error(), HasSubstr("check that"));
}

// Entries of A pass for a D at some airflow, but not at the power of the nodes.
TEST(MachineRoomTest, RejectsAMatrixOfSharesAsD) {
  const ScratchFile shares("0.05 0.35\n0.3 0.05\n");
  const Loaded loaded = LoadMatrix("heat_distribution", shares);
  ASSERT_FALSE(loaded.machine.ok());
  EXPECT_EQ(
      loaded.error(),
      fmt::format("m.yaml:7:59: thermal.heat_distribution: with all nodes "
                  "busy, the inlet of n1 would be 244 C (expected at "
                  "most 100); {} must be in K/W; a matrix of shares of "
                  "air belongs in cross_interference",
                  shares.path()));
}

TEST(MachineRoomTest, WarnsOfARoomThatStaysCold) {
  const ScratchFile heat("1e-6 0\n0 2e-6\n");
  const Loaded loaded =
      LoadMatrix("heat_distribution", heat, ", airflow_w_per_k: 100");
  ASSERT_TRUE(loaded.machine.ok()) << loaded.machine.status();
  EXPECT_THAT(
      loaded.warnings,
      ElementsAre(fmt::format(
          "m.yaml:7: thermal.heat_distribution: with all nodes busy, no inlet "
          "is more than 0.0012 K above the supplied air; check that {} is in "
          "K/W, and the power of the nodes",
          heat.path())));
}

TEST(MachineRoomTest, RejectsAThatIsNotPhysical) {
  const ScratchFile shares("0 1.2\n-0.5 0\n");
  const Loaded loaded =
      LoadMatrix("cross_interference", shares, ", airflow_w_per_k: 100");
  ASSERT_FALSE(loaded.machine.ok());
  EXPECT_THAT(loaded.error(),
              HasSubstr("1 negative entries, row 2 column 1 is -0.5000, row 1 "
                        "sums to 1.200, column 2 sums to 1.200"));
}

struct BadRoom {
  const char* what;
  const char* types;
  const char* thermal;  // {D}: the path of a good 4x4
  const char* place;
  const char* message;
};
void PrintTo(const BadRoom& room, std::ostream* out) { *out << room.what; }

class BadMachineRoomTest : public ::testing::TestWithParam<BadRoom> {};

TEST_P(BadMachineRoomTest, ErrorHasPositionAndMessage) {
  const ScratchFile heat("0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n");
  std::string thermal = Thermal(GetParam().thermal);
  if (const auto at = thermal.find("{D}"); at != std::string::npos) {
    thermal.replace(at, 3, heat.path());
  }
  const Loaded loaded = Load(GetParam().types, thermal);
  ASSERT_FALSE(loaded.machine.ok());
  EXPECT_EQ(loaded.error().find(GetParam().place), 0U) << loaded.error();
  EXPECT_THAT(loaded.error(), HasSubstr(GetParam().message));
  EXPECT_EQ(loaded.error().find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadMachineRoomTest,
    ::testing::Values(
        BadRoom{"no types", "", "heat_distribution: {D}", "m.yaml:4:10",
                "node n1 has no type"},
        BadRoom{"one node without",
                "node_types:\n  - {name: a, nodes: \"n[1-2,4]\", idle_w: 1, "
                "compute_w: 2, communicate_w: 2}\n",
                "heat_distribution: {D}", "m.yaml:6:10",
                "node n3 has no type (expected an entry of node_types that "
                "lists it)"},
        BadRoom{"busy below idle",
                "node_types:\n  - {name: a, nodes: \"n[1-4]\", idle_w: 3, "
                "compute_w: 4, communicate_w: 2}\n",
                "heat_distribution: {D}", "m.yaml:5:12",
                "node type a: compute_w 4, communicate_w 2 (expected at least "
                "idle_w, 3)"},
        BadRoom{"no matrix", kTypes, "airflow_w_per_k: 100", "m.yaml:7:10",
                "thermal: neither heat_distribution nor"},
        BadRoom{"two matrices", kTypes,
                "heat_distribution: {D}, cross_interference: a", "m.yaml:7:10",
                "thermal: both heat_distribution and"},
        BadRoom{"A alone", kTypes, "cross_interference: {D}", "m.yaml:7:60",
                "airflow_w_per_k is missing (expected the airflow of the "
                "zones)"},
        BadRoom{"no such file", kTypes, "heat_distribution: /nonexistent/D.txt",
                "m.yaml:7:59",
                "thermal.heat_distribution: /nonexistent/D.txt: cannot open "
                "file"},
        BadRoom{"another size", kTypes,
                "heat_distribution: {D}, zones: {size: 2}", "m.yaml:7:59",
                "is 4x4, the machine has 2 zones of 2 nodes (expected one row "
                "and one column per zone)"},
        BadRoom{"airflow of some", kTypes,
                "heat_distribution: {D}, airflow_w_per_k: [1, 2]", "m.yaml:7:",
                "thermal.airflow_w_per_k: 2 numbers, 4 zones (expected one "
                "number, or one per zone)"},
        BadRoom{"airflow backwards", kTypes,
                "heat_distribution: {D}, airflow_w_per_k: -3",
                "m.yaml:7:", "airflow_w_per_k: invalid entry \"-3\""},
        BadRoom{"half idle", kTypes, "heat_distribution: {D}, idle: half",
                "m.yaml:7:",
                "idle: invalid value \"half\" (expected one of on, off)"},
        BadRoom{"redline below supply", kTypes,
                "heat_distribution: {D}, redline_c: 10",
                "m.yaml:7:", "redline_c: specified more than once"}));

// The machine file of the room of 40 nodes in joint-allocation-sst.
std::string Boston40(const std::string& matrix, const std::string& airflow) {
  return fmt::format(R"(name: boston40
topology: {{kind: mesh, dims: [4, 5, 2], wrap: [false, false, false], nodes_per_vertex: 1}}
nodes: "n[01-40]"
node_types:
  - {{name: std, nodes: "n[01-40]", idle_w: 1000, compute_w: 3000, communicate_w: 3000, speed: 1.0, servers: 10}}
communication_share: 0.3
thermal:
  heat_distribution: {}
  {}
  zones: {{size: 1}}
  supply_c: 15.0
  redline_c: 30.0
  cop: [0.0068, 0.0008, 0.458]
  time_constant_s: 160
)",
                     (DataDir() / "heat" / matrix).string(), airflow);
}

TEST(MachineRoomDataTest, PublishedPeaksOfBoston40) {
  COOLSPAN_NEED_DATA("heat/boston40-D.txt");
  RoomRemarks remarks;
  const auto machine =
      ParseMachineFile(Boston40("boston40-D.txt", "airflow_w_per_k: 293.486"),
                       "m.yaml", nullptr, &remarks);
  const std::vector<std::string>& warnings = remarks.warnings;
  ASSERT_TRUE(machine.ok()) << machine.status();
  // Within the tolerance.
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("sums to 1.049; within the tolerance"));
  EXPECT_THAT(warnings[0], ::testing::Not(HasSubstr("negative")));
  RoomState state((*machine)->room());
  EXPECT_NEAR(CoolingOf(state.view()).peak_inlet_c, 23.73, 0.005);
  state.Follow(std::vector<NodeLoad>(40, {0.7F, 0.3F}));
  EXPECT_NEAR(CoolingOf(state.view()).peak_inlet_c, 41.20, 0.005);
}

TEST(MachineRoomDataTest, RejectsTheWronglyPermutedCopy) {
  COOLSPAN_NEED_DATA("heat/sst-DMatrix4_5_2.mtx");
  const auto machine = ParseMachineFile(
      Boston40("sst-DMatrix4_5_2.mtx", "airflow_w_per_k: 293.486"), "m.yaml");
  ASSERT_FALSE(machine.ok());
  const std::string error(machine.status().message());
  EXPECT_EQ(error.find("m.yaml:8:"), 0U) << error;
  EXPECT_THAT(error, HasSubstr("437 negative entries, row "));
  EXPECT_THAT(error, HasSubstr("sums to 1.757"));
  EXPECT_THAT(error, HasSubstr("the order of the nodes"));
}

TEST(MachineRoomDataTest, ChassisOfTheScintPaper) {
  COOLSPAN_NEED_DATA("heat/ASU-D15-50x50.txt");
  const std::string text = fmt::format(
      "name: asu50\ntopology: {{kind: mesh, dims: [50], nodes_per_vertex: "
      "10}}\n"
      "nodes: \"s[0-499]\"\nnode_types:\n"
      "  - {{name: pe1955, nodes: \"s[0-299]\", idle_w: 242, compute_w: 417, "
      "communicate_w: 417, speed: 2.5}}\n"
      "  - {{name: pe1855, nodes: \"s[300-499]\", idle_w: 182, compute_w: 254, "
      "communicate_w: 254}}\n"
      "thermal: {{heat_distribution: {}, airflow_w_per_k: 191, zones: {{size: "
      "10}}, idle: off, supply_c: 15, redline_c: 25}}\n",
      (DataDir() / "heat/ASU-D15-50x50.txt").string());
  RoomRemarks remarks;
  const auto machine = ParseMachineFile(text, "m.yaml", nullptr, &remarks);
  const std::vector<std::string>& warnings = remarks.warnings;
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ((*machine)->room()->zone_count(), 50U);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("is -0.0062"));
  EXPECT_THAT(warnings[0], ::testing::Not(HasSubstr("sums to")));
}

}  // namespace
}  // namespace coolspan
