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

TEST_F(CircuitBreakerTest, HungDaemonDelaysOneCallPerPeriod) {
  const auto start = now_;
  int delayed = 0;
  while (now_ < start + 10 * kPeriod) {
    delayed += CallHungDaemon() ? 1 : 0;
    now_ += milliseconds(100);
  }
  EXPECT_EQ(delayed, 10);
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

TEST_F(CircuitBreakerTest, SuccessfulProbeClosesImmediately) {
  EXPECT_TRUE(CallHungDaemon());
  now_ += milliseconds(100);
  EXPECT_FALSE(breaker_.Admit(now_));
  breaker_.ProbeSucceeded(now_);
  EXPECT_TRUE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest,
       DaemonThatAnswersOnlyProbesDelaysTwoCallsInTheFirstPeriod) {
  const auto start = now_;
  int delayed = 0;
  while (now_ < start + kPeriod) {
    delayed += CallHungDaemon() ? 1 : 0;
    now_ += milliseconds(100);
    breaker_.ProbeSucceeded(now_);
  }
  EXPECT_EQ(delayed, 2);
}

TEST_F(CircuitBreakerTest,
       DaemonThatAnswersOnlyProbesDelaysOneCallInEachLaterPeriod) {
  const auto start = now_;
  int delayed = 0;
  while (now_ < start + 20 * kPeriod) {
    delayed += CallHungDaemon() ? 1 : 0;
    now_ += milliseconds(100);
    breaker_.ProbeSucceeded(now_);
  }
  EXPECT_EQ(delayed, 21);
}

TEST_F(CircuitBreakerTest, CallsToASlowDaemonBecomeRarer) {
  const auto start = now_;
  int delayed = 0;
  int answered = 0;
  while (now_ < start + kPeriod) {
    if (breaker_.Admit(now_)) {  // every second call takes too long
      if (answered > delayed) {
        now_ += milliseconds(20);
        breaker_.Failed(now_, Delay::kDeadline);
        ++delayed;
      } else {
        breaker_.Succeeded(now_);
        ++answered;
      }
    }
    now_ += milliseconds(10);
    breaker_.ProbeSucceeded(now_);
  }
  EXPECT_EQ(delayed, 7)
      << "after pauses of 0, 1, 2, 4, 8 and 16 / 32 of a period";
}

TEST_F(CircuitBreakerTest, OneSlowAnswerAmongManyClosesWithTheNextProbe) {
  for (int hour = 0; hour < 3; ++hour) {
    EXPECT_TRUE(CallHungDaemon()) << hour;
    breaker_.ProbeSucceeded(now_);
    EXPECT_TRUE(breaker_.Admit(now_)) << hour;
    breaker_.Succeeded(now_);
    now_ += std::chrono::hours(1);
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
  EXPECT_TRUE(CallHungDaemon());
  now_ += kPeriod;
  EXPECT_EQ(breaker_.state(now_), State::kHalfOpen);
  EXPECT_TRUE(breaker_.Admit(now_));
  EXPECT_FALSE(breaker_.Admit(now_));
  breaker_.Succeeded(now_);
  EXPECT_TRUE(breaker_.Admit(now_));
  EXPECT_TRUE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest, AfterACancelledTrialAnotherIsAdmitted) {
  CallHungDaemon();
  now_ += kPeriod;
  EXPECT_TRUE(breaker_.Admit(now_));
  EXPECT_FALSE(breaker_.Admit(now_));
  breaker_.Cancelled();
  EXPECT_EQ(breaker_.state(now_), State::kHalfOpen);
  EXPECT_TRUE(breaker_.Admit(now_));
  EXPECT_FALSE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest, AfterATrialWithoutOutcomeAnotherIsAdmitted) {
  EXPECT_TRUE(CallHungDaemon());
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
  EXPECT_TRUE(CallHungDaemon());
  breaker_.Succeeded(now_);
  EXPECT_FALSE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest, OneTrialAmongManyThreads) {
  EXPECT_TRUE(CallHungDaemon());
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
