// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/rpc/turn_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace coolspan {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using ::testing::ElementsAre;

TurnQueue::Clock::time_point Later() {
  return TurnQueue::Clock::now() + std::chrono::minutes(1);
}

// What several threads did, in order.
class Log {
 public:
  void Add(std::string what) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(what));
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

void AwaitWaiting(const TurnQueue& queue, std::size_t callers) {
  while (queue.waiting() != callers) std::this_thread::yield();
}

TEST(TurnQueueTest, ServesInOrderOfArrival) {
  TurnQueue queue({1, 9, hours(1)});
  Log log;
  auto first = std::optional(queue.Wait(Later()));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const auto turn = queue.Wait(Later());
      EXPECT_TRUE(turn.ok());
      log.Add(std::to_string(i));
    });
    AwaitWaiting(queue, i + 1);
  }
  EXPECT_THAT(log.lines(), ElementsAre());
  first.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(log.lines(), ElementsAre("0", "1", "2", "3"));
}

TEST(TurnQueueTest, NoTurnByTheDeadline) {
  TurnQueue queue({1, 9, hours(1)});
  {
    const auto held = queue.Wait(Later());
    const auto late = queue.Wait(TurnQueue::Clock::now() + milliseconds(5));
    EXPECT_EQ(late.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(queue.waiting(), 0u);
  }
  EXPECT_TRUE(queue.Wait(TurnQueue::Clock::now()).ok())
      << "the turn was not given to the caller that had left";
}

TEST(TurnQueueTest, ACallerThatHasLeftDoesNotWait) {
  TurnQueue queue({1, 9, hours(1)});
  const auto held = queue.Wait(Later());
  int polls = 0;
  const auto left = queue.Wait(TurnQueue::Clock::time_point::max(),
                               [&polls] { return ++polls == 2; });
  EXPECT_EQ(left.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(polls, 2);
  EXPECT_EQ(queue.waiting(), 0u);
}

TEST(TurnQueueTest, RefusesCallersBeyondItsLimit) {
  TurnQueue queue({1, 1, hours(1)});
  auto held = std::optional(queue.Wait(Later()));
  std::thread waiting([&] { EXPECT_TRUE(queue.Wait(Later()).ok()); });
  AwaitWaiting(queue, 1);
  EXPECT_EQ(queue.Wait(Later()).status().code(),
            absl::StatusCode::kResourceExhausted);
  held.reset();
  waiting.join();
}

TEST(TurnQueueTest, CountsTheTimeOfOthers) {
  TurnQueue queue({1, 9, nanoseconds(0)});
  auto turn = queue.Wait(Later());
  constexpr milliseconds kWork{20};
  std::thread other([&] {
    const auto its_turn = queue.Wait(Later());
    std::this_thread::sleep_for(kWork);
  });
  AwaitWaiting(queue, 1);
  turn->PassOn();
  EXPECT_GE(turn->waited(), kWork);
  other.join();
}

TEST(TurnQueueTest, WorkersAlternate) {
  TurnQueue queue({1, 9, nanoseconds(0)});
  Log log;
  const auto work = [&](const std::string& name) {
    auto turn = queue.Wait(Later());
    for (int i = 0; i < 3; ++i) {
      log.Add(name);
      turn->PassOn();
    }
  };
  auto before = std::optional(queue.Wait(Later()));
  std::thread a(work, "a");
  AwaitWaiting(queue, 1);
  std::thread b(work, "b");
  AwaitWaiting(queue, 2);
  before.reset();
  a.join();
  b.join();
  EXPECT_THAT(log.lines(), ElementsAre("a", "b", "a", "b", "a", "b"));
}

TEST(TurnQueueTest, AYoungTurnIsKept) {
  TurnQueue queue({1, 9, hours(1)});
  auto turn = std::optional(queue.Wait(Later()));
  std::thread other([&] { EXPECT_TRUE(queue.Wait(Later()).ok()); });
  AwaitWaiting(queue, 1);
  (*turn)->PassOn();
  EXPECT_EQ(queue.waiting(), 1u);
  EXPECT_EQ((*turn)->waited(), nanoseconds(0));
  turn.reset();
  other.join();
}

TEST(TurnQueueTest, AtMostSoManyWorkAtATime) {
  TurnQueue queue({2, 9, nanoseconds(0)});
  std::mutex mutex;
  int working = 0;
  int most = 0;
  const auto enter = [&] {
    const std::lock_guard lock(mutex);
    most = std::max(most, ++working);
  };
  const auto leave = [&] {
    const std::lock_guard lock(mutex);
    --working;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      auto turn = queue.Wait(Later());
      for (int portion = 0; portion < 20; ++portion) {
        enter();
        std::this_thread::yield();
        leave();
        turn->PassOn();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 2);
  EXPECT_TRUE(queue.Wait(Later()).ok());
}

}  // namespace
}  // namespace coolspan
