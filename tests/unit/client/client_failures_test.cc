// SPDX-License-Identifier: GPL-3.0-or-later
// Daemons that are slow, hung, missing or restarted.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "unit/client/client_test.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;

TEST_F(ConnectedClientTest, SlowDiskOfTheDaemonDoesNotOpenTheBreaker) {
  ASSERT_TRUE(client_->Allocate(Request(1)).ok());
  daemon_.holds_events = true;
  client_->Commit(HoldingOf(1));
  ASSERT_TRUE(Eventually([&] { return daemon_.event_calls >= 2; }))
      << "the first call was not retried";
  EXPECT_TRUE(client_->Allocate(Request(2)).ok());
  EXPECT_EQ(client_->Counters().rejected_by_breaker, 0u);
  daemon_.holds_events = false;
  EXPECT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client_); }));
}

TEST_F(ConnectedClientTest, FullDiskOfTheDaemonDoesNotOpenTheBreaker) {
  ASSERT_TRUE(client_->Allocate(Request(1)).ok());
  daemon_.refuse_event_every = 1;
  client_->Commit(HoldingOf(1));
  for (int calls = 1; calls <= 4; ++calls) {
    ASSERT_TRUE(Eventually([&] { return daemon_.event_calls >= calls; }));
    EXPECT_TRUE(client_->Allocate(Request(2)).ok()) << calls;
  }
  EXPECT_EQ(client_->Counters().rejected_by_breaker, 0u);
  EXPECT_EQ(Logged("placed without it"), 0);
  EXPECT_EQ(Logged("does not acknowledge events (try again)"), 1);
  daemon_.refuse_event_every = 0;
  EXPECT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client_); }));
}

TEST_F(ConnectedClientTest, InternalErrorOfARequestDoesNotOpenTheBreaker) {
  daemon_.fails_allocate = true;
  EXPECT_EQ(client_->Allocate(Request(1)).status().code(),
            absl::StatusCode::kInternal);
  daemon_.fails_allocate = false;
  EXPECT_TRUE(client_->Allocate(Request(2)).ok());
  EXPECT_EQ(client_->Counters().rejected_by_breaker, 0u);
}

TEST_F(ConnectedClientTest, HungDaemonDelaysAtMostThreeOfAHundredCalls) {
  ASSERT_TRUE(client_->Allocate(Request(1)).ok());
  daemon_.hung = true;
  for (std::uint32_t job = 2; job <= 101; ++job) {
    const auto reply = client_->Allocate(Request(job));
    EXPECT_TRUE(absl::IsUnavailable(reply.status()) ||
                absl::IsDeadlineExceeded(reply.status()));
    client_->Commit(HoldingOf(job));
  }
  const std::uint64_t delayed = client_->Counters().deadlines_exceeded;
  EXPECT_LE(delayed, 3u);
  EXPECT_EQ(client_->Counters().rejected_by_breaker, 100u - delayed);
  EXPECT_EQ(Logged("placed without it"), 1);

  daemon_.hung = false;
  ASSERT_TRUE(Eventually([&] { return JobTest(*client_, 200).ok(); }));
  EXPECT_EQ(client_->Counters().deadlines_exceeded, delayed)
      << "the background thread must detect the recovery";
  EXPECT_EQ(Logged("responds again"), 1);
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client_); }));
  EXPECT_EQ(LastInOrder(daemon_), 100u);
}

TEST_F(ConnectedClientTest, CallsAfterAMissedDeadlineAreAnswered) {
  ASSERT_TRUE(client_->Allocate(Request(1)).ok());
  daemon_.hangs_allocate = true;
  EXPECT_FALSE(client_->Allocate(Request(2)).ok());
  daemon_.hangs_allocate = false;
  for (std::uint32_t job = 3; job <= 200; ++job) {
    EXPECT_TRUE(client_->Allocate(Request(job)).ok()) << job;
  }
  EXPECT_EQ(Logged("placed without it"), 0);
}

TEST_F(ConnectedClientTest, DaemonThatHangsOnlyInAllocateDelaysFewCalls) {
  ASSERT_TRUE(client_->Allocate(Request(1)).ok());
  daemon_.hangs_allocate = true;
  for (std::uint32_t job = 2; job <= 40; ++job) {
    EXPECT_FALSE(client_->Allocate(Request(job)).ok());
    std::this_thread::sleep_for(milliseconds(50));  // for the probes to succeed
  }
  // Three in a row, and one after the first pause of 1.9 s.
  EXPECT_LE(client_->Counters().deadlines_exceeded, 4u);
  EXPECT_EQ(Logged("responds again"), Logged("placed without it") - 1)
      << "logged while the breaker is open";
  daemon_.hangs_allocate = false;
}

