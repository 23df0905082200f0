// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/unconfirmed_starts.h"
#include "unit/client/client_test.h"

namespace coolspan {
namespace {

using grpc::StatusCode;
using std::chrono::milliseconds;

TEST_F(ClientTest, OptionsAreChecked) {
  ClientOptions options;
  options.address = "unix:///run/coolspand.sock";
  EXPECT_EQ(AllocatorClient::Create(options).status().code(),
            absl::StatusCode::kInvalidArgument);
  options.cluster = "test";
  options.address = "coolspand.sock";
  EXPECT_EQ(AllocatorClient::Create(options).status().code(),
            absl::StatusCode::kInvalidArgument);
  options.address = "unix:///run/coolspand.sock";
  options.deadline = milliseconds(0);
  EXPECT_EQ(AllocatorClient::Create(options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ClientTest, NeedsASyncBeforeTheFirstRequest) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  EXPECT_TRUE(client->SyncNeeded());
  EXPECT_EQ(client->Allocate(Request(1)).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(daemon.Allocates().empty());
}

TEST_F(ConnectedClientTest, AllocateWaitsForTheSyncBeforeIt) {
  EXPECT_FALSE(client_->SyncNeeded());
  const auto reply = client_->Allocate(Request(1));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->placed());
  EXPECT_EQ(reply->mode(), "advise");
  const auto sync = daemon_.Syncs().at(0);
  EXPECT_EQ(sync.cluster(), "test");
  EXPECT_EQ(sync.clock(), v1::CLOCK_REAL);
  EXPECT_EQ(sync.sequence(), 0u);
  const auto request = daemon_.Allocates().at(0);
  EXPECT_EQ(request.client_id(), sync.client_id());
  EXPECT_EQ(request.epoch(), "one");
  EXPECT_GT(request.now_ms(), 0);
}

TEST_F(ConnectedClientTest, AllocateCarriesUnacknowledgedEvents) {
  ASSERT_TRUE(client_->Allocate(Request(1)).ok());
  daemon_.holds_events = true;
  client_->Commit(HoldingOf(1));
  client_->Release(JobOf(1));
  ASSERT_TRUE(client_->Allocate(Request(2)).ok());
  const auto request = daemon_.Allocates().at(1);
  ASSERT_EQ(request.events_size(), 2);
  EXPECT_EQ(request.events(0).commit().sequence(), 1u);
  EXPECT_EQ(request.events(0).commit().holding().nodes(), "\x01");
  EXPECT_EQ(request.events(1).release().sequence(), 2u);
  EXPECT_EQ(request.after_sequence(), 2u);
  daemon_.holds_events = false;
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client_); }));
  ASSERT_TRUE(client_->Allocate(Request(3)).ok());
  EXPECT_EQ(daemon_.Allocates().at(2).events_size(), 0);
}

TEST_F(ConnectedClientTest, AllocateDoesNotRepeatEventsOfEarlierOnes) {
  daemon_.holds_events = true;
  // More events than an Allocate may carry.
  for (std::uint32_t job = 1; job <= 300; ++job) {
    client_->Commit(HoldingOf(job));
    ASSERT_TRUE(client_->Allocate(Request(job + 1)).ok());
  }
  const auto request = daemon_.Allocates().back();
  ASSERT_EQ(request.events_size(), 1);
  EXPECT_EQ(request.events(0).commit().sequence(), 300u);
  EXPECT_EQ(request.after_sequence(), 300u);

  daemon_.holds_events = false;
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client_); }));
  daemon_.holds_events = true;
  client_->Sync(Snapshot());
  client_->Commit(HoldingOf(1));
  ASSERT_TRUE(client_->Allocate(Request(2)).ok());
  EXPECT_EQ(daemon_.Allocates().back().events_size(), 1)
      << "new queue after Sync";
}

TEST_F(ConnectedClientTest, EventsArriveInOrderAndAllocateHasTheLastSequence) {
  client_->Commit(HoldingOf(1));
  client_->Suspend(JobOf(1), true);
  client_->Resize(HoldingOf(1));
  client_->Release(JobOf(1));
  ASSERT_TRUE(client_->Allocate(Request(2)).ok());
  EXPECT_EQ(daemon_.Allocates().at(0).after_sequence(), 4u);
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client_); }));
  const auto events = daemon_.Events();
  ASSERT_EQ(events.size(), 4u);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].sequence(), i + 1);
    EXPECT_EQ(events[i].job().job_id(), 1u);
  }
  EXPECT_TRUE(events[1].suspended());
  EXPECT_EQ(events[2].holding().nodes(), "\x01");
}

