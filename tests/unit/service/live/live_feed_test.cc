// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/live/live_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace coolspan {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

v1::Happening Released(std::uint32_t job_id, const std::string& cluster = "c") {
  v1::Happening happening;
  happening.set_cluster(cluster);
  happening.mutable_released()->set_job_id(job_id);
  return happening;
}

std::string JobText(std::uint32_t job_id) {
  return "\"job_id\":" + std::to_string(job_id) + ",";
}

class LiveFeedTest : public ::testing::Test {
 protected:
  std::unique_ptr<LiveFeed> Feed(LiveFeed::Limits limits = {}) {
    return std::make_unique<LiveFeed>(hub_, "17", limits);
  }
  static std::unique_ptr<HttpStream> Open(LiveFeed& feed,
                                          const std::string& cluster = "",
                                          std::string_view last_id = "") {
    auto stream = feed.Open(cluster, last_id);
    EXPECT_TRUE(stream.ok()) << stream.status();
    return *std::move(stream);
  }
  // All that the stream has until the text is there.
  static std::string Until(HttpStream& stream, const std::string& text) {
    std::string all;
    while (all.find(text) == std::string::npos) {
      const auto next = stream.Next();
      if (!next.has_value()) return all + "(end)";
      all += *next;
      if (next->empty()) std::this_thread::sleep_for(milliseconds(1));
    }
    return all;
  }

  WatchHub hub_;
};

TEST_F(LiveFeedTest, EachStreamGetsTheEventsOfItsCluster) {
  const auto feed = Feed();
  const auto all = Open(*feed);
  const auto one = Open(*feed, "d");
  EXPECT_EQ(hub_.Read().watchers, 1u) << "for any number of streams";
  hub_.Publish(Released(1));
  hub_.Publish(Released(2, "d"));
  const std::string text = Until(*all, JobText(2));
  EXPECT_THAT(text, HasSubstr("event: start\ndata: {\"start\":\"17\"}\n\n"));
  EXPECT_THAT(text, HasSubstr("id: 17-1\nevent: released\ndata: "
                              "{\"cluster\":\"c\",\"at_ms\":0,\"job_id\":1,"
                              "\"restart\":0}\n\n"));
  EXPECT_THAT(Until(*one, JobText(2)), Not(HasSubstr(JobText(1))));
}

TEST_F(LiveFeedTest, AClientThatConnectsAgainMissesNothing) {
  const auto feed = Feed();
  auto stream = Open(*feed);
  hub_.Publish(Released(1));
  Until(*stream, JobText(1));
  stream.reset();
  hub_.Publish(Released(2));
  stream = Open(*feed, "", "17-1");
  const std::string text = Until(*stream, JobText(2));
  EXPECT_THAT(text, Not(HasSubstr(JobText(1))));
  EXPECT_THAT(text, Not(HasSubstr("missed")));
}

TEST_F(LiveFeedTest, ASlowReaderGetsTheNumberOfMissedEvents) {
  const auto feed = Feed({.events = 10});
  const auto slow = Open(*feed);
  const auto fast = Open(*feed);
  Until(*slow, "start");
  for (std::uint32_t i = 1; i <= 50; ++i) {
    hub_.Publish(Released(i));
    Until(*fast, JobText(i));
  }
  const std::string text = Until(*slow, JobText(50));
  EXPECT_THAT(text, HasSubstr("event: missed\ndata: {\"missed\":40}\n\n"));
  EXPECT_THAT(text, Not(HasSubstr(JobText(40))));
  EXPECT_THAT(text, HasSubstr(JobText(41)));
}

TEST_F(LiveFeedTest, KeepsAtMostItsBytes) {
  const auto feed = Feed({.bytes = 500});
  const auto slow = Open(*feed);
  const auto fast = Open(*feed);
  for (std::uint32_t i = 1; i <= 30; ++i) {
    hub_.Publish(Released(i));
    Until(*fast, JobText(i));
  }
  EXPECT_LT(Until(*slow, JobText(30)).size(), 800u);
}

TEST_F(LiveFeedTest, StreamsAreLimited) {
  const auto feed = Feed({.streams = 2});
  const auto first = Open(*feed);
  auto second = Open(*feed);
  EXPECT_TRUE(absl::IsResourceExhausted(feed->Open("", "").status()));
  second.reset();
  EXPECT_TRUE(feed->Open("", "").ok());
}

TEST_F(LiveFeedTest, WatchesOnlyWhileThereAreStreams) {
  const auto feed = Feed({.linger = milliseconds(50)});
  EXPECT_FALSE(hub_.HasWatchers());
  auto stream = Open(*feed);
  hub_.Publish(Released(1));
  Until(*stream, JobText(1));
  stream.reset();
  while (hub_.HasWatchers()) std::this_thread::sleep_for(milliseconds(5));
  hub_.Publish(Released(2));
  stream = Open(*feed, "", "17-1");
  hub_.Publish(Released(3));
  const std::string text = Until(*stream, JobText(3));
  EXPECT_THAT(text, HasSubstr("event: missed"));
  EXPECT_THAT(text, Not(HasSubstr(JobText(2))));
}

TEST_F(LiveFeedTest, ASilentStreamHasHeartbeats) {
  const auto feed = Feed({.heartbeat = milliseconds(20)});
  const auto stream = Open(*feed);
  EXPECT_THAT(Until(*stream, "heartbeat"), HasSubstr("event: heartbeat\n"));
}

TEST_F(LiveFeedTest, StopsWithTheHub) {
  const auto feed = Feed();
  const auto stream = Open(*feed);
  hub_.Close();
  while (feed->Open("", "").ok()) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_TRUE(absl::IsUnavailable(feed->Open("", "").status()));
}

}  // namespace
}  // namespace coolspan
