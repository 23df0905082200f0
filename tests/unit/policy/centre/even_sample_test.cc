// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/even_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

namespace coolspan {
namespace {

std::vector<VertexId> FromZero(VertexId count) {
  std::vector<VertexId> vertices(count);
  std::iota(vertices.begin(), vertices.end(), 0U);
  return vertices;
}

TEST(EvenSampleTest, ContainsEachVertexOnce) {
  for (VertexId count = 1; count < 300; ++count) {
    std::vector<VertexId> sample = EvenSample(FromZero(count), count);
    std::sort(sample.begin(), sample.end());
    ASSERT_EQ(sample, FromZero(count));
  }
}

TEST(EvenSampleTest, PrefixesHaveNoLargeGap) {
  for (const VertexId count : {10U, 128U, 360U, 1000U, 4096U, 6000U}) {
    const std::vector<VertexId> sample = EvenSample(FromZero(count), count);
    std::set<VertexId> seen;
    for (const VertexId vertex : sample) {
      seen.insert(vertex);
      VertexId gap = *seen.begin() + count - *seen.rbegin();  // around the end
      for (auto it = seen.begin(); std::next(it) != seen.end(); ++it) {
        gap = std::max(gap, *std::next(it) - *it);
      }
      ASSERT_LE(gap, 6 * count / seen.size() + 1)
          << seen.size() << " of " << count;
      if (seen.size() == 100) break;
    }
  }
}

TEST(EvenSampleTest, IsNoLargerThanMaxCount) {
  EXPECT_EQ(EvenSample(FromZero(1000), 10).size(), 10);
  EXPECT_EQ(EvenSample(FromZero(1000), 0).size(), 1);
  EXPECT_EQ(EvenSample(FromZero(3), 10).size(), 3);
}

}  // namespace
}  // namespace coolspan
