// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/event_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace coolspan {
namespace {

using Queue = EventQueue<int>;
using Pushed = Queue::Pushed;

constexpr std::size_t kMaxBytes = 1'000'000;

TEST(EventQueueTest, AcceptsNoEventsBeforeTheFirstSync) {
  Queue queue(4, kMaxBytes);
  EXPECT_EQ(queue.Push(1, 1), Pushed::kNotSynced);
  EXPECT_FALSE(queue.Front());
  EXPECT_EQ(queue.LastSequence(), 0u);
}

TEST(EventQueueTest, NumbersFromOneAfterEachRestart) {
  Queue queue(4, kMaxBytes);
  EXPECT_EQ(queue.Restart(), 1u);
  queue.Push(10, 1);
  queue.Push(11, 1);
  EXPECT_EQ(queue.LastSequence(), 2u);
  EXPECT_EQ(queue.Front()->sequence, 1u);
  EXPECT_EQ(queue.Restart(), 2u);
  EXPECT_FALSE(queue.Front());
  EXPECT_EQ(queue.LastSequence(), 0u);
  queue.Push(12, 1);
  EXPECT_EQ(queue.Front()->sequence, 1u);
  EXPECT_EQ(queue.Front()->generation, 2u);
  EXPECT_EQ(queue.Front()->event, 12);
}

TEST(EventQueueTest, FrontStaysUntilAcknowledged) {
  Queue queue(4, kMaxBytes);
  const auto generation = queue.Restart();
  queue.Push(10, 1);
  queue.Push(11, 1);
  EXPECT_EQ(queue.Front()->event, 10);
  EXPECT_EQ(queue.Front()->event, 10);
  EXPECT_TRUE(queue.Acknowledge(generation, 1));
  EXPECT_EQ(queue.Front()->event, 11);
  EXPECT_EQ(queue.Front()->sequence, 2u);
  EXPECT_EQ(queue.LastSequence(), 2u);
  EXPECT_TRUE(queue.Acknowledge(generation, 2));
  EXPECT_EQ(queue.Waiting(), 0u);
  EXPECT_EQ(queue.LastSequence(), 2u);
}

TEST(EventQueueTest, OldestReturnsUnacknowledgedEvents) {
  Queue queue(8, kMaxBytes);
  queue.Restart();
  EXPECT_TRUE(queue.Oldest(0, 8, 8).empty());
  for (int event = 10; event < 15; ++event) queue.Push(event, 1);
  queue.Acknowledge(1, 1);
  const auto oldest = queue.Oldest(0, 3, 8);
  ASSERT_EQ(oldest.size(), 3u);
  for (std::size_t i = 0; i < oldest.size(); ++i) {
    EXPECT_EQ(oldest[i].sequence, i + 2);
    EXPECT_EQ(oldest[i].event, static_cast<int>(i) + 11);
  }
  EXPECT_EQ(queue.Oldest(0, 8, 8).size(), 4u);
  EXPECT_EQ(queue.Oldest(1, 8, 8).size(), 4u);
  EXPECT_EQ(queue.Oldest(3, 8, 8).front().sequence, 4u);
  EXPECT_TRUE(queue.Oldest(5, 8, 8).empty());
}

TEST(EventQueueTest, OldestIsBoundedInBytes) {
  Queue queue(8, kMaxBytes);
  queue.Restart();
  for (const std::size_t bytes : {10, 20, 5, 1}) queue.Push(0, bytes);
  EXPECT_EQ(queue.Oldest(0, 8, 36).size(), 4u);
  EXPECT_EQ(queue.Oldest(0, 8, 35).size(), 3u);
  EXPECT_EQ(queue.Oldest(0, 8, 29).size(), 1u)
      << "an event must not follow one that was left out";
  EXPECT_TRUE(queue.Oldest(0, 8, 9).empty());
}

TEST(EventQueueTest, IgnoresAcknowledgementsOfOtherEvents) {
  Queue queue(4, kMaxBytes);
  const auto first = queue.Restart();
  queue.Push(10, 1);
  EXPECT_FALSE(queue.Acknowledge(first, 2));
  EXPECT_FALSE(queue.Acknowledge(first, 0));
  const auto second = queue.Restart();
  queue.Push(20, 1);
  EXPECT_FALSE(queue.Acknowledge(first, 1)) << "event from before the Restart";
  EXPECT_EQ(queue.Waiting(), 1u);
  EXPECT_TRUE(queue.Acknowledge(second, 1));
  EXPECT_FALSE(queue.Acknowledge(second, 1)) << "twice";
}

TEST(EventQueueTest, OverflowDropsAllEventsUntilTheNextSync) {
  Queue queue(2, kMaxBytes);
  queue.Restart();
  EXPECT_EQ(queue.Push(1, 1), Pushed::kQueued);
  EXPECT_EQ(queue.Push(2, 1), Pushed::kQueued);
  EXPECT_EQ(queue.Push(3, 1), Pushed::kOverflow);
  EXPECT_FALSE(queue.Front());
  EXPECT_EQ(queue.Push(4, 1), Pushed::kNotSynced);
  queue.Restart();
  EXPECT_EQ(queue.Push(5, 1), Pushed::kQueued);
  EXPECT_EQ(queue.Front()->event, 5);
}

TEST(EventQueueTest, OverflowsAtItsMaximumOfBytes) {
  Queue queue(100, 30);
  const auto generation = queue.Restart();
  EXPECT_EQ(queue.Push(1, 10), Pushed::kQueued);
  EXPECT_EQ(queue.Push(2, 20), Pushed::kQueued);
  queue.Acknowledge(generation, 1);
  EXPECT_EQ(queue.Push(3, 10), Pushed::kQueued);
  EXPECT_EQ(queue.Push(4, 1), Pushed::kOverflow);
  queue.Restart();
  EXPECT_EQ(queue.Push(5, 30), Pushed::kQueued);
  queue.Restart();
  EXPECT_EQ(queue.Push(6, 31), Pushed::kOverflow);
}

TEST(EventQueueTest, KeepsOrderAcrossThreads) {
  constexpr int kEvents = 20'000;
  Queue queue(kEvents, kMaxBytes);
  queue.Restart();
  std::atomic<bool> all_pushed{false};
  std::vector<int> sent;
  std::thread sender([&] {
    while (!all_pushed || queue.Waiting() > 0) {
      const auto front = queue.Front();
      if (front && queue.Acknowledge(front->generation, front->sequence)) {
        sent.push_back(front->event);
        EXPECT_EQ(front->sequence, sent.size());
      }
    }
  });
  for (int event = 0; event < kEvents; ++event) queue.Push(event, 1);
  all_pushed = true;
  sender.join();
  ASSERT_EQ(sent.size(), static_cast<std::size_t>(kEvents));
  for (int event = 0; event < kEvents; ++event) EXPECT_EQ(sent[event], event);
}

TEST(EventQueueTest, RestartDuringSendingLosesNoLaterEvent) {
  Queue queue(100'000, kMaxBytes);
  queue.Restart();
  std::atomic<bool> stop{false};
  std::uint64_t acknowledged_of_last = 0;
  std::thread sender([&] {
    while (!stop || queue.Waiting() > 0) {
      const auto front = queue.Front();
      if (!front || !queue.Acknowledge(front->generation, front->sequence))
        continue;
      if (front->generation == 51) ++acknowledged_of_last;
    }
  });
  for (int sync = 0; sync < 50; ++sync) {
    for (int event = 0; event < 100; ++event) queue.Push(event, 1);
    queue.Restart();
  }
  for (int event = 0; event < 100; ++event) queue.Push(event, 1);
  stop = true;
  sender.join();
  EXPECT_EQ(acknowledged_of_last, 100u);
}

}  // namespace
}  // namespace coolspan
