// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/retention_clock.h"

#include <gtest/gtest.h>

namespace coolspan {
namespace {

constexpr TimeMs kDayMs = TimeMs{24} * 3600 * 1000;
constexpr TimeMs kTenYearsMs = 3650 * kDayMs;

class RetentionClockTest : public ::testing::Test {
 protected:
  RetentionClock Start(TimeMs last_ms) {
    return RetentionClock(
        last_ms, [this] { return wall_ms_; }, [this] { return steady_; });
  }
  void Pass(TimeMs ms) {
    wall_ms_ += ms;
    steady_ += std::chrono::milliseconds(ms);
  }

  static constexpr TimeMs kStartMs = 1'000 * kDayMs;
  TimeMs wall_ms_ = kStartMs;
  RetentionClock::Steady steady_{std::chrono::hours(5)};
};

TEST_F(RetentionClockTest, FollowsTheWallClock) {
  RetentionClock clock = Start(0);
  EXPECT_EQ(clock.Now(), kStartMs);
  for (int i = 0; i < 1000; ++i) Pass(7), clock.Now();
  Pass(100);
  EXPECT_EQ(clock.Now(), wall_ms_);
}

TEST_F(RetentionClockTest, AStepOfTheWallClockIsNoAge) {
  RetentionClock clock = Start(0);
  wall_ms_ += kTenYearsMs;
  Pass(kDayMs);
  EXPECT_EQ(clock.Now(), kStartMs + kDayMs + kDayMs / 10);
  wall_ms_ -= kTenYearsMs;
  Pass(kDayMs);
  EXPECT_EQ(clock.Now(), wall_ms_);
}

TEST_F(RetentionClockTest, DoesNotGoBack) {
  RetentionClock clock = Start(0);
  Pass(kDayMs);
  const TimeMs before_ms = clock.Now();
  wall_ms_ -= kTenYearsMs;
  Pass(kDayMs);
  EXPECT_EQ(clock.Now(), before_ms);
  wall_ms_ += kTenYearsMs;
  Pass(1000);
  EXPECT_LE(clock.Now(), wall_ms_);
  EXPECT_GT(clock.Now(), before_ms);
}

TEST_F(RetentionClockTest, ARestartWithAWrongClockIsADayAtMost) {
  wall_ms_ = kStartMs + kTenYearsMs;
  EXPECT_EQ(Start(kStartMs).Now(), kStartMs + RetentionClock::kMaxStepMs);
  wall_ms_ = kStartMs - kTenYearsMs;
  EXPECT_EQ(Start(kStartMs).Now(), kStartMs);
  wall_ms_ = kStartMs + 1000;
  EXPECT_EQ(Start(kStartMs).Now(), wall_ms_);
}

TEST_F(RetentionClockTest, CatchesUpAfterALongDowntime) {
  wall_ms_ = kStartMs + 11 * kDayMs;
  RetentionClock clock = Start(kStartMs);
  for (int day = 0; day < 111; ++day) {
    Pass(kDayMs);
    EXPECT_LE(clock.Now(), wall_ms_);
  }
  EXPECT_EQ(clock.Now(), wall_ms_);
}

}  // namespace
}  // namespace coolspan
