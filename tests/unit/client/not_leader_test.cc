// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "client/calls.h"
#include "unit/client/client_test.h"

namespace coolspan {
namespace {

using std::chrono::steady_clock;

TEST_F(ClientTest, TheLeaderThatAFollowerNamesIsUsed) {
  FakeDaemon first(folder_.Path("a"));
  FakeDaemon second(folder_.Path("b"));
  FakeDaemon third(folder_.Path("c"));
  first.leader = third.endpoint();
  first.follows = true;
  const auto client = Connect(first.endpoint() + "," + second.endpoint() + "," +
                              third.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 1).ok(); }));
  EXPECT_EQ(third.Syncs().size(), 1u);
  EXPECT_TRUE(second.Syncs().empty()) << "it is not the leader";
  EXPECT_TRUE(second.KeepAlives().empty());
}

TEST_F(ClientTest, ANewLeaderIsFoundWhileOthersDoNotKnowIt) {
  FakeDaemon first(folder_.Path("a"));
  FakeDaemon second(folder_.Path("b"));
  const auto client = Connect(first.endpoint() + "," + second.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 1).ok(); }));
  first.leader = "unix:///not/among/the/endpoints";
  second.leader = first.leader;
  first.follows = true;
  second.follows = true;
  const auto lost = steady_clock::now();
  while (steady_clock::now() - lost < std::chrono::milliseconds(500)) {
    const auto call = steady_clock::now();
    EXPECT_FALSE(JobTest(*client, 2).ok());
    // Two calls with a deadline of 500 ms.
    EXPECT_LT(steady_clock::now() - call, std::chrono::milliseconds(1500));
  }
  second.follows = false;
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 3).ok(); }));
  EXPECT_EQ(second.Syncs().size(), 1u);
}

// It hangs, and the others still name it.
TEST_F(ClientTest, ASyncIsNotSentToALeaderThatHangs) {
  FakeDaemon first(folder_.Path("a"));
  FakeDaemon second(folder_.Path("b"));
  const auto client = Connect(first.endpoint() + "," + second.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 1).ok(); }));
  second.leader = first.endpoint();
  second.follows = true;
  first.hung = true;
  for (int i = 0; i < 8; ++i) {
    EXPECT_FALSE(JobTest(*client, 2).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
  }
  EXPECT_EQ(first.sync_calls, 1);
  second.follows = false;
  EXPECT_TRUE(Eventually([&] { return JobTest(*client, 3).ok(); }));
}

TEST_F(ClientTest, AnAnswerWithoutATermIsNoFormerLeaders) {
  FakeDaemon daemon(folder_.Path("a"));
  daemon.term = 7;
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 1).ok(); }));
  daemon.term = 6;
  EXPECT_FALSE(JobTest(*client, 2).ok());
  daemon.term = 0;
  EXPECT_TRUE(Eventually([&] { return JobTest(*client, 3).ok(); }));
}

TEST_F(ClientTest, ExplainAsksEachDaemon) {
  FakeDaemon first(folder_.Path("a"));
  FakeDaemon second(folder_.Path("b"));
  const auto calls = *Calls::Create(first.endpoint() + "," + second.endpoint());
  v1::ExplainRequest request;  // job 0 is not found
  EXPECT_TRUE(absl::IsNotFound(calls->Explain(request).status()));
  first.Stop();
  EXPECT_TRUE(absl::IsUnavailable(calls->Explain(request).status()))
      << "the one that does not respond may know the job";
}

}  // namespace
}  // namespace coolspan
