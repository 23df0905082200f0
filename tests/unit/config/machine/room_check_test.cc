// SPDX-License-Identifier: GPL-3.0-or-later
// Six random rooms and the two published ones: D with rows and columns swapped,
// D and A swapped, units wrong by 1,000 are refused or named.
#include "config/machine/room_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "config/machine/machine_file.h"
#include "core/heat_matrix.h"
#include "folders.h"
#include "scratch_file.h"
#include "thermal/recirculation.h"

namespace coolspan {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Row by row.
struct TestRoom {
  ZoneId zones = 0;
  std::vector<double> a;
  std::vector<double> d;
  std::vector<double> airflow_w_per_k;
  double busy_w = 0;
};

std::vector<double> Transposed(const std::vector<double>& matrix,
                               std::size_t size) {
  std::vector<double> transposed(matrix.size());
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      transposed[j * size + i] = matrix[i * size + j];
    }
  }
  return transposed;
}

std::vector<double> Scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

// Flows of air F_ij = K_i a_ij, random but stronger to some inlets than to
// others (inlet_spread) and from some outlets, so scaled that neither an outlet
// nor an inlet has more than 0.8 of its airflow of it.
TestRoom RandomRoom(std::uint32_t seed, double inlet_spread,
                    double outlet_spread) {
  std::mt19937 random(seed);
  const auto draw = [&random](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  TestRoom room;
  room.zones = static_cast<ZoneId>(draw(24, 48));
  const std::size_t size = room.zones;
  room.busy_w = draw(300, 4000);
  const double base = room.busy_w / draw(8, 20);
  std::vector<double> to(size);
  std::vector<double> from(size);
  for (std::size_t i = 0; i < size; ++i) {
    room.airflow_w_per_k.push_back(base * draw(0.85, 1.15));
    to[i] = 1 + draw(-inlet_spread, inlet_spread);
    from[i] = 1 + draw(-outlet_spread, outlet_spread);
  }
  std::vector<double> flow(size * size);
  std::vector<double> out(size, 0.0);
  std::vector<double> in(size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      const double value = from[i] * to[j] * draw(0.5, 1.5);
      flow[i * size + j] = value;
      out[i] += value;
      in[j] += value;
    }
  }
  double most = 0;
  for (std::size_t i = 0; i < size; ++i) {
    most = std::max({most, out[i] / room.airflow_w_per_k[i],
                     in[i] / room.airflow_w_per_k[i]});
  }
  room.a.resize(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      room.a[i * size + j] =
          0.8 / most * flow[i * size + j] / room.airflow_w_per_k[i];
    }
  }
  room.d = HeatFromCrossInterference(room.zones, room.a, room.airflow_w_per_k)
               .value();
  return room;
}

struct Checked {
  std::string error;  // empty: accepted
  RoomRemarks remarks;
};

