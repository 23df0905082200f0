// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/journal/watch_hub.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace coolspan {
namespace {

using std::chrono::milliseconds;

v1::Happening At(std::int64_t at_ms, const std::string& cluster = "c") {
  v1::Happening happening;
  happening.set_cluster(cluster);
  happening.set_at_ms(at_ms);
  return happening;
}

TEST(WatchHubTest, EachWatcherGetsItsCluster) {
  WatchHub hub;
  const auto all = *hub.Add("");
  const auto one = *hub.Add("d");
  hub.Publish(At(1, "c"));
  hub.Publish(At(2, "d"));
  EXPECT_EQ(all->Next(milliseconds(0))->at_ms(), 1);
  EXPECT_EQ(all->Next(milliseconds(0))->at_ms(), 2);
  EXPECT_EQ(one->Next(milliseconds(0))->at_ms(), 2);
  EXPECT_FALSE(one->Next(milliseconds(0)).has_value());
}

TEST(WatchHubTest, SlowWatcherGetsTheNumberOfMissedEvents) {
  Watcher watcher("");
  constexpr auto kKept = static_cast<std::int64_t>(Watcher::kMaxWaiting);
  for (std::int64_t i = 0; i < kKept + 5; ++i) watcher.Offer(At(i));
  for (std::int64_t i = 0; i < kKept; ++i) {
    EXPECT_EQ(watcher.Next(milliseconds(0))->at_ms(), i);
  }
  watcher.Offer(At(9999));
  EXPECT_EQ(watcher.Next(milliseconds(0))->missed(), 6u);
  watcher.Offer(At(10000));
  EXPECT_EQ(watcher.Next(milliseconds(0))->at_ms(), 10000);
}

TEST(WatchHubTest, CloseEndsWaitingWatchers) {
  WatchHub hub;
  const auto watcher = *hub.Add("");
  std::thread waiting(
      [&] { EXPECT_FALSE(watcher->Next(std::chrono::hours(1)).has_value()); });
  hub.Close();
  waiting.join();
  EXPECT_TRUE(watcher->HasEnded());
  EXPECT_FALSE(hub.Add("").ok());
}

TEST(WatchHubTest, NumberOfWatchersIsLimited) {
  WatchHub hub;
  std::shared_ptr<Watcher> last;
  for (std::size_t i = 0; i < WatchHub::kMaxWatchers; ++i) last = *hub.Add("");
  EXPECT_TRUE(absl::IsResourceExhausted(hub.Add("").status()));
  hub.Remove(last);
  EXPECT_TRUE(hub.Add("").ok());
}

TEST(WatchHubTest, ReadsQueuesAndDroppedMessages) {
  WatchHub hub;
  const auto slow = *hub.Add("");
  const auto other = *hub.Add("other");
  v1::Happening happening;
  happening.set_cluster("c");
  for (std::size_t i = 0; i < Watcher::kMaxWaiting + 3; ++i) {
    hub.Publish(happening);
  }
  EXPECT_EQ(hub.Read().watchers, 2u);
  EXPECT_EQ(hub.Read().longest_queue, Watcher::kMaxWaiting);
  EXPECT_EQ(hub.Read().dropped, 3u);
  hub.Remove(slow);
  EXPECT_EQ(hub.Read().longest_queue, 0u);
  EXPECT_EQ(hub.Read().dropped, 3u) << "since the daemon started";
}

}  // namespace
}  // namespace coolspan
