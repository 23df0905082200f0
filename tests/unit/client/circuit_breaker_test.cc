// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/circuit_breaker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace coolspan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using State = CircuitBreaker::State;
using Delay = CircuitBreaker::Delay;

constexpr seconds kPeriod{30};

class CircuitBreakerTest : public ::testing::Test {
 protected:
  // A call to a hung daemon: returns whether it was admitted, and therefore
  // exceeded its deadline.
  bool CallHungDaemon() {
    if (!breaker_.Admit(now_)) return false;
    now_ += milliseconds(20);
    breaker_.Failed(now_, Delay::kDeadline);
    return true;
  }

  CircuitBreaker breaker_{kPeriod};
  CircuitBreaker::Clock::time_point now_{seconds(1000)};
};

TEST_F(CircuitBreakerTest, AdmitsEveryCallWhileClosed) {
  for (int call = 0; call < 100; ++call) {
    EXPECT_TRUE(breaker_.Admit(now_));
    breaker_.Succeeded(now_);
  }
  EXPECT_EQ(breaker_.state(now_), State::kClosed);
}

TEST_F(CircuitBreakerTest, MissedDeadlinesOfABurstLoseOnlyThemselves) {
  int answered = 0;
  for (int call = 0; call < 200; ++call) {
    if (!breaker_.Admit(now_)) continue;
    if (call % 40 == 10) {  // the daemon stalls five times
      now_ += milliseconds(20);
      EXPECT_FALSE(breaker_.Failed(now_, Delay::kDeadline)) << call;
      continue;
    }
    now_ += milliseconds(1);
    breaker_.Succeeded(now_);
    ++answered;
  }
  EXPECT_EQ(answered, 195);
}

TEST_F(CircuitBreakerTest, OneInTwentyCallsMayMissItsDeadlineForever) {
  for (int call = 0; call < 10'000; ++call) {
    ASSERT_TRUE(breaker_.Admit(now_)) << call;
    now_ += milliseconds(20);
    if (call % 21 == 0) {
      breaker_.Failed(now_, Delay::kDeadline);
    } else {
      breaker_.Succeeded(now_);
    }
  }
}

TEST_F(CircuitBreakerTest, HungDaemonDelaysThreeCallsThenOnePerPeriod) {
  const auto start = now_;
  int delayed = 0;
  while (now_ < start + 10 * kPeriod) {
    delayed += CallHungDaemon() ? 1 : 0;
    now_ += milliseconds(100);
  }
  EXPECT_EQ(delayed, 3 + 9);
}

TEST_F(CircuitBreakerTest, NoCallIsDelayedWhileProbesFail) {
  EXPECT_TRUE(CallHungDaemon());
  const auto start = now_;
  int delayed = 0;
  while (now_ < start + 10 * kPeriod) {
    breaker_.ProbeFailed(now_);
    delayed += CallHungDaemon() ? 1 : 0;
    now_ += seconds(1);
  }
  EXPECT_EQ(delayed, 0);
}

TEST_F(CircuitBreakerTest, FailedProbeOpensAClosedBreaker) {
  breaker_.ProbeFailed(now_);
  EXPECT_FALSE(breaker_.Admit(now_));
  EXPECT_EQ(breaker_.state(now_), State::kOpen);
}

