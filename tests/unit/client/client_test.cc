// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "unit/client/fake_daemon.h"

namespace coolspan {
namespace {

using std::chrono::milliseconds;

v1::SyncRequest Snapshot() {
  v1::SyncRequest snapshot;
  snapshot.add_hostlist("n[1-8]");
  return snapshot;
}

v1::AllocateRequest Request(std::uint32_t job_id) {
  v1::AllocateRequest request;
  request.mutable_job()->set_job_id(job_id);
  request.set_candidates("\xff");
  request.set_min_nodes(1);
  return request;
}

v1::Holding HoldingOf(std::uint32_t job_id) {
  v1::Holding holding;
  holding.mutable_job()->set_job_id(job_id);
  holding.set_nodes("\x01");
  holding.set_whole(true);
  return holding;
}

v1::Job JobOf(std::uint32_t job_id) {
  v1::Job job;
  job.set_job_id(job_id);
  return job;
}

class ClientTest : public ::testing::Test {
 protected:
  std::unique_ptr<AllocatorClient> Connect(const std::string& endpoints,
                                           std::size_t queue_capacity = 1000) {
    ClientOptions options;
    options.endpoints = endpoints;
    options.cluster = "test";
    // Longer than a loaded test host takes to answer.
    options.deadline = milliseconds(500);
    options.queue_capacity = queue_capacity;
    options.log = [this](ClientOptions::Severity, std::string_view line) {
      const std::lock_guard lock(log_mutex_);
      log_.emplace_back(line);
    };
    auto client = AllocatorClient::Create(std::move(options));
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }
  static bool AllEventsAcknowledged(const AllocatorClient& client) {
    const ClientCounters counters = client.Counters();
    return counters.events_acknowledged == counters.events_queued;
  }
  // Sequence number of the last event. Checks that the daemon received all
  // events in order; one whose acknowledgement was lost is repeated.
  static std::uint64_t LastInOrder(const FakeDaemon& daemon) {
    std::uint64_t last = 0;
    for (const v1::Event& event : daemon.Events()) {
      EXPECT_LE(event.sequence(), last + 1);
      last = std::max(last, event.sequence());
    }
    return last;
  }
  // As the plugin does: if a Sync is needed, syncs and retries once.
  static absl::StatusOr<v1::AllocateReply> JobTest(AllocatorClient& client,
                                                   std::uint32_t job) {
    auto reply = client.Allocate(Request(job));
    if (!absl::IsFailedPrecondition(reply.status()) || !client.SyncNeeded())
      return reply;
    client.Sync(Snapshot());
    return client.Allocate(Request(job));
  }

  // Number of log lines that contain the text.
  int Logged(std::string_view text) {
    const std::lock_guard lock(log_mutex_);
    return static_cast<int>(
        std::count_if(log_.begin(), log_.end(), [&](const std::string& line) {
          return line.find(text) != std::string::npos;
        }));
  }

  SocketFolder folder_;

 private:
  std::mutex log_mutex_;
  std::vector<std::string> log_;
};

TEST_F(ClientTest, OptionsAreChecked) {
  ClientOptions options;
  options.endpoints = "unix:///run/coolspand.sock";
  EXPECT_EQ(AllocatorClient::Create(options).status().code(),
            absl::StatusCode::kInvalidArgument);
  options.cluster = "test";
  options.endpoints = "coolspand.sock";
  EXPECT_EQ(AllocatorClient::Create(options).status().code(),
            absl::StatusCode::kInvalidArgument);
  options.endpoints = "unix:///run/coolspand.sock";
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

TEST_F(ClientTest, AllocateWaitsForTheSyncBeforeIt) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  EXPECT_FALSE(client->SyncNeeded());
  const auto reply = client->Allocate(Request(1));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->placed());
  EXPECT_EQ(client->Mode(), "advise");
  const auto sync = daemon.Syncs().at(0);
  EXPECT_EQ(sync.cluster(), "test");
  EXPECT_EQ(sync.clock(), v1::CLOCK_REAL);
  EXPECT_EQ(sync.sequence(), 0u);
  const auto request = daemon.Allocates().at(0);
  EXPECT_EQ(request.client_id(), sync.client_id());
  EXPECT_EQ(request.epoch(), "one");
  EXPECT_GT(request.now_ms(), 0);
}

TEST_F(ClientTest, AllocateCarriesUnacknowledgedEvents) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(client->Allocate(Request(1)).ok());
  daemon.holds_events = true;
  client->Commit(HoldingOf(1));
  client->Release(JobOf(1));
  ASSERT_TRUE(client->Allocate(Request(2)).ok());
  const auto request = daemon.Allocates().at(1);
  ASSERT_EQ(request.events_size(), 2);
  EXPECT_EQ(request.events(0).commit().sequence(), 1u);
  EXPECT_EQ(request.events(0).commit().holding().nodes(), "\x01");
  EXPECT_EQ(request.events(1).release().sequence(), 2u);
  EXPECT_EQ(request.after_sequence(), 2u);
  daemon.holds_events = false;
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client); }));
  ASSERT_TRUE(client->Allocate(Request(3)).ok());
  EXPECT_EQ(daemon.Allocates().at(2).events_size(), 0);
}