TEST_F(ConnectedClientTest, EachAttemptHasAHigherNumber) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client_->Allocate(Request(5)).ok());
  const auto requests = daemon_.Allocates();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_LT(requests[0].attempt(), requests[1].attempt());
  EXPECT_LT(requests[1].attempt(), requests[2].attempt());
}

// UNAVAILABLE: the daemon cannot store them; RESOURCE_EXHAUSTED: its server has
// no free thread.
class RefusedEventsTest : public ClientTest,
                          public ::testing::WithParamInterface<StatusCode> {};

TEST_P(RefusedEventsTest, AreSentAgainInOrder) {
  FakeDaemon daemon(folder_.Path("a"));
  daemon.event_refusal = GetParam();
  daemon.refuse_event_every = 3;
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  for (std::uint32_t job = 1; job <= 20; ++job) client->Commit(HoldingOf(job));
  ASSERT_TRUE(Eventually([&] { return daemon.Events().size() >= 20; }));
  const auto events = daemon.Events();
  ASSERT_EQ(events.size(), 20u);
  for (std::uint32_t i = 0; i < 20; ++i) {
    EXPECT_EQ(events[i].cluster(), "test");
    EXPECT_EQ(events[i].sequence(), i + 1);
    EXPECT_EQ(events[i].job().job_id(), i + 1);
  }
  EXPECT_EQ(daemon.Syncs().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(ClientTest, RefusedEventsTest,
                         ::testing::Values(StatusCode::UNAVAILABLE,
                                           StatusCode::RESOURCE_EXHAUSTED));

TEST_F(ConnectedClientTest, AllocateSucceedsAfterAStaleEpochAndASync) {
  client_->Commit(HoldingOf(1));
  ASSERT_TRUE(client_->Allocate(Request(1)).ok());
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client_); }));
  daemon_.SetEpoch("two");
  EXPECT_EQ(client_->Allocate(Request(2)).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(Eventually([&] { return client_->SyncNeeded(); }));
  client_->Sync(Snapshot());
  client_->Commit(HoldingOf(2));
  EXPECT_TRUE(client_->Allocate(Request(2)).ok());
  ASSERT_TRUE(Eventually([&] { return daemon_.Events().size() == 2; }));
  EXPECT_EQ(daemon_.Events().at(1).sequence(), 1u)
      << "numbered from 1 after each Sync";
  EXPECT_NE(daemon_.Events().at(0).client_id(),
            daemon_.Events().at(1).client_id());
}

TEST_F(ConnectedClientTest, EventWithAStaleEpochNeedsASync) {
  ASSERT_TRUE(client_->Allocate(Request(1)).ok());
  daemon_.SetEpoch("two");
  client_->Commit(HoldingOf(1));
  EXPECT_TRUE(Eventually([&] { return client_->SyncNeeded(); }));
  EXPECT_TRUE(daemon_.Events().empty());
}

TEST_F(ConnectedClientTest, AllocateWorksWhileAContradictedLedgerNeedsASync) {
  daemon_.contradicted = true;
  client_->Commit(HoldingOf(1));
  EXPECT_TRUE(client_->Allocate(Request(2)).ok());
  EXPECT_TRUE(Eventually([&] { return client_->SyncNeeded(); }));
  EXPECT_TRUE(client_->Allocate(Request(3)).ok());
}

