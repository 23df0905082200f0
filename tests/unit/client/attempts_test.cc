// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/attempts.h"

#include <gtest/gtest.h>

namespace coolspan {
namespace {

constexpr std::uint64_t kNow = 1'700'000'000'000;

TEST(AttemptsTest, IncreasesWithinOneMillisecond) {
  Attempts attempts;
  EXPECT_EQ(attempts.Next(7, 0, kNow), kNow);
  EXPECT_EQ(attempts.Next(7, 0, kNow), kNow + 1);
  EXPECT_EQ(attempts.Next(7, 0, kNow), kNow + 2);
  EXPECT_EQ(attempts.Next(8, 0, kNow), kNow) << "jobs are numbered separately";
  EXPECT_EQ(attempts.Next(7, 1, kNow), kNow)
      << "restarts are numbered separately";
}

TEST(AttemptsTest, IncreasesWhenTheClockGoesBack) {
  Attempts attempts;
  const std::uint64_t before = attempts.Next(7, 0, kNow);
  EXPECT_GT(attempts.Next(7, 0, kNow - 3600), before);
}

TEST(AttemptsTest, IncreasesAcrossARestartOfTheController) {
  std::uint64_t before = 0;
  {
    Attempts attempts;
    for (int i = 0; i < 5; ++i) before = attempts.Next(7, 0, kNow + 2 * i);
  }
  EXPECT_GT(Attempts().Next(7, 0, kNow + 9), before);
}

TEST(AttemptsTest, DropsNumbersBelowTheClock) {
  Attempts attempts;
  std::uint64_t last = 0;
  for (int i = 0; i < 100; ++i) last = attempts.Next(1, 0, kNow);
  for (std::uint32_t job = 2; job < 200'000; ++job)
    attempts.Next(job, 0, kNow + job / 100);
  EXPECT_LT(attempts.Remembered(), 3000u);
  EXPECT_GT(attempts.Next(1, 0, kNow + 2000), last);
}

}  // namespace
}  // namespace coolspan