TEST_F(ClientTest, UnresponsiveSocketDelaysAtMostThreeCalls) {
  const std::string path = folder_.Path("silent");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(
      bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
      0);
  ASSERT_EQ(listen(listener, 16), 0);
  {
    const auto client = Connect("unix://" + path);
    client->Sync(Snapshot());
    for (std::uint32_t job = 1; job <= 100; ++job) {
      EXPECT_FALSE(client->Allocate(Request(job)).ok());
    }
    EXPECT_LE(client->Counters().deadlines_exceeded, 3u);
    EXPECT_EQ(client->Counters().answered, 0u);
  }
  close(listener);
}

TEST_F(ClientTest, MissingDaemonDelaysNoCallAndIsUsedOnceStarted) {
  const std::string path = folder_.Path("late");
  const auto client = Connect("unix://" + path);
  client->Sync(Snapshot());
  // More events than an Allocate may carry.
  for (std::uint32_t job = 1; job <= 600; ++job) {
    EXPECT_EQ(client->Allocate(Request(job)).status().code(),
              absl::StatusCode::kUnavailable);
    client->Commit(HoldingOf(job));
  }
  EXPECT_EQ(client->Counters().deadlines_exceeded, 0u);
  FakeDaemon daemon(path);
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 700).ok(); }));
  EXPECT_EQ(client->Counters().deadlines_exceeded, 0u);
  EXPECT_EQ(daemon.Syncs().size(), 1u);
  const auto request = daemon.Allocates().at(0);
  if (!request.events().empty()) {
    EXPECT_EQ(request.events().rbegin()->commit().sequence(), 600u)
        << "called before all events could be carried or delivered";
  }
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client); }));
  EXPECT_EQ(LastInOrder(daemon), 600u);
}

TEST_F(ConnectedClientTest, RestartsOfTheDaemonLoseNoEvent) {
  std::uint32_t job = 0;
  for (int restart = 0; restart < 3; ++restart) {
    for (int i = 0; i < 20; ++i) client_->Commit(HoldingOf(++job));
    daemon_.Stop();
    for (int i = 0; i < 20; ++i) client_->Commit(HoldingOf(++job));
    daemon_.Start();
    ASSERT_TRUE(Eventually([&] { return JobTest(*client_, 1000).ok(); }))
        << restart;
  }
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client_); }));
  EXPECT_EQ(LastInOrder(daemon_), 120u);
}

TEST_F(ClientTest, FullQueueNeedsASyncThatReplacesIt) {
  const std::string path = folder_.Path("late");
  const auto client = Connect("unix://" + path, 10);
  client->Sync(Snapshot());
  for (std::uint32_t job = 1; job <= 20; ++job) client->Commit(HoldingOf(job));
  EXPECT_EQ(client->Counters().overflows, 1u);
  EXPECT_EQ(client->Counters().events_queued, 10u);
  ASSERT_TRUE(Eventually([&] { return client->SyncNeeded(); }));
  client->Sync(Snapshot());
  client->Commit(HoldingOf(21));
  FakeDaemon daemon(path);
  ASSERT_TRUE(Eventually([&] { return !daemon.Events().empty(); }));
  EXPECT_EQ(daemon.Events().at(0).job().job_id(), 21u);
  EXPECT_EQ(daemon.Events().at(0).sequence(), 1u);
  EXPECT_EQ(daemon.Syncs().size(), 1u);
}

TEST_F(ClientTest, TriesTheNextEndpoint) {
  FakeDaemon second(folder_.Path("b"));
  const auto client =
      Connect("unix://" + folder_.Path("a") + "," + second.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 1).ok(); }));
  second.Stop();
  EXPECT_FALSE(client->Allocate(Request(2)).ok());
  FakeDaemon first(folder_.Path("a"));
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 3).ok(); }));
  EXPECT_FALSE(first.Allocates().empty());
}

// Another daemon may know the nodes from an earlier client: it would accept
// events and decide by an old ledger.
TEST_F(ClientTest, AnotherDaemonGetsASyncBeforeAnythingElse) {
  FakeDaemon first(folder_.Path("a"));
  FakeDaemon second(folder_.Path("b"));
  const auto client = Connect(first.endpoint() + "," + second.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(client->Allocate(Request(1)).ok());
  ASSERT_TRUE(Eventually([&] { return client->SyncNeeded() == false; }));
  first.Stop();
  for (std::uint32_t job = 2; job < 50; ++job) {
    EXPECT_FALSE(client->Allocate(Request(job)).ok());
    client->Commit(HoldingOf(job));
    std::this_thread::sleep_for(milliseconds(2));
  }
  ASSERT_TRUE(Eventually([&] { return client->SyncNeeded(); }));
  EXPECT_TRUE(second.Syncs().empty());
  EXPECT_TRUE(second.Allocates().empty());
  EXPECT_TRUE(second.Events().empty());
  EXPECT_TRUE(first.Events().empty() || LastInOrder(first) < 49);
  client->Sync(Snapshot());
  client->Commit(HoldingOf(50));
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 51).ok(); }));
  ASSERT_TRUE(Eventually([&] { return !second.Events().empty(); }));
  EXPECT_EQ(second.Events().front().job().job_id(), 50U);
  EXPECT_EQ(second.Events().front().sequence(), 1U);
}

