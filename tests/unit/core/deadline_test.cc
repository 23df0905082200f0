// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/deadline.h"

#include <gtest/gtest.h>

#include <chrono>

namespace coolspan {
namespace {

using Time = std::chrono::steady_clock::time_point;

Time At(int ms) { return Time(std::chrono::milliseconds(ms)); }

TEST(BudgetUntilTest, EndsAtItsTime) {
  Time now = At(100);
  Budget budget = BudgetUntil(At(200), [&now] { return now; });
  now = At(199);
  EXPECT_TRUE(budget.Spend(1'000'000));
  now = At(200);
  EXPECT_FALSE(budget.Spend(1));
  EXPECT_TRUE(budget.exhausted());
}

TEST(BudgetUntilTest, APartEndsAtItsShareOfTheTime) {
  Time now = At(100);
  const Budget budget = BudgetUntil(At(200), [&now] { return now; });
  Budget part = budget.Part(0.5);
  now = At(149);
  EXPECT_TRUE(part.Spend(1));
  now = At(150);
  EXPECT_FALSE(part.Spend(1));
}

TEST(BudgetUntilTest, EndsWhenStopped) {
  bool stopped = false;
  Budget budget = BudgetUntil(
      At(200), [] { return At(100); }, [&stopped] { return stopped; });
  EXPECT_TRUE(budget.Spend(1));
  stopped = true;
  EXPECT_FALSE(budget.Spend(1));
}

TEST(BudgetUntilTest, ATimeThatHasPassedIsTheEnd) {
  Budget budget = BudgetUntil(At(100), [] { return At(100); });
  EXPECT_FALSE(budget.Spend(1));
}

}  // namespace
}  // namespace coolspan
