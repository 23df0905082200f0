// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shared_array.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

namespace coolspan {
namespace {

using Array = SharedArray<int, 4>;

std::vector<int> Items(const Array& array) {
  std::vector<int> items;
  for (std::size_t i = 0; i < array.size(); ++i) items.push_back(array[i]);
  return items;
}

TEST(SharedArrayTest, ContainsTheGivenItems) {
  for (const std::size_t size : {0U, 1U, 3U, 4U, 5U, 8U, 9U}) {
    std::vector<int> items(size);
    std::iota(items.begin(), items.end(), 1);
    const Array array{std::span<const int>(items)};
    EXPECT_EQ(array.size(), size);
    EXPECT_EQ(array.empty(), size == 0);
    EXPECT_EQ(array.block_count(), (size + 3) / 4);
    EXPECT_EQ(Items(array), items);
    std::vector<int> by_block;
    for (std::size_t b = 0; b < array.block_count(); ++b) {
      const std::span<const int> block = array.Block(b);
      by_block.insert(by_block.end(), block.begin(), block.end());
    }
    EXPECT_EQ(by_block, items);
    EXPECT_EQ(Items(Array(size, 7)), std::vector<int>(size, 7));
  }
  EXPECT_EQ(Array(), Array(0, 3));
}

TEST(SharedArrayTest, ChangeCopiesOneBlock) {
  Array array(11, 0);
  const Array before = array;
  for (std::size_t b = 0; b < 3; ++b) {
    EXPECT_TRUE(array.SharesBlock(b, before));
  }
  array.Mutable(5) = 1;
  EXPECT_TRUE(array.SharesBlock(0, before));
  EXPECT_FALSE(array.SharesBlock(1, before));
  EXPECT_TRUE(array.SharesBlock(2, before));
  EXPECT_EQ(Items(before), std::vector<int>(11, 0));
  EXPECT_EQ(Items(array), (std::vector<int>{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}));
  const int* const at = &array[5];
  array.Mutable(6) = 2;
  EXPECT_EQ(&array[5], at) << "nobody else has the block any more";
  array.MutableBlock(2)[2] = 3;
  EXPECT_EQ(array[10], 3);
  EXPECT_EQ(before[10], 0);
}

TEST(SharedArrayTest, SharesABlockOfAnotherArray) {
  Array array(6, 0);
  Array other(6, 0);
  other.Mutable(4) = 9;
  array.ShareBlock(1, other);
  EXPECT_TRUE(array.SharesBlock(1, other));
  EXPECT_FALSE(array.SharesBlock(0, other));
  EXPECT_EQ(array[4], 9);
  array.Mutable(4) = 8;
  EXPECT_EQ(other[4], 9);
}

TEST(SharedArrayTest, EqualityComparesItems) {
  Array array(6, 0);
  Array other(6, 0);
  EXPECT_EQ(array, other);
  other.Mutable(5) = 1;
  EXPECT_FALSE(array == other);
  other.Mutable(5) = 0;
  EXPECT_EQ(array, other);
  EXPECT_FALSE(array == Array(5, 0));
}

// Copies of one array are read and destroyed on other threads while it changes.
TEST(SharedArrayThreadsTest, ReadersSeeTheCopyUnchanged) {
  constexpr std::size_t kItems = 64;
  constexpr int kRounds = 100;
  Array array(kItems, 0);
  std::atomic<int> wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto read = [&wrong, round](const Array copy) {
      for (std::size_t i = 0; i < copy.size(); ++i) {
        if (copy[i] != round) ++wrong;
      }
    };
    std::thread first(read, array);
    std::thread second(read, array);
    for (std::size_t i = 0; i < kItems; ++i) array.Mutable(i) = round + 1;
    first.join();
    second.join();
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace coolspan
