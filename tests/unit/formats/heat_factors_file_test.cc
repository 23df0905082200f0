// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/heat_factors_file.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "formats/heat_file.h"
#include "scratch_file.h"
#include "thermal/dense_heat.h"
#include "thermal/sparse_heat.h"

namespace coolspan {
namespace {

std::string Complaint(const std::string& text) {
  const ScratchFile file(text);
  return file.MessageOf(ReadHeatFile(file.path()).status());
}

TEST(HeatFactorsFileTest, ReadsFactors) {
  const ScratchFile file(
      "# a room\n"
      "zones 3 cells 2\n"
      "near 1 0 0.25 0.5  # receiver 1, from emitters 0 and 1\n"
      "draw 0 1 2 1\n"
      "flow 0 0 1e-3 0.125\n"
      "emit 1 2 0.5\n");
  const auto factors = ReadHeatFactors(file.path());
  ASSERT_TRUE(factors.ok()) << factors.status();
  EXPECT_EQ(factors->zones, 3U);
  EXPECT_EQ(factors->cells, 2U);
  using Entries = std::vector<MatrixEntry>;
  EXPECT_EQ(factors->near, (Entries{{1, 0, 0.25}, {1, 1, 0.5}}));
  EXPECT_EQ(factors->draw, (Entries{{1, 0, 2}, {2, 0, 1}}));
  EXPECT_EQ(factors->flow, (Entries{{0, 0, 1e-3}, {0, 1, 0.125}}));
  EXPECT_EQ(factors->emit, (Entries{{1, 2, 0.5}}));
  const auto heat = ReadHeatFile(file.path());
  ASSERT_TRUE(heat.ok());
  EXPECT_EQ((*heat)->At(1, 2), 2 * 0.125 * 0.5);
}

TEST(HeatFactorsFileTest, ReadsWhatItWrote) {
  LowRankHeat::Factors factors;
  factors.zones = 200;
  factors.cells = 1;
  for (ZoneId zone = 200; zone-- > 0;) {
    factors.draw.push_back({zone, 0, 0.25});
    factors.emit.push_back({0, zone, 0.5});
    if (zone % 2 == 0) factors.near.push_back({zone, 199 - zone, 1e-5});
  }
  factors.flow.push_back({0, 0, 0.125});
  std::ostringstream text;
  WriteHeatFactors(factors, text);
  const auto read = ReadHeatFactors(ScratchFile(text.str()).path());
  ASSERT_TRUE(read.ok()) << read.status();
  const auto heat = LowRankHeat::Create(*read).value();
  const auto original = LowRankHeat::Create(factors).value();
  for (ZoneId zone = 0; zone < 200; ++zone) {
    EXPECT_EQ(heat->At(zone, 199 - zone), original->At(zone, 199 - zone));
    EXPECT_EQ(heat->At(zone, 7), original->At(zone, 7));
  }
}

TEST(HeatFactorsFileTest, Errors) {
  EXPECT_EQ(Complaint("zones 3\n"),
            ":1:1: first line is not the size of a matrix (expected \"zones N "
            "cells M\", N from 1 to 4194304, M from 0 to 65536)");
  const std::string start = "zones 3 cells 2\n";
  EXPECT_EQ(Complaint(start + "far 0 0 1\n"),
            ":2:1: \"far\" is not a factor (expected near, draw, flow or "
            "emit)");
  EXPECT_EQ(Complaint(start + "near 0 0\n"),
            ":2:1: no value (expected \"near LINE FIRST VALUE...\")");
  EXPECT_EQ(Complaint(start + "draw 2 0 1\n"),
            ":2:6: \"2\" is not a cell (expected a number below 2)");
  EXPECT_EQ(Complaint(start + "near 3 0 1\n"),
            ":2:6: \"3\" is not a zone (expected a number below 3)");
  EXPECT_EQ(Complaint(start + "flow 0 1 1 1\n"),
            ":2:8: 2 values from cell \"1\" (expected cells below 2)");
  EXPECT_EQ(Complaint(start + "emit 0 0 1 x\n"),
            ":2:12: \"x\" is not a number (expected a number such as 0.00125 "
            "or 1.25e-3)");
  EXPECT_EQ(Complaint(start + "near 0 0 1\nnear 0 0 2\n"),
            ": near: row 1, column 1 is specified more than once");
}

TEST(HeatFactorsFileTest, DistinguishesMatricesFromFactors) {
  const auto dense = ReadHeatFile(ScratchFile("0 1\n2 0\n").path());
  ASSERT_TRUE(dense.ok());
  EXPECT_NE(dynamic_cast<const DenseHeat*>(dense->get()), nullptr);
  EXPECT_EQ((*dense)->At(1, 0), 2);
  const auto sparse =
      ReadHeatFile(ScratchFile("%%MatrixMarket matrix coordinate real general\n"
                               "4 4 2\n1 2 0.5\n4 4 0.25\n")
                       .path());
  ASSERT_TRUE(sparse.ok()) << sparse.status();
  EXPECT_NE(dynamic_cast<const SparseHeat*>(sparse->get()), nullptr);
  EXPECT_EQ((*sparse)->At(0, 1), 0.5);
}

}  // namespace
}  // namespace coolspan