class RoomCheckTest : public ::testing::Test {
 protected:
  // option: heat_distribution or cross_interference.
  static Checked Check(const TestRoom& room, const std::string& option,
                       const std::vector<double>& matrix,
                       const std::vector<double>& airflow) {
    std::string text;
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      text += fmt::format("{:.9g}{}", matrix[i],
                          (i + 1) % room.zones == 0 ? "\n" : " ");
    }
    const ScratchFile file(text);
    const std::string machine = fmt::format(
        "name: x\ntopology: {{kind: mesh, dims: [{}]}}\nnodes: \"n[0-{}]\"\n"
        "node_types:\n  - {{name: a, nodes: \"n[0-{}]\", idle_w: {}, "
        "compute_w: {}, communicate_w: {}}}\n"
        "thermal: {{supply_c: 15, redline_c: 30, {}: {}{}}}\n",
        room.zones, room.zones - 1, room.zones - 1, room.busy_w / 3,
        room.busy_w, room.busy_w, option, file.path(),
        airflow.empty()
            ? ""
            : fmt::format(", airflow_w_per_k: [{}]", fmt::join(airflow, ", ")));
    Checked checked;
    const auto read =
        ParseMachineFile(machine, "m.yaml", nullptr, &checked.remarks);
    if (!read.ok()) checked.error = std::string(read.status().message());
    return checked;
  }
  static void ExpectRefusedOrWarned(const Checked& checked,
                                    const std::string& what) {
    EXPECT_TRUE(!checked.error.empty() || !checked.remarks.warnings.empty())
        << what;
  }
  static bool SaysSwapped(const Checked& checked) {
    for (const auto& lines :
         {checked.remarks.warnings, checked.remarks.notes}) {
      for (const std::string& line : lines) {
        if (line.find("may be swapped") != std::string::npos) return true;
      }
    }
    return false;
  }
  // Units and D for A, which can always be told.
  static void ExpectWrongInputNamed(const TestRoom& room) {
    const std::vector<double>& k = room.airflow_w_per_k;
    ExpectRefusedOrWarned(Check(room, "cross_interference", room.d, k),
                          "D as A");
    ExpectRefusedOrWarned(Check(room, "heat_distribution", room.a, k),
                          "A as D");
    ExpectRefusedOrWarned(Check(room, "heat_distribution", room.a, {}),
                          "A as D, airflow unknown");
    for (const double factor : {1e-3, 1e3}) {
      const std::string what = fmt::format("times {:g}", factor);
      for (const std::vector<double>& airflow : {k, std::vector<double>()}) {
        ExpectRefusedOrWarned(
            Check(room, "heat_distribution", Scaled(room.d, factor), airflow),
            "D " + what);
      }
      ExpectRefusedOrWarned(
          Check(room, "cross_interference", Scaled(room.a, factor), k),
          "A " + what);
      ExpectRefusedOrWarned(
          Check(room, "heat_distribution", room.d, Scaled(k, factor)),
          "airflow " + what);
      ExpectRefusedOrWarned(
          Check(room, "cross_interference", room.a, Scaled(k, factor)),
          "airflow of A " + what);
      TestRoom power = room;
      power.busy_w *= factor;
      ExpectRefusedOrWarned(Check(power, "heat_distribution", room.d, k),
                            "power " + what);
    }
  }
};

class RandomRoomTest : public RoomCheckTest,
                       public ::testing::WithParamInterface<std::uint32_t> {};

// As in the published rooms, inlets differ more than outlets.
TEST_P(RandomRoomTest, SwappedRowsAndColumnsAreNamed) {
  const TestRoom room = RandomRoom(GetParam(), 0.8, 0.3);
  for (const auto& [option, matrix] :
       {std::pair("heat_distribution", room.d),
        std::pair("cross_interference", room.a)}) {
    const Checked right = Check(room, option, matrix, room.airflow_w_per_k);
    EXPECT_EQ(right.error, "");
    EXPECT_THAT(right.remarks.warnings, IsEmpty());
    EXPECT_THAT(right.remarks.notes, Contains(HasSubstr("are read as")));
    const Checked swapped = Check(room, option, Transposed(matrix, room.zones),
                                  room.airflow_w_per_k);
    // With airflows that differ, A transposed is not the A of a room turned
    // round, and its spreads may be nearer to each other; the note is there.
    EXPECT_TRUE(!swapped.error.empty() || SaysSwapped(swapped) ||
                (option == std::string("cross_interference") &&
                 !swapped.remarks.notes.empty()))
        << option;
  }
  EXPECT_TRUE(SaysSwapped(
      Check(room, "heat_distribution", Transposed(room.d, room.zones), {})));
}

TEST_P(RandomRoomTest, OtherUnitsAndMatricesAreNamed) {
  ExpectWrongInputNamed(RandomRoom(GetParam(), 0.8, 0.3));
}

// Where inlets and outlets differ equally, nothing tells D from its transpose:
// both are accepted, and the note says how it was read.
TEST_P(RandomRoomTest, EqualSpreadsCannotBeTold) {
  const TestRoom room = RandomRoom(GetParam(), 0.5, 0.5);
  const Checked right =
      Check(room, "heat_distribution", room.d, room.airflow_w_per_k);
  const Checked swapped =
      Check(room, "heat_distribution", Transposed(room.d, room.zones),
            room.airflow_w_per_k);
  for (const Checked& checked : {right, swapped}) {
    EXPECT_EQ(checked.error, "");
    EXPECT_FALSE(SaysSwapped(checked));
    EXPECT_THAT(checked.remarks.notes,
                Contains(AllOf(HasSubstr("are read as inlets"),
                               HasSubstr("swapped it would be as physical"))));
  }
  EXPECT_NE(right.remarks.notes, swapped.remarks.notes);
}

