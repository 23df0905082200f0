// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "unit/client/client_test.h"

namespace coolspan {
namespace {

TEST_F(ConnectedClientTest, ADrainedDaemonIsAskedOnceAndNamed) {
  ASSERT_TRUE(client_->Allocate(Request(1)).ok());
  daemon_.drained = true;
  for (std::uint32_t job = 2; job <= 101; ++job) {
    const auto reply = client_->Allocate(Request(job));
    EXPECT_TRUE(absl::IsUnavailable(reply.status()));
    EXPECT_EQ(reply.status().message(), kDaemonDrained);
    client_->Commit(HoldingOf(job));
  }
  EXPECT_EQ(daemon_.Allocates().size(), 2u);
  const ClientCounters counters = client_->Counters();
  EXPECT_EQ(counters.rejected_by_drain, 100u);
  EXPECT_EQ(counters.rejected_by_breaker, 0u);
  EXPECT_EQ(counters.deadlines_exceeded, 0u);
  EXPECT_EQ(Logged("is drained: jobs are placed without it"), 1);
  EXPECT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client_); }))
      << "a drained daemon takes events";

  daemon_.drained = false;
  EXPECT_TRUE(Eventually([&] { return client_->Allocate(Request(200)).ok(); }));
  EXPECT_EQ(Logged("is drained no longer"), 1);
  EXPECT_EQ(Logged("responds again"), 0);
}

TEST_F(ClientTest, TheReplyToASyncTellsOfADrain) {
  FakeDaemon daemon(folder_.Path("a"));
  daemon.drained = true;
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(Eventually([&] { return Logged("is drained: ") == 1; }));
  EXPECT_EQ(client->Allocate(Request(1)).status().message(), kDaemonDrained);
  EXPECT_TRUE(daemon.Allocates().empty());
}

TEST_F(ClientTest, TheNextDaemonIsUsedInPlaceOfADrainedOne) {
  FakeDaemon first(folder_.Path("a"));
  FakeDaemon second(folder_.Path("b"));
  const auto client = Connect(first.endpoint() + "," + second.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(client->Allocate(Request(1)).ok());
  first.drained = true;
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 2).ok(); }));
  EXPECT_EQ(second.Syncs().size(), 1U);
  EXPECT_EQ(second.Allocates().size(), 1U);
  EXPECT_EQ(Logged("jobs are placed without it"), 0);

  // If both are drained, it stays until this one is drained no longer.
  second.drained = true;
  ASSERT_TRUE(Eventually([&] {
    return JobTest(*client, 3).status().message() == kDaemonDrained;
  }));
  const std::size_t syncs = first.Syncs().size() + second.Syncs().size();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(JobTest(*client, 4).status().message(), kDaemonDrained);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(first.Syncs().size() + second.Syncs().size(), syncs);
  first.drained = false;
  second.drained = false;
  EXPECT_TRUE(Eventually([&] { return JobTest(*client, 5).ok(); }));
}

// With elections, it refuses all calls: nobody leads.
TEST_F(ConnectedClientTest, ADaemonThatAbstainsIsDrainedNotUnreachable) {
  ASSERT_TRUE(client_->Allocate(Request(1)).ok());
  client_->Commit(HoldingOf(1));
  daemon_.abstains = true;
  for (std::uint32_t job = 2; job < 40; ++job) {
    EXPECT_EQ(client_->Allocate(Request(job)).status().message(),
              kDaemonDrained);
    client_->Commit(HoldingOf(job));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(Logged("is drained: jobs are placed without it"), 1);
  EXPECT_EQ(Logged("until it responds"), 0);
  EXPECT_LT(daemon_.KeepAlives().size() + daemon_.event_calls, 20u)
      << "it is asked once a second";
  daemon_.abstains = false;
  EXPECT_TRUE(Eventually([&] { return JobTest(*client_, 200).ok(); }));
  EXPECT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client_); }));
}

TEST_F(ClientTest, ASyncThatADrainedDaemonRefusesIsMadeLater) {
  FakeDaemon daemon(folder_.Path("a"));
  daemon.abstains = true;
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(Eventually([&] { return Logged("is drained: ") == 1; }));
  EXPECT_EQ(client->Allocate(Request(1)).status().message(), kDaemonDrained);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(daemon.sync_calls, 1);
  daemon.abstains = false;
  EXPECT_TRUE(Eventually([&] { return client->Allocate(Request(2)).ok(); }));
  EXPECT_EQ(Logged("is drained no longer"), 1);
}

TEST_F(ClientTest, AllDaemonsAbstain) {
  FakeDaemon first(folder_.Path("a"));
  FakeDaemon second(folder_.Path("b"));
  const auto client = Connect(first.endpoint() + "," + second.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 1).ok(); }));
  // The second is not elected at once.
  first.abstains = true;
  second.follows = true;
  for (std::uint32_t job = 2; job < 20; ++job) {
    EXPECT_FALSE(JobTest(*client, job).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(Logged("jobs are placed without it"), 0);
  EXPECT_LE(Logged(first.endpoint() + " is drained"), 1);
  second.abstains = true;
  second.follows = false;
  ASSERT_TRUE(Eventually([&] {
    return JobTest(*client, 30).status().message() == kDaemonDrained;
  }));
  EXPECT_EQ(Logged("is drained: jobs are placed without it"), 1);
  first.abstains = false;
  second.leader = first.endpoint();
  second.abstains = false;
  second.follows = true;
  EXPECT_TRUE(Eventually([&] { return JobTest(*client, 40).ok(); }));
}

// A daemon that is stopped while drained is unreachable, not drained.
TEST_F(ConnectedClientTest, AStoppedDaemonIsNotDrained) {
  daemon_.drained = true;
  EXPECT_EQ(client_->Allocate(Request(1)).status().message(), kDaemonDrained);
  daemon_.Stop();
  EXPECT_TRUE(Eventually([&] {
    return client_->Allocate(Request(2)).status().message() ==
           kCircuitBreakerOpen;
  }));
  daemon_.drained = false;
  daemon_.Start();
  EXPECT_TRUE(Eventually([&] { return client_->Allocate(Request(3)).ok(); }));
}

}  // namespace
}  // namespace coolspan
