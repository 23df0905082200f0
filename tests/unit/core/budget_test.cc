// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/budget.h"

#include <gtest/gtest.h>

namespace coolspan {
namespace {

TEST(BudgetTest, PartSpendsFromTheWhole) {
  Budget whole(100);
  ASSERT_TRUE(whole.Spend(20));
  Budget part = whole.Part(0.5);
  EXPECT_TRUE(part.Spend(30));
  EXPECT_FALSE(whole.exhausted());
  EXPECT_FALSE(part.Spend(11));
  EXPECT_TRUE(part.exhausted());
  whole.Take(part);
  EXPECT_TRUE(whole.exhausted());
  EXPECT_TRUE(whole.Spend(50));
  EXPECT_FALSE(whole.Spend(1));
}

TEST(BudgetTest, PartOfAnUnlimitedBudgetIsUnlimited) {
  Budget whole;
  Budget part = whole.Part(0.01);
  EXPECT_TRUE(part.Spend(Budget::kUnlimited - 1));
  whole.Take(part);
  EXPECT_TRUE(whole.Spend(Budget::kUnlimited - 1));
}

TEST(BudgetTest, PartEndsBeforeTheWhole) {
  double passed = 0.2;
  Budget whole(Budget::kUnlimited, [&passed] { return passed; });
  Budget half = whole.Part(0.5);    // until 0.6
  Budget quarter = half.Part(0.5);  // until 0.4
  EXPECT_FALSE(whole.Part(0).Spend(0));
  passed = 0.39;
  EXPECT_TRUE(quarter.Spend(1));
  passed = 0.41;
  EXPECT_FALSE(quarter.Spend(1));
  EXPECT_TRUE(half.Spend(1));
  passed = 0.61;
  EXPECT_FALSE(half.Spend(1));
  EXPECT_TRUE(whole.Spend(1));
  passed = 1;
  EXPECT_FALSE(whole.Spend(0));
  EXPECT_FALSE(whole.Part(1).Spend(0));
}

TEST(BudgetTest, TimeIsLeftWithoutWork) {
  double passed = 0.2;
  Budget budget(5, [&passed] { return passed; });
  EXPECT_FALSE(budget.Spend(6));
  Budget time = budget.TimeOnly();
  EXPECT_TRUE(budget.HasTime());
  EXPECT_TRUE(time.Spend(6));
  passed = 1;
  EXPECT_FALSE(budget.HasTime());
  EXPECT_FALSE(time.Spend(0));
  EXPECT_TRUE(Budget(0).HasTime());
}

TEST(BudgetTest, PartStopsWithTheWhole) {
  bool stop = false;
  const Budget whole(Budget::kUnlimited, [&stop] { return stop; });
  Budget part = whole.Part(0.5);
  EXPECT_TRUE(part.Spend(1));
  stop = true;
  EXPECT_FALSE(part.Spend(1));
}

}  // namespace
}  // namespace coolspan
