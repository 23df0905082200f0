// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/config/machine/topology_files.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kMachine =
    "topology: {kind: hops, matrix: FILE}\nnodes: \"n[1-3]\"\n";

TEST(HopsKindTest, ReadsAMatrix) {
  const ScratchFile file("# hops\n0 2 700\n2,0,4 # second\n\n700 4 0");
  const auto machine = ParseWithFile(kMachine, file);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ((*machine)->topology().kind(), "hops");
  EXPECT_EQ((*machine)->topology().Distance(0, 2), 700U);
  EXPECT_EQ((*machine)->topology().Distance(2, 1), 4U);
}

TEST(HopsKindTest, ReadsAGzipMatrix) {
  const ScratchFile file(ScratchFile::Gzip("0 2 7\n2 0 4\n7 4 0\n"));
  const auto machine = ParseWithFile(kMachine, file);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ((*machine)->topology().Distance(0, 2), 7U);
}

std::string Row(std::size_t columns) {
  std::string row;
  for (std::size_t i = 0; i < columns; ++i) row += "0 ";
  return row + "\n";
}

class BadHopsFileTest : public ::testing::TestWithParam<BadContent> {};

TEST_P(BadHopsFileTest, ErrorHasPositionAndMessage) {
  EXPECT_THAT(ErrorOfContent(kMachine, GetParam().content),
              StartsWith(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadHopsFileTest,
    ::testing::Values(
        BadContent{"empty", "", "FILE: matrix has 0 rows"},
        BadContent{"asymmetric", "0 1 2\n1 0 5\n2 4 0\n",
                   "FILE:3:3: row 3, column 2 is 4, row 2, column 3 is 5 "
                   "(expected a symmetric matrix)"},
        BadContent{"diagonal", "0 1\n1 3\n",
                   "FILE:2:3: row 2, column 2: 3 hops from a node to itself "
                   "(expected 0)"},
        BadContent{"negative", "0 -1\n-1 0\n",
                   "FILE:1:3: \"-1\" is not a number of hops (expected an "
                   "integer from 0"},
        BadContent{"fraction", "0 1.5\n1.5 0\n", "FILE:1:3: \"1.5\""},
        BadContent{"word", "0 x\n", "FILE:1:3: \"x\""},
        BadContent{"too far", "0 65536\n65536 0\n", "FILE:1:3: \"65536\""},
        BadContent{"short row", "0 1\n1\n",
                   "FILE:2:1: row 2 has 1 entries (expected 2, as in row 1)"},
        BadContent{"long row", "0 1\n1 0 1\n",
                   "FILE:2:1: row 2 has 3 entries (expected 2, as in row 1)"},
        BadContent{"few rows", "0 1 2\n1 0 2\n",
                   "FILE:2:1: matrix has 2 rows, 3 columns"},
        BadContent{"many rows", "0 1\n1 0\n\n1 0\n",
                   "FILE:4:1: matrix has more than 2 rows"},
        BadContent{"too large", Row(16385),
                   "FILE:1:1: matrix has 16385 columns (expected at most "
                   "16384)"},
        BadContent{"other size", "0 1\n1 0\n",
                   "m.yaml:3:8: nodes: 3 names, 2 nodes in the topology"}));

TEST(HopsKindTest, OptionsAreChecked) {
  EXPECT_THAT(ErrorOfContent("topology: {kind: hops}\nnodes: n1\n", ""),
              StartsWith("m.yaml:2:11: topology.matrix: missing"));
  EXPECT_THAT(
      ErrorOfContent(
          "topology: {kind: hops, matrix: /nonexistent/m}\nnodes: n1\n", ""),
      HasSubstr("m.yaml:2:32: topology.matrix: /nonexistent/m: cannot open"));
}

}  // namespace
}  // namespace coolspan
