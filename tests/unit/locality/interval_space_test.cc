// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/interval_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "mesh_machine.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(IntervalSpaceTest, CountsIntervalsByLength) {
  const auto machine = MeshMachine(FlatGrid({200}));
  const auto ordering = MakeOrdering(*machine, "row-major").value();
  NodeSet free(200);
  EXPECT_THAT(IntervalSpaceOf(*ordering, free).by_length, IsEmpty());
  EXPECT_EQ(IntervalSpaceOf(*ordering, free).count, 0U);
  for (const NodeId node : {0, 2, 3, 62, 63, 64, 65, 199}) free.Insert(node);
  const IntervalSpace space = IntervalSpaceOf(*ordering, free);
  EXPECT_THAT(space.by_length, ElementsAre(2, 1, 1));
  EXPECT_EQ(space.count, 4U);
  EXPECT_EQ(space.largest, 4U) << "over the end of a word";
}

TEST(IntervalSpaceTest, IsAlongTheOrdering) {
  const auto machine = MeshMachine(FlatGrid({2, 2}));
  const auto snake = MakeOrdering(*machine, "snake").value();  // 0 1 3 2
  const NodeSet free(4, std::vector<NodeId>{1, 3});
  EXPECT_EQ(IntervalSpaceOf(*snake, free).largest, 2U);
  const auto rows = MakeOrdering(*machine, "row-major").value();
  EXPECT_EQ(IntervalSpaceOf(*rows, free).largest, 1U);
}

TEST(IntervalSpaceTest, SameAsOneByOne) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> words(1 + random() % 4);
    for (std::uint64_t& word : words) {
      word = random() | (round % 2 == 0 ? random() : 0);
    }
    std::vector<std::uint32_t> by_length(10, 0);
    NodeCount largest = 0;
    NodeCount length = 0;
    for (std::size_t i = 0; i <= 64 * words.size(); ++i) {
      if (i < 64 * words.size() && (words[i / 64] >> (i % 64) & 1) != 0) {
        ++length;
        continue;
      }
      if (length > 0) ++by_length[std::bit_width(length) - 1];
      largest = std::max(largest, length);
      length = 0;
    }
    while (!by_length.empty() && by_length.back() == 0) by_length.pop_back();
    const IntervalSpace space = IntervalSpaceOf(words);
    EXPECT_EQ(space.by_length, by_length);
    EXPECT_EQ(space.largest, largest);
  }
}

}  // namespace
}  // namespace coolspan
