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
using Cost = CircuitBreaker::Cost;

constexpr seconds kPeriod{30};

class CircuitBreakerTest : public ::testing::Test {
 protected:
  // One job_test: whether it was admitted; the daemon is hung, so an admitted
  // call costs its deadline.
  bool AskHungDaemon() {
    if (!breaker_.Admit(now_)) return false;
    now_ += milliseconds(20);
    breaker_.Failed(now_, Cost::kDeadline);
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

TEST_F(CircuitBreakerTest, HungDaemonCostsOneDeadlinePerPeriod) {
  const auto start = now_;
  int paid = 0;
  while (now_ < start + 10 * kPeriod) {
    paid += AskHungDaemon() ? 1 : 0;
    now_ += milliseconds(100);
  }
  EXPECT_EQ(paid, 10);
}

TEST_F(CircuitBreakerTest, FailingProbesKeepAnyCallerFromPaying) {
  EXPECT_TRUE(AskHungDaemon());
  const auto start = now_;
  int paid = 0;
  while (now_ < start + 10 * kPeriod) {
    breaker_.ProbeFailed(now_);
    paid += AskHungDaemon() ? 1 : 0;
    now_ += seconds(1);
  }
  EXPECT_EQ(paid, 0);
}

TEST_F(CircuitBreakerTest, FailedProbeOpensBeforeACallerPays) {
  breaker_.ProbeFailed(now_);
  EXPECT_FALSE(breaker_.Admit(now_));
  EXPECT_EQ(breaker_.state(now_), State::kOpen);
}

TEST_F(CircuitBreakerTest, SucceedingProbeClosesAtOnce) {
  EXPECT_TRUE(AskHungDaemon());
  now_ += milliseconds(100);
  EXPECT_FALSE(breaker_.Admit(now_));
  breaker_.ProbeSucceeded(now_);
  EXPECT_TRUE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest,
       DaemonThatAnswersOnlyProbesCostsTwoDeadlinesAtFirst) {
  const auto start = now_;
  int paid = 0;
  while (now_ < start + kPeriod) {
    paid += AskHungDaemon() ? 1 : 0;
    now_ += milliseconds(100);
    breaker_.ProbeSucceeded(now_);
  }
  EXPECT_EQ(paid, 2);
}

TEST_F(CircuitBreakerTest,
       DaemonThatAnswersOnlyProbesCostsOneDeadlinePerPeriodInTheEnd) {
  const auto start = now_;
  int paid = 0;
  while (now_ < start + 20 * kPeriod) {
    paid += AskHungDaemon() ? 1 : 0;
    now_ += milliseconds(100);
    breaker_.ProbeSucceeded(now_);
  }
  EXPECT_EQ(paid, 21);
}

TEST_F(CircuitBreakerTest, SlowDaemonIsAskedLessAndLessOften) {
  const auto start = now_;
  int paid = 0;
  int answered = 0;
  while (now_ < start + kPeriod) {
    if (breaker_.Admit(now_)) {  // every second call takes too long
      if (answered > paid) {
        now_ += milliseconds(20);
        breaker_.Failed(now_, Cost::kDeadline);
        ++paid;
      } else {
        breaker_.Succeeded(now_);
        ++answered;
      }
    }
    now_ += milliseconds(10);
    breaker_.ProbeSucceeded(now_);
  }
  EXPECT_EQ(paid, 7) << "after pauses of 0, 1, 2, 4, 8 and 16 32nds";
}

TEST_F(CircuitBreakerTest, OneSlowAnswerAmongManyClosesWithTheNextProbe) {
  for (int hour = 0; hour < 3; ++hour) {
    EXPECT_TRUE(AskHungDaemon()) << hour;
    breaker_.ProbeSucceeded(now_);
    EXPECT_TRUE(breaker_.Admit(now_)) << hour;
    breaker_.Succeeded(now_);
    now_ += std::chrono::hours(1);
  }
}

TEST_F(CircuitBreakerTest, RefusalAtOnceIsProbedAwayAnyNumberOfTimes) {
  for (int restart = 0; restart < 10; ++restart) {
    EXPECT_TRUE(breaker_.Admit(now_)) << restart;
    breaker_.Failed(now_, Cost::kAtOnce);
    EXPECT_FALSE(breaker_.Admit(now_));
    now_ += milliseconds(200);
    breaker_.ProbeSucceeded(now_);
  }
}

TEST_F(CircuitBreakerTest, HalfOpenAdmitsOneTrialUntilItsOutcome) {
  EXPECT_TRUE(AskHungDaemon());
  now_ += kPeriod;
  EXPECT_EQ(breaker_.state(now_), State::kHalfOpen);
  EXPECT_TRUE(breaker_.Admit(now_));
  EXPECT_FALSE(breaker_.Admit(now_));
  breaker_.Succeeded(now_);
  EXPECT_TRUE(breaker_.Admit(now_));
  EXPECT_TRUE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest, WithdrawnTrialClosesNothingAndMakesRoomForAnother) {
  AskHungDaemon();
  now_ += kPeriod;
  EXPECT_TRUE(breaker_.Admit(now_));
  EXPECT_FALSE(breaker_.Admit(now_));
  breaker_.Withdrawn();
  EXPECT_EQ(breaker_.state(now_), State::kHalfOpen);
  EXPECT_TRUE(breaker_.Admit(now_));
  EXPECT_FALSE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest, TrialThatNeverReportsIsReplacedAfterAPeriod) {
  EXPECT_TRUE(AskHungDaemon());
  now_ += kPeriod;
  EXPECT_TRUE(breaker_.Admit(now_));
  now_ += kPeriod - milliseconds(1);
  EXPECT_FALSE(breaker_.Admit(now_));
  now_ += milliseconds(1);
  EXPECT_TRUE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest,
       LateSuccessOfAnEarlierCallDoesNotCloseAnOpenBreaker) {
  EXPECT_TRUE(breaker_.Admit(now_));  // answered in the end
  EXPECT_TRUE(AskHungDaemon());
  breaker_.Succeeded(now_);
  EXPECT_FALSE(breaker_.Admit(now_));
}

TEST_F(CircuitBreakerTest, OneTrialAmongManyThreads) {
  EXPECT_TRUE(AskHungDaemon());
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