TEST_F(ClientTest, RefusedSyncIsNotRepeatedImmediately) {
  FakeDaemon daemon(folder_.Path("a"));
  daemon.refuses_sync = true;
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  EXPECT_EQ(client->Allocate(Request(1)).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(client->SyncNeeded());
  EXPECT_TRUE(daemon.Allocates().empty());
  EXPECT_EQ(client->Counters().answered, 0u)
      << "an error of the client must not count as an answer";
}

TEST_F(ClientTest, ReplyToAnEarlierSyncDoesNotAcknowledgeALaterOne) {
  FakeDaemon daemon(folder_.Path("a"));
  daemon.hung = true;
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(Eventually([&] { return daemon.sync_calls == 1; }));
  v1::SyncRequest later = Snapshot();
  *later.add_holdings() = HoldingOf(1);
  client->Sync(std::move(later));
  daemon.hung = false;
  ASSERT_TRUE(
      Eventually([&] { return client->Counters().syncs_acknowledged == 1; }));
  ASSERT_EQ(daemon.Syncs().size(), 2u);
  EXPECT_EQ(daemon.Syncs().back().holdings_size(), 1);
}

TEST_F(ConnectedClientTest, ASyncCarriesTheStartsOfUnacknowledgedCommits) {
  v1::JobStart start;
  start.set_verdict("left");
  client_->Commit(HoldingOf(1), start);
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client_); }));
  daemon_.hung = true;
  for (const std::uint32_t job_id : {2, 3}) {
    start.set_reason(std::to_string(job_id));
    client_->Commit(HoldingOf(job_id), start);
  }
  client_->Commit(HoldingOf(4));
  client_->Release(JobOf(3));
  client_->Sync(Snapshot());
  start.set_reason("5");
  client_->Commit(HoldingOf(5), start);
  client_->Sync(Snapshot());
  daemon_.hung = false;
  ASSERT_TRUE(
      Eventually([&] { return client_->Counters().syncs_acknowledged == 2; }));
  const v1::SyncRequest sync = daemon_.Syncs().back();
  ASSERT_EQ(sync.starts_size(), 3);
  EXPECT_EQ(sync.starts(0).start().reason(), "2");
  EXPECT_EQ(sync.starts(1).start().reason(), "3");
  EXPECT_EQ(sync.starts(2).start().reason(), "5");
  EXPECT_EQ(sync.starts(0).job().job_id(), 2u);
  EXPECT_GT(sync.starts(0).now_ms(), 0);
  EXPECT_EQ(sync.starts(0).client_id(), daemon_.Syncs().at(0).client_id());
  EXPECT_FALSE(sync.starts(0).has_holding());
  client_->Sync(Snapshot());
  ASSERT_TRUE(
      Eventually([&] { return client_->Counters().syncs_acknowledged == 3; }));
  EXPECT_EQ(daemon_.Syncs().back().starts_size(), 0);
}

TEST_F(ClientTest, ASyncCarriesTheNewestStarts) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint(), 10'000);
  client->Sync(Snapshot());
  daemon.hung = true;
  v1::JobStart start;
  start.set_verdict("left");
  const auto count = static_cast<std::uint32_t>(kMaxCarriedStarts) + 2;
  for (std::uint32_t job_id = 1; job_id <= count; ++job_id) {
    client->Commit(HoldingOf(job_id), start);
    if (job_id == count / 2) client->Sync(Snapshot());
  }
  client->Sync(Snapshot());
  daemon.hung = false;
  ASSERT_TRUE(Eventually([&] {
    // The second Sync may have been sent before the third replaced it.
    const auto syncs = daemon.Syncs();
    return !syncs.empty() && syncs.back().starts_size() > 0 &&
           syncs.back().starts().rbegin()->job().job_id() == count;
  }));
  const v1::SyncRequest sync = daemon.Syncs().back();
  ASSERT_EQ(sync.starts_size(), int{kMaxCarriedStarts});
  EXPECT_EQ(sync.starts(0).job().job_id(), 3u);
  EXPECT_EQ(sync.starts(sync.starts_size() - 1).job().job_id(), count);
}

TEST_F(ConnectedClientTest, ConcurrentCallersGetTheirAnswers) {
  std::vector<std::thread> threads;
  for (std::uint32_t caller = 0; caller < 4; ++caller) {
    threads.emplace_back([&, caller] {
      for (std::uint32_t i = 0; i < 50; ++i) {
        v1::AllocateRequest request = Request(caller * 100 + i + 1);
        request.set_candidates(std::string(1, static_cast<char>('a' + caller)));
        const auto reply = client_->Allocate(request);
        ASSERT_TRUE(reply.ok()) << reply.status();
        EXPECT_EQ(reply->nodes(), request.candidates());
        client_->Commit(HoldingOf(caller * 100 + i + 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(Eventually([&] { return daemon_.Events().size() == 200; }));
}

}  // namespace
}  // namespace coolspan