TEST_F(CircuitBreakerTest, SuccessfulProbeClosesImmediatelyAfterAFailedOne) {
  EXPECT_TRUE(CallHungDaemon());
  breaker_.ProbeFailed(now_);
  now_ += milliseconds(100);
  EXPECT_FALSE(breaker_.Admit(now_));
  EXPECT_TRUE(breaker_.ProbeSucceeded(now_));
  EXPECT_TRUE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest, ProbeClosesWithinTwoSecondsOfTheLastMiss) {
  while (CallHungDaemon()) {
  }
  const auto opened = now_;
  while (!breaker_.ProbeSucceeded(now_)) {
    EXPECT_FALSE(breaker_.Admit(now_));
    now_ += milliseconds(100);
  }
  EXPECT_GT(now_ - opened, seconds(1));
  EXPECT_LE(now_ - opened, seconds(2));
  EXPECT_TRUE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest,
       DaemonThatAnswersOnlyProbesDelaysCallsEverMoreRarely) {
  const auto start = now_;
  int delayed = 0;
  while (now_ < start + kPeriod) {
    delayed += CallHungDaemon() ? 1 : 0;
    now_ += milliseconds(100);
    breaker_.ProbeSucceeded(now_);
  }
  EXPECT_EQ(delayed, 3 + 4) << "after pauses of 1, 2, 4 and 8 / 16 of a period";
  delayed = 0;
  while (now_ < start + 20 * kPeriod) {
    delayed += CallHungDaemon() ? 1 : 0;
    now_ += milliseconds(100);
    breaker_.ProbeSucceeded(now_);
  }
  EXPECT_NEAR(delayed, 19, 1);
}

TEST_F(CircuitBreakerTest, AnAnswerEndsTheGrowthOfPauses) {
  for (int round = 0; round < 5; ++round) {
    while (CallHungDaemon()) {
    }
    const auto opened = now_;
    while (!breaker_.ProbeSucceeded(now_)) now_ += milliseconds(100);
    EXPECT_LE(now_ - opened, seconds(2)) << round;
    EXPECT_TRUE(breaker_.Admit(now_));
    breaker_.Succeeded(now_);
  }
}

TEST_F(CircuitBreakerTest, ProbeClosesAfterAnyNumberOfImmediateFailures) {
  for (int restart = 0; restart < 10; ++restart) {
    EXPECT_TRUE(breaker_.Admit(now_)) << restart;
    breaker_.Failed(now_, Delay::kNone);
    EXPECT_FALSE(breaker_.Admit(now_));
    now_ += milliseconds(200);
    breaker_.ProbeSucceeded(now_);
  }
}

TEST_F(CircuitBreakerTest, HalfOpenAdmitsOneTrialUntilItsOutcome) {
  breaker_.ProbeFailed(now_);
  now_ += kPeriod;
  EXPECT_EQ(breaker_.state(now_), State::kHalfOpen);
  EXPECT_TRUE(breaker_.Admit(now_));
  EXPECT_FALSE(breaker_.Admit(now_));
  breaker_.Succeeded(now_);
  EXPECT_TRUE(breaker_.Admit(now_));
  EXPECT_TRUE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest, AfterACancelledTrialAnotherIsAdmitted) {
  breaker_.ProbeFailed(now_);
  now_ += kPeriod;
  EXPECT_TRUE(breaker_.Admit(now_));
  EXPECT_FALSE(breaker_.Admit(now_));
  breaker_.Cancelled();
  EXPECT_EQ(breaker_.state(now_), State::kHalfOpen);
  EXPECT_TRUE(breaker_.Admit(now_));
  EXPECT_FALSE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest, AfterATrialWithoutOutcomeAnotherIsAdmitted) {
  breaker_.ProbeFailed(now_);
  now_ += kPeriod;
  EXPECT_TRUE(breaker_.Admit(now_));
  now_ += kPeriod - milliseconds(1);
  EXPECT_FALSE(breaker_.Admit(now_));
  now_ += milliseconds(1);
  EXPECT_TRUE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest,
       LateSuccessOfAnEarlierCallDoesNotCloseAnOpenBreaker) {
  EXPECT_TRUE(breaker_.Admit(now_));  // succeeds after the failure below
  breaker_.ProbeFailed(now_);
  breaker_.Succeeded(now_);
  EXPECT_FALSE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest, OneTrialAmongManyThreads) {
  breaker_.ProbeFailed(now_);
  now_ += kPeriod;
  std::atomic<int> admitted{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int call = 0; call < 1000; ++call)
        admitted += breaker_.Admit(now_) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(admitted, 1);
}

}  // namespace
}  // namespace coolspan