// Without a call of the controller, too.
TEST_F(ClientTest, AKeepAliveFindsThatAnotherDaemonIsUsed) {
  FakeDaemon first(folder_.Path("a"));
  FakeDaemon second(folder_.Path("b"));
  ClientOptions options;
  options.keep_alive_period = milliseconds(50);
  const auto client =
      Connect(first.endpoint() + "," + second.endpoint(), std::move(options));
  client->Sync(Snapshot());
  // Of two daemons, a KeepAlive goes before the Sync as well.
  ASSERT_TRUE(Eventually([&] { return !first.Syncs().empty(); }));
  const std::size_t before = first.KeepAlives().size();
  ASSERT_TRUE(Eventually([&] { return first.KeepAlives().size() > before; }));
  first.Stop();
  ASSERT_TRUE(Eventually([&] { return client->SyncNeeded(); }));
  ASSERT_FALSE(second.KeepAlives().empty());
  EXPECT_EQ(second.KeepAlives().front().client_id(), "");
  EXPECT_EQ(Logged("sync required: coolspand at " + second.endpoint()), 1);
  EXPECT_GE(Logged("coolspand at " + first.endpoint() + ": "), 1);
  EXPECT_EQ(Logged("coolspand at " + second.endpoint() + ": "), 0)
      << "the one that failed is named";
}

TEST_F(ClientTest, DropsAnswersOfAFormerLeader) {
  FakeDaemon leader(folder_.Path("a"));
  leader.term = 5;
  const auto client =
      Connect(leader.endpoint() + ",unix://" + folder_.Path("b"));
  client->Sync(Snapshot());
  ASSERT_TRUE(client->Allocate(Request(1)).ok());
  leader.Stop();
  FakeDaemon former(folder_.Path("b"));
  former.term = 4;
  former.is_fenced = true;
  for (std::uint32_t job = 2; job < 20; ++job) {
    EXPECT_FALSE(JobTest(*client, job).ok());
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_TRUE(former.Allocates().empty());
  former.term = 6;
  former.is_fenced = false;
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 100).ok(); }));
}

TEST_F(ClientTest, DropsAnswersOfALowerTermUntilTheNextSync) {
  FakeDaemon daemon(folder_.Path("a"));
  daemon.term = 5;
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(client->Allocate(Request(1)).ok());
  daemon.term = 4;
  daemon.is_fenced = true;
  EXPECT_FALSE(client->Allocate(Request(2)).ok());
  EXPECT_EQ(daemon.Allocates().size(), 2u);
  ASSERT_TRUE(Eventually([&] { return client->SyncNeeded(); }));
  for (std::uint32_t job = 3; job < 20; ++job) {
    EXPECT_FALSE(JobTest(*client, job).ok());
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_EQ(daemon.Syncs().size(), 1u);
}

// Its revisions, and thus the terms, begin again.
TEST_F(ClientTest, AnEtcdThatIsSetUpAnewIsUsed) {
  FakeDaemon first(folder_.Path("a"));
  FakeDaemon second(folder_.Path("b"));
  first.term = 606;
  second.term = 606;
  const auto client = Connect(first.endpoint() + "," + second.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 1).ok(); }));
  // Without jobs, as after the setup.
  first.term = 6;
  first.SetEpoch("two");
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 2).ok(); }));
  // With jobs, as from a backup: the daemon does not ask for a Sync.
  first.term = 5;
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 3).ok(); }));
  // At another daemon.
  second.term = 4;
  first.Stop();
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 4).ok(); }));
}

TEST_F(ClientTest, DestructorDoesNotWaitForAHungDaemon) {
  FakeDaemon daemon(folder_.Path("a"));
  daemon.hung = true;
  {
    const auto client = Connect(daemon.endpoint());
    client->Sync(Snapshot());
    EXPECT_FALSE(client->Allocate(Request(1)).ok());
  }
  EXPECT_TRUE(daemon.hung) << "the destructor waited";
}

}  // namespace
}  // namespace coolspan
