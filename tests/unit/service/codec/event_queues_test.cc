// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/event_queues.h"

#include <gtest/gtest.h>

#include <string>

namespace coolspan {
namespace {

using Place = EventQueues::Place;

TEST(EventQueuesTest, CountsFromTheSync) {
  EventQueues queues;
  queues.Restart("a", 5);
  EXPECT_EQ(queues.Find("a", 5), Place::kSeen);
  EXPECT_EQ(queues.Find("a", 6), Place::kNext);
  EXPECT_EQ(queues.Find("a", 7), Place::kGap);
  queues.Advance("a", 6);
  EXPECT_EQ(queues.Find("a", 6), Place::kSeen);
  EXPECT_EQ(queues.Find("a", 7), Place::kNext);
  EXPECT_TRUE(queues.Reached("a", 6));
  EXPECT_FALSE(queues.Reached("a", 7));
}

TEST(EventQueuesTest, NewClientStartsAtOne) {
  EventQueues queues;
  queues.Restart("a", 0);
  EXPECT_EQ(queues.Find("b", 1), Place::kNext);
  EXPECT_EQ(queues.Find("b", 2), Place::kGap);
  EXPECT_TRUE(queues.Reached("b", 0));
  EXPECT_FALSE(queues.Reached("b", 1));
}

TEST(EventQueuesTest, SyncClosesTheOtherQueues) {
  EventQueues queues;
  queues.Restart("a", 0);
  queues.Advance("b", 1);
  queues.Restart("c", 0);
  EXPECT_EQ(queues.Find("a", 1), Place::kClosed);
  EXPECT_EQ(queues.Find("b", 2), Place::kClosed);
  EXPECT_TRUE(queues.IsClosed("a"));
  EXPECT_EQ(queues.SyncStateOf("a", 3), EventQueues::SyncState::kReplaced);
  EXPECT_EQ(queues.Find("c", 1), Place::kNext);
}

TEST(EventQueuesTest, SyncOlderThanItsQueueIsLate) {
  EventQueues queues;
  EXPECT_EQ(queues.SyncStateOf("a", 5), EventQueues::SyncState::kCurrent);
  queues.Restart("a", 5);
  EXPECT_EQ(queues.SyncStateOf("a", 5), EventQueues::SyncState::kCurrent);
  queues.Advance("a", 6);
  EXPECT_EQ(queues.SyncStateOf("a", 5), EventQueues::SyncState::kOutdated);
  EXPECT_EQ(queues.SyncStateOf("a", 6), EventQueues::SyncState::kCurrent);
  EXPECT_EQ(queues.SyncStateOf("b", 0), EventQueues::SyncState::kCurrent);
}

TEST(EventQueuesTest, RestoredFromItsMarks) {
  EventQueues queues;
  queues.Restart("a", 0);
  queues.Restart("b", 4);
  EventQueues restored;
  for (const QueueMark& mark : queues.Marks()) restored.Restore(mark);
  EXPECT_EQ(restored.Find("a", 1), Place::kClosed);
  EXPECT_EQ(restored.Find("b", 5), Place::kNext);
}

TEST(EventQueuesTest, MemoryIsBounded) {
  EventQueues queues;
  for (int i = 0; i < 3000; ++i) {
    const std::string client = "c" + std::to_string(i);
    if (queues.Find(client, 1) == Place::kNext) queues.Advance(client, 1);
  }
  EXPECT_EQ(queues.Marks().size(), 1024u);
  for (int i = 0; i < 3000; ++i) queues.Restart("s" + std::to_string(i), 0);
  EXPECT_LE(queues.Marks().size(), 1025u);
}

}  // namespace
}  // namespace coolspan
