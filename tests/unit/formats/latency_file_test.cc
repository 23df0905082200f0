// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/latency_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scratch_file.h"

namespace coolspan {
namespace {

TEST(LatencyFileTest, AveragesTheTwoDirections) {
  const ScratchFile file("# us\n5 1,2.5\n 3 0 1e1 # b\n\n2.5 20 7\n");
  const auto latencies = ReadLatencyFile(file.path(), 3);
  ASSERT_TRUE(latencies.ok()) << latencies.status();
  const LatencyMatrix& matrix = **latencies;
  EXPECT_EQ(matrix.node_count(), 3U);
  EXPECT_EQ(matrix.Between(0, 1), 2);
  EXPECT_EQ(matrix.Between(1, 0), 2);
  EXPECT_EQ(matrix.Between(2, 0), 2.5);
  EXPECT_EQ(matrix.Between(1, 2), 15);
  EXPECT_EQ(matrix.Between(1, 1), 0) << "not between two nodes";
  EXPECT_EQ(matrix.WithItself(0), 5);
  EXPECT_EQ(matrix.WithItself(2), 7);
  EXPECT_EQ(matrix.shortest(), 2);
  EXPECT_EQ(matrix.longest(), 15);
}

TEST(LatencyFileTest, RejectsInvalidFiles) {
  const auto error_of = [](const std::string& text, NodeCount nodes) {
    const ScratchFile file(text);
    return file.MessageOf(ReadLatencyFile(file.path(), nodes).status());
  };
  EXPECT_EQ(error_of("0 1\n1 -2\n", 2),
            ": row 2, column 2: -2 is not a latency (expected a number from 0 "
            "to 1000000000)");
  EXPECT_THAT(error_of("0 2e9\n1 0\n", 2),
              testing::HasSubstr("row 1, column 2"));
  EXPECT_EQ(error_of("0 1\n1 0\n", 3),
            ": 2 rows, 3 nodes in the machine (expected one row per node)");
  EXPECT_THAT(error_of("0 1\n1 x\n", 2), testing::HasSubstr(":2:3: "));
  EXPECT_TRUE(
      absl::IsNotFound(ReadLatencyFile("/absent/latencies", 2).status()));
}

}  // namespace
}  // namespace coolspan
