// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/paid_work.h"

#include <gtest/gtest.h>

namespace coolspan {
namespace {

TEST(PaidWorkTest, ReadsTheClockFirstAndThenOncePerPortion) {
  int looks = 0;
  const Budget budget(Budget::kUnlimited,
                      [&looks] { return ++looks / 1000.0; });
  PaidWork paid(budget);
  EXPECT_TRUE(paid.Continue(1));
  EXPECT_EQ(looks, 1);
  for (int i = 0; i < 40; ++i)
    EXPECT_TRUE(paid.Continue(PaidWork::kPortion / 4));
  EXPECT_EQ(looks, 10);
}

TEST(PaidWorkTest, EndsAtTheTimeLimit) {
  double passed = 0.5;
  const Budget budget(Budget::kUnlimited, [&passed] { return passed; });
  PaidWork paid(budget);
  EXPECT_TRUE(paid.Continue(PaidWork::kPortion));
  passed = 1;
  EXPECT_FALSE(paid.Continue(1));
  EXPECT_FALSE(paid.Continue(1));
  PaidWork late(budget);
  EXPECT_FALSE(late.Continue(1));
}

TEST(PaidWorkTest, CompletesBatchesWithoutATimeLimit) {
  Budget budget(10);
  ASSERT_TRUE(budget.Spend(10));
  PaidWork paid(budget);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(paid.Continue(PaidWork::kPortion));
}

}  // namespace
}  // namespace coolspan
