// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "unit/client/client_test.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;

class KeepAliveTest : public ClientTest {
 protected:
  // Syncs with two of the eight nodes unavailable.
  std::unique_ptr<AllocatorClient> ConnectAndSync(milliseconds period) {
    ClientOptions options;
    options.keep_alive_period = period;
    auto client = Connect(daemon_.endpoint(), std::move(options));
    v1::SyncRequest snapshot = Snapshot();
    snapshot.set_unavailable("\x03");
    client->Sync(std::move(snapshot));
    EXPECT_TRUE(
        Eventually([&] { return client->Counters().syncs_acknowledged == 1; }));
    return client;
  }
  // As in the last KeepAlive.
  std::string Unavailable() const {
    const auto received = daemon_.KeepAlives();
    return received.empty() ? "none received" : received.back().unavailable();
  }

  static constexpr milliseconds kNever{3'600'000};
  FakeDaemon daemon_{folder_.Path("a")};
};

TEST_F(KeepAliveTest, SendsUnavailableNodesWhenTheyChange) {
  const auto client = ConnectAndSync(kNever);
  EXPECT_EQ(daemon_.Syncs().at(0).unavailable(), "\x03");
  client->SetUnavailable("\x03");
  client->SetUnavailable("\x07");
  ASSERT_TRUE(Eventually([&] { return Unavailable() == "\x07"; }));
  const v1::KeepAliveRequest sent = daemon_.KeepAlives().back();
  EXPECT_EQ(sent.cluster(), "test");
  EXPECT_EQ(sent.epoch(), "one");
  client->SetUnavailable("\x07");
  client->SetUnavailable("");
  ASSERT_TRUE(Eventually([&] { return Unavailable().empty(); }));
  EXPECT_EQ(daemon_.KeepAlives().size(), 2u) << "only changes are sent";
}

TEST_F(KeepAliveTest, UnavailableNodesAreSentBetweenEvents) {
  const auto client = ConnectAndSync(kNever);
  daemon_.holds_events = true;
  for (std::uint32_t job = 1; job <= 100; ++job) {
    client->Commit(HoldingOf(job));
  }
  client->SetUnavailable("\x07");
  daemon_.holds_events = false;
  EXPECT_TRUE(Eventually([&] { return Unavailable() == "\x07"; }));
  EXPECT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client); }));
}

TEST_F(KeepAliveTest, IsRepeatedWhileNothingElseIsSent) {
  const auto client = ConnectAndSync(milliseconds(5));
  EXPECT_TRUE(Eventually([&] { return daemon_.KeepAlives().size() >= 3; }));
  EXPECT_EQ(Unavailable(), "\x03");
  EXPECT_FALSE(client->SyncNeeded());
}

TEST_F(KeepAliveTest, ReportsWhatTheClientHasSeen) {
  const auto client = ConnectAndSync(milliseconds(5));
  const auto last = [this] {
    const auto received = daemon_.KeepAlives();
    return received.empty() ? v1::ClientCounts() : received.back().client();
  };
  ASSERT_TRUE(Eventually([&] { return !daemon_.KeepAlives().empty(); }));
  EXPECT_EQ(last().allocates(), 0u);
  EXPECT_EQ(last().outages(), 0u);
  EXPECT_FALSE(last().breaker_open());
  daemon_.Stop();
  EXPECT_TRUE(
      Eventually([&] { return Logged("jobs are placed without it") == 1; }));
  EXPECT_FALSE(client->Allocate(v1::AllocateRequest()).ok());
  daemon_.Start();
  EXPECT_TRUE(Eventually([&] { return last().outages() == 1; }));
  EXPECT_EQ(last().allocates(), 1u);
  EXPECT_EQ(last().answered(), 0u);
  EXPECT_EQ(last().rejected_by_breaker(),
            client->Counters().rejected_by_breaker);
  EXPECT_TRUE(Eventually([&] { return !last().breaker_open(); }));
}

TEST_F(KeepAliveTest, FindsARestartedDaemonWithoutJobs) {
  const auto client = ConnectAndSync(milliseconds(5));
  daemon_.SetEpoch("after the restart");
  EXPECT_TRUE(Eventually([&] { return client->SyncNeeded(); }));
  EXPECT_EQ(Logged("coolspand was restarted"), 1);
}

TEST_F(KeepAliveTest, FindsThatAnotherClientHasSynced) {
  const auto client = ConnectAndSync(milliseconds(5));
  ASSERT_TRUE(Eventually([&] { return !daemon_.KeepAlives().empty(); }));
  EXPECT_EQ(daemon_.KeepAlives()[0].client_id(),
            daemon_.Syncs().at(0).client_id());
  daemon_.replaced = true;
  EXPECT_TRUE(Eventually([&] { return client->SyncNeeded(); }));
  EXPECT_EQ(Logged("another slurmctld has reported the jobs of cluster test"),
            1);
}

TEST_F(KeepAliveTest, FindsADeadDaemonWithoutJobs) {
  const auto client = ConnectAndSync(milliseconds(5));
  daemon_.Stop();
  EXPECT_TRUE(
      Eventually([&] { return Logged("jobs are placed without it") == 1; }));
  daemon_.Start();
  EXPECT_TRUE(Eventually([&] { return Logged("responds again") == 1; }));
}

TEST_F(KeepAliveTest, NodesOfAnEarlierNodeTableAreNotSent) {
  ClientOptions options;
  options.keep_alive_period = milliseconds(5);
  const auto client = Connect(daemon_.endpoint(), std::move(options));
  client->SetUnavailable("\x07");
  client->Sync(Snapshot());
  ASSERT_TRUE(Eventually([&] { return !daemon_.KeepAlives().empty(); }));
  EXPECT_EQ(Unavailable(), "");
}

}  // namespace
}  // namespace coolspan