TEST_F(ClientTest, AllocateDoesNotRepeatEventsOfEarlierOnes) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  daemon.holds_events = true;
  // More events than an Allocate may carry.
  for (std::uint32_t job = 1; job <= 300; ++job) {
    client->Commit(HoldingOf(job));
    ASSERT_TRUE(client->Allocate(Request(job + 1)).ok());
  }
  const auto request = daemon.Allocates().back();
  ASSERT_EQ(request.events_size(), 1);
  EXPECT_EQ(request.events(0).commit().sequence(), 300u);
  EXPECT_EQ(request.after_sequence(), 300u);

  daemon.holds_events = false;
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client); }));
  daemon.holds_events = true;
  client->Sync(Snapshot());
  client->Commit(HoldingOf(1));
  ASSERT_TRUE(client->Allocate(Request(2)).ok());
  EXPECT_EQ(daemon.Allocates().back().events_size(), 1)
      << "new queue after Sync";
}

TEST_F(ClientTest, SlowDiskOfTheDaemonDoesNotOpenTheBreaker) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(client->Allocate(Request(1)).ok());
  daemon.holds_events = true;
  client->Commit(HoldingOf(1));
  ASSERT_TRUE(Eventually([&] { return daemon.event_calls >= 2; }))
      << "the first call was not retried";
  EXPECT_TRUE(client->Allocate(Request(2)).ok());
  EXPECT_EQ(client->Counters().rejected_by_breaker, 0u);
  daemon.holds_events = false;
  EXPECT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client); }));
}

TEST_F(ClientTest, FullDiskOfTheDaemonDoesNotOpenTheBreaker) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(client->Allocate(Request(1)).ok());
  daemon.refuse_event_every = 1;
  client->Commit(HoldingOf(1));
  for (int calls = 1; calls <= 4; ++calls) {
    ASSERT_TRUE(Eventually([&] { return daemon.event_calls >= calls; }));
    EXPECT_TRUE(client->Allocate(Request(2)).ok()) << calls;
  }
  EXPECT_EQ(client->Counters().rejected_by_breaker, 0u);
  EXPECT_EQ(Logged("unreachable"), 0);
  EXPECT_EQ(Logged("does not acknowledge events (try again)"), 1);
  daemon.refuse_event_every = 0;
  EXPECT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client); }));
}

TEST_F(ClientTest, EventsArriveInOrderAndAllocateHasTheLastSequence) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  client->Commit(HoldingOf(1));
  client->Suspend(JobOf(1), true);
  client->Resize(HoldingOf(1));
  client->Release(JobOf(1));
  ASSERT_TRUE(client->Allocate(Request(2)).ok());
  EXPECT_EQ(daemon.Allocates().at(0).after_sequence(), 4u);
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client); }));
  const auto events = daemon.Events();
  ASSERT_EQ(events.size(), 4u);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].sequence(), i + 1);
    EXPECT_EQ(events[i].job().job_id(), 1u);
  }
  EXPECT_TRUE(events[1].suspended());
  EXPECT_EQ(events[2].holding().nodes(), "\x01");
}

TEST_F(ClientTest, EachAttemptHasAHigherNumber) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client->Allocate(Request(5)).ok());
  const auto requests = daemon.Allocates();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_LT(requests[0].attempt(), requests[1].attempt());
  EXPECT_LT(requests[1].attempt(), requests[2].attempt());
}

TEST_F(ClientTest, RefusedEventsAreSentAgainInOrder) {
  FakeDaemon daemon(folder_.Path("a"));
  daemon.refuse_event_every = 3;
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  for (std::uint32_t job = 1; job <= 20; ++job) client->Commit(HoldingOf(job));
  ASSERT_TRUE(Eventually([&] { return daemon.Events().size() >= 20; }));
  const auto events = daemon.Events();
  ASSERT_EQ(events.size(), 20u);
  for (std::uint32_t i = 0; i < 20; ++i) {
    EXPECT_EQ(events[i].sequence(), i + 1);
    EXPECT_EQ(events[i].job().job_id(), i + 1);
  }
}

TEST_F(ClientTest, AllocateSucceedsAfterAStaleEpochAndASync) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  client->Commit(HoldingOf(1));
  ASSERT_TRUE(client->Allocate(Request(1)).ok());
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client); }));
  daemon.SetEpoch("two");
  EXPECT_EQ(client->Allocate(Request(2)).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(Eventually([&] { return client->SyncNeeded(); }));
  client->Sync(Snapshot());
  client->Commit(HoldingOf(2));
  EXPECT_TRUE(client->Allocate(Request(2)).ok());
  ASSERT_TRUE(Eventually([&] { return daemon.Events().size() == 2; }));
  EXPECT_EQ(daemon.Events().at(1).sequence(), 1u)
      << "numbered from 1 after each Sync";
  EXPECT_NE(daemon.Events().at(0).client_id(),
            daemon.Events().at(1).client_id());
}

