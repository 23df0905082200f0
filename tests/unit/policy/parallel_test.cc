// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>

namespace coolspan {
namespace {

TEST(ForEachPieceTest, CallsWorkForEachItemOnce) {
  std::atomic<std::size_t> sum = 0;
  ForEachPiece(1000, 7, [&sum](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) sum += i;
  });
  EXPECT_EQ(sum, 499'500u);
}

TEST(ForEachPieceTest, ThrowsWhatAPieceThrows) {
  std::atomic<int> running = 0;
  const auto work = [&running](std::size_t begin, std::size_t /*end*/) {
    ++running;
    if (begin % 3 == 1) {
      --running;
      throw std::runtime_error("a piece");
    }
    --running;
  };
  EXPECT_THROW(ForEachPiece(1000, 1, work), std::runtime_error);
  EXPECT_EQ(running, 0) << "no piece runs on";
}

}  // namespace
}  // namespace coolspan