INSTANTIATE_TEST_SUITE_P(Six, RandomRoomTest,
                         ::testing::Values(1, 2, 3, 4, 5, 6));

TEST_F(RoomCheckTest, SymmetricRoomsNeedNoNote) {
  TestRoom room;
  room.zones = 2;
  room.busy_w = 1000;
  const Checked checked = Check(room, "heat_distribution",
                                {0.002, 0.001, 0.001, 0.002}, {100, 100});
  EXPECT_EQ(checked.error, "");
  EXPECT_THAT(checked.remarks.warnings, IsEmpty());
  EXPECT_THAT(checked.remarks.notes, IsEmpty());
}

class PublishedRoomTest : public RoomCheckTest {
 protected:
  static TestRoom Read(const char* file, ZoneId zones, double airflow,
                       double busy_w) {
    TestRoom room;
    room.zones = zones;
    room.airflow_w_per_k.assign(zones, airflow);
    room.busy_w = busy_w;
    std::ifstream in(DataDir() / "heat" / file);
    for (double value = 0; in >> value;) room.d.push_back(value);
    EXPECT_EQ(room.d.size(), std::size_t{zones} * zones);
    return room;
  }
  static void ExpectSwapNamed(const TestRoom& room) {
    const Checked right =
        Check(room, "heat_distribution", room.d, room.airflow_w_per_k);
    EXPECT_EQ(right.error, "");
    EXPECT_FALSE(SaysSwapped(right));
    EXPECT_TRUE(SaysSwapped(Check(room, "heat_distribution",
                                  Transposed(room.d, room.zones),
                                  room.airflow_w_per_k)));
  }
  // The A of the room: A^T = I - (I + K D)^-1 summed as the series
  // K D - (K D)^2 ... diverges, so it is inverted by elimination.
  static std::vector<double> SharesOf(const TestRoom& room) {
    const std::size_t size = room.zones;
    std::vector<double> left = room.d;
    std::vector<double> inverse(size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        left[i * size + j] *= room.airflow_w_per_k[i];
      }
      left[i * size + i] += 1;
      inverse[i * size + i] = 1;
    }
    for (std::size_t c = 0; c < size; ++c) {
      const double pivot = left[c * size + c];
      for (std::size_t j = 0; j < size; ++j) {
        left[c * size + j] /= pivot;
        inverse[c * size + j] /= pivot;
      }
      for (std::size_t i = 0; i < size; ++i) {
        const double factor = left[i * size + c];
        if (i == c || factor == 0) continue;
        for (std::size_t j = 0; j < size; ++j) {
          left[i * size + j] -= factor * left[c * size + j];
          inverse[i * size + j] -= factor * inverse[c * size + j];
        }
      }
    }
    std::vector<double> shares = Scaled(Transposed(inverse, size), -1);
    for (std::size_t i = 0; i < size; ++i) shares[i * size + i] += 1;
    return shares;
  }
};

TEST_F(PublishedRoomTest, Boston40) {
  COOLSPAN_NEED_DATA("heat/boston40-D.txt");
  TestRoom room = Read("boston40-D.txt", 40, 293.486, 3000);
  ExpectSwapNamed(room);
  room.a = SharesOf(room);
  ExpectWrongInputNamed(room);
}

TEST_F(PublishedRoomTest, Asu50) {
  COOLSPAN_NEED_DATA("heat/ASU-D15-50x50.txt");
  TestRoom room = Read("ASU-D15-50x50.txt", 50, 191, 4170);
  ExpectSwapNamed(room);
  room.a = SharesOf(room);
  ExpectWrongInputNamed(room);
}

}  // namespace
}  // namespace coolspan