TEST_F(ClientTest, EventWithAStaleEpochNeedsASync) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(client->Allocate(Request(1)).ok());
  daemon.SetEpoch("two");
  client->Commit(HoldingOf(1));
  EXPECT_TRUE(Eventually([&] { return client->SyncNeeded(); }));
  EXPECT_TRUE(daemon.Events().empty());
}

TEST_F(ClientTest, AllocateWorksWhileAContradictedLedgerNeedsASync) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  daemon.contradicted = true;
  client->Commit(HoldingOf(1));
  EXPECT_TRUE(client->Allocate(Request(2)).ok());
  EXPECT_TRUE(Eventually([&] { return client->SyncNeeded(); }));
  EXPECT_TRUE(client->Allocate(Request(3)).ok());
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

TEST_F(ClientTest, InternalErrorOfARequestDoesNotOpenTheBreaker) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  daemon.fails_allocate = true;
  EXPECT_EQ(client->Allocate(Request(1)).status().code(),
            absl::StatusCode::kInternal);
  daemon.fails_allocate = false;
  EXPECT_TRUE(client->Allocate(Request(2)).ok());
  EXPECT_EQ(client->Counters().rejected_by_breaker, 0u);
}

TEST_F(ClientTest, HungDaemonDelaysOneOfAHundredCalls) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(client->Allocate(Request(1)).ok());
  daemon.hung = true;
  for (std::uint32_t job = 2; job <= 101; ++job) {
    const auto reply = client->Allocate(Request(job));
    EXPECT_TRUE(absl::IsUnavailable(reply.status()) ||
                absl::IsDeadlineExceeded(reply.status()));
    client->Commit(HoldingOf(job));
  }
  EXPECT_EQ(daemon.Allocates().size(), 2u);
  EXPECT_EQ(client->Counters().deadlines_exceeded, 1u);
  EXPECT_EQ(client->Counters().rejected_by_breaker, 99u);

  daemon.hung = false;
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 200).ok(); }));
  EXPECT_EQ(client->Counters().deadlines_exceeded, 1u)
      << "the background thread must detect the recovery";
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client); }));
  EXPECT_EQ(LastInOrder(daemon), 100u);
}

TEST_F(ClientTest, DaemonThatHangsOnlyInAllocateDelaysTwoCalls) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  ASSERT_TRUE(client->Allocate(Request(1)).ok());
  daemon.hangs_allocate = true;
  for (std::uint32_t job = 2; job <= 40; ++job) {
    EXPECT_FALSE(client->Allocate(Request(job)).ok());
    std::this_thread::sleep_for(milliseconds(50));  // for the probes to succeed
  }
  EXPECT_EQ(client->Counters().deadlines_exceeded, 2u);
  daemon.hangs_allocate = false;
}

TEST_F(ClientTest, UnresponsiveSocketDelaysOneCall) {
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
    EXPECT_EQ(client->Counters().deadlines_exceeded, 1u);
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

TEST_F(ClientTest, RestartsOfTheDaemonLoseNoEvent) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  std::uint32_t job = 0;
  for (int restart = 0; restart < 3; ++restart) {
    for (int i = 0; i < 20; ++i) client->Commit(HoldingOf(++job));
    daemon.Stop();
    for (int i = 0; i < 20; ++i) client->Commit(HoldingOf(++job));
    daemon.Start();
    ASSERT_TRUE(Eventually([&] { return JobTest(*client, 1000).ok(); }))
        << restart;
  }
  ASSERT_TRUE(Eventually([&] { return AllEventsAcknowledged(*client); }));
  EXPECT_EQ(LastInOrder(daemon), 120u);
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
  for (std::uint32_t job = 2; job < 20; ++job) {
    EXPECT_FALSE(JobTest(*client, job).ok());
    std::this_thread::sleep_for(milliseconds(20));
  }
  former.term = 6;
  ASSERT_TRUE(Eventually([&] { return JobTest(*client, 100).ok(); }));
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

TEST_F(ClientTest, ConcurrentCallersGetTheirAnswers) {
  FakeDaemon daemon(folder_.Path("a"));
  const auto client = Connect(daemon.endpoint());
  client->Sync(Snapshot());
  std::vector<std::thread> threads;
  for (std::uint32_t caller = 0; caller < 4; ++caller) {
    threads.emplace_back([&, caller] {
      for (std::uint32_t i = 0; i < 50; ++i) {
        v1::AllocateRequest request = Request(caller * 100 + i + 1);
        request.set_candidates(std::string(1, static_cast<char>('a' + caller)));
        const auto reply = client->Allocate(request);
        ASSERT_TRUE(reply.ok()) << reply.status();
        EXPECT_EQ(reply->nodes(), request.candidates());
        client->Commit(HoldingOf(caller * 100 + i + 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(Eventually([&] { return daemon.Events().size() == 200; }));
}

}  // namespace
}  // namespace coolspan
