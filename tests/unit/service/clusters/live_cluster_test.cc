// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/live_cluster.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "service/clusters/live_clusters.h"
#include "state/sqlite_store.h"
#include "unit/service/fake_store.h"
#include "unit/service/small_cluster.h"
#include "unit/state/scratch_folder.h"

namespace coolspan {
namespace {

using std::chrono::steady_clock;

// Searches for as long as it may, then takes the first nodes.
class Thorough final : public Policy {
 public:
  std::string_view name() const override { return "thorough"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& budget,
                                  Trace& /*trace*/) const override {
    ++asked;
    while (budget.Spend(1)) continue;
    std::vector<NodeId> nodes = view.available().Members();
    nodes.resize(request.demand.min_nodes);
    return Allocation{std::move(nodes)};
  }
  mutable std::atomic<int> asked = 0;
};

class LiveClusterTest : public ::testing::Test {
 protected:
  TimeLimits Limits(std::chrono::seconds left = std::chrono::seconds(60)) {
    return {steady_clock::now() + left, std::chrono::seconds(60)};
  }
  void Sync(const std::string& client_id, std::int64_t now_ms = 1000,
            const std::string& hostlist = "n[1-8]") {
    v1::SyncRequest request = SmallSync();
    request.set_client_id(client_id);
    request.set_now_ms(now_ms);
    request.set_hostlist(0, hostlist);
    request.clear_capacity();
    v1::UnitsRun& run = *request.add_capacity();
    run.set_nodes(hostlist == "n[1-8]" ? 8 : 7);
    run.set_units(4);
    const auto reply = cluster_.Sync(request);
    ASSERT_TRUE(reply.ok()) << reply.status();
    epoch_ = reply->epoch();
    client_id_ = client_id;
  }
  absl::StatusOr<v1::AllocateReply> Ask(std::uint32_t job_id,
                                        std::uint32_t nodes,
                                        std::int64_t now_ms = 1000) {
    v1::AllocateRequest request = AskFor(epoch_, job_id, nodes, 1, now_ms);
    request.set_client_id(client_id_);
    return cluster_.Allocate(request, Limits());
  }
  absl::StatusOr<v1::EventReply> Commit(std::uint64_t sequence,
                                        std::uint32_t job_id,
                                        const std::vector<int>& nodes) {
    v1::Event event = CommitOf(epoch_, sequence, job_id, nodes);
    event.set_client_id(client_id_);
    return cluster_.Apply(EventKind::kCommit, event);
  }

  static std::vector<Holding> HoldingsOf(const LiveCluster& cluster) {
    std::vector<Holding> holdings;
    for (const auto& held : cluster.Holdings()) holdings.push_back(*held);
    return holdings;
  }

  LiveClusterTest() = default;
  explicit LiveClusterTest(std::unique_ptr<Store> store)
      : store_(std::move(store)) {}

  ScratchFolder folder_;
  DaemonSetup setup_ = SmallSetup(folder_.File(""));
  std::unique_ptr<Store> store_ = *OpenSqliteStore(folder_.File("state.db"));
  std::unique_ptr<EventLog> log_ =
      *EventLog::Open({"info", folder_.File("log.txt"), "json"});
  WatchHub watchers_;
  Journal journal_{
      setup_.machine, *store_, *log_, watchers_, [] { return TimeMs{1000}; },
      100'000};
  DecisionTimes times_;
  PolicyCache policies_{setup_};
  PolicyRules rules_{setup_, policies_};
  LiveSetting setting_{setup_.machine, &rules_, &journal_, &times_};
  LiveCluster cluster_{"c", setting_};
  std::string epoch_;
  std::string client_id_;
};

TEST_F(LiveClusterTest, HoldsNothingAfterItsTime) {
  Sync("q");
  const auto reply =
      cluster_.Allocate(AskFor(epoch_, 1, 3), Limits(std::chrono::seconds(-1)));
  EXPECT_TRUE(absl::IsUnavailable(reply.status())) << reply.status();
  EXPECT_TRUE(cluster_.Holdings().empty());
}

// One whose policy takes all the time there is.
class ThoroughClusterTest : public LiveClusterTest {
 protected:
  static DaemonSetup WithThorough(DaemonSetup setup) {
    setup.policy = std::make_shared<Thorough>();
    return setup;
  }

  DaemonSetup thorough_setup_ = WithThorough(setup_);
  PolicyCache thorough_policies_{thorough_setup_};
  PolicyRules thorough_rules_{thorough_setup_, thorough_policies_};
  LiveCluster thorough_{
      "c", {thorough_setup_.machine, &thorough_rules_, &journal_, &times_}};
};

TEST_F(ThoroughClusterTest, AnAnswerThatMetItsDeadlineIsMarked) {
  const auto synced = thorough_.Sync(SmallSync());
  ASSERT_TRUE(synced.ok()) << synced.status();
  const auto reply =
      thorough_.Allocate(AskFor(synced->epoch(), 1, 3),
                         {steady_clock::now() + std::chrono::seconds(60),
                          std::chrono::milliseconds(20)});
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->placed());
  EXPECT_TRUE(reply->stopped_early());
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  const auto decisions = store_->DecisionsOf("c", 1, 9);
  ASSERT_EQ(decisions->size(), 1u);
  EXPECT_TRUE(decisions->front().stopped_early);
  std::ifstream log(folder_.File("log.txt"));
  const std::string lines{std::istreambuf_iterator<char>(log), {}};
  EXPECT_NE(lines.find("\"stopped_early\":true"), std::string::npos) << lines;
}

// However long it waited for an event, some of what is left then is kept for
// what the search does when its time is over.
TEST_F(ThoroughClusterTest, ASearchThatBeganLateAnswersInTime) {
  v1::SyncRequest sync = SmallSync();
  sync.set_client_id("q");
  const auto synced = thorough_.Sync(sync);
  ASSERT_TRUE(synced.ok()) << synced.status();
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    v1::Event event = CommitOf(synced->epoch(), 1, 7, {1});
    event.set_client_id("q");
    EXPECT_TRUE(thorough_.Apply(EventKind::kCommit, event).ok());
  });
  v1::AllocateRequest request = AskFor(synced->epoch(), 1, 3);
  request.set_client_id("q");
  request.set_after_sequence(1);
  const TimeLimits limits = Limits(std::chrono::seconds(3));
  const auto reply = thorough_.Allocate(request, limits);
  EXPECT_LT(steady_clock::now(), limits.answer_by);
  late.join();
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->stopped_early());
}

// A job that is about to start waits for no question.
TEST_F(LiveClusterTest, APreviewMakesWay) {
  Sync("q");
  const Thorough policy;
  std::atomic<bool> answered = false;
  std::thread asker([&] {
    v1::AllocateRequest request = AskFor(epoch_, 9, 2);
    request.set_client_id(client_id_);
    const auto reply =
        cluster_.Preview(request, policy, Limits(std::chrono::seconds(2)));
    answered = true;
    EXPECT_TRUE(reply.ok()) << reply.status();
  });
  while (policy.asked == 0) std::this_thread::yield();
  EXPECT_TRUE(Ask(1, 2).ok());
  EXPECT_FALSE(answered);
  EXPECT_TRUE(Commit(1, 2, {5}).ok());
  EXPECT_FALSE(answered);
  asker.join();
  EXPECT_EQ(policy.asked, 1) << "on one snapshot, whatever happens";
  EXPECT_EQ(cluster_.Holdings().size(), 2u);
}

// Takes the first nodes, when it may.
class Gated final : public Policy {
 public:
  static constexpr std::chrono::seconds kPatience{60};

  std::string_view name() const override { return "gated"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& /*budget*/,
                                  Trace& /*trace*/) const override {
    {
      std::unique_lock lock(mutex_);
      const int number = ++begun_;
      changed_.notify_all();
      EXPECT_TRUE(changed_.wait_for(lock, kPatience,
                                    [&] { return let_through_ >= number; }));
    }
    std::vector<NodeId> nodes = view.available().Members();
    nodes.resize(request.demand.min_nodes);
    return Allocation{std::move(nodes)};
  }
  // Until so many decisions have been begun, from the first one on.
  void WaitForBegun(int number) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(
        changed_.wait_for(lock, kPatience, [&] { return begun_ >= number; }));
  }
  void LetThrough(int number) {
    const std::lock_guard lock(mutex_);
    let_through_ = number;
    changed_.notify_all();
  }
  int begun() const {
    const std::lock_guard lock(mutex_);
    return begun_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable int begun_ = 0;
  int let_through_ = 0;
};

// Takes the first nodes, without spending anything.
class FirstNodes final : public Policy {
 public:
  std::string_view name() const override { return "first-nodes"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& /*budget*/,
                                  Trace& /*trace*/) const override {
    std::vector<NodeId> nodes = view.available().Members();
    nodes.resize(request.demand.min_nodes);
    return Allocation{std::move(nodes)};
  }
};

// What happens while a decision is made.
class GatedClusterTest : public LiveClusterTest {
 protected:
  using Reply = absl::StatusOr<v1::AllocateReply>;

  GatedClusterTest() {
    const auto synced = gated_.Sync(SmallSync());
    EXPECT_TRUE(synced.ok()) << synced.status();
    gated_epoch_ = synced->epoch();
  }
  ~GatedClusterTest() override { policy_->LetThrough(1000); }

  DaemonSetup WithPolicy(DaemonSetup setup) {
    setup.policy = policy_;
    return setup;
  }
  Reply AskGated(std::uint32_t job_id, std::uint32_t nodes,
                 std::uint64_t attempt = 1) {
    return gated_.Allocate(AskFor(gated_epoch_, job_id, nodes, attempt),
                           Limits());
  }
  // The same on another thread.
  std::future<Reply> AskAside(std::uint32_t job_id, std::uint32_t nodes,
                              std::uint64_t attempt = 1) {
    return std::async(std::launch::async, [this, job_id, nodes, attempt] {
      return AskGated(job_id, nodes, attempt);
    });
  }
  absl::Status Apply(EventKind kind, const v1::Event& event) {
    return gated_.Apply(kind, event).status();
  }
  // Job 7 runs on these nodes: the client's event of that number.
  absl::Status CommitOther(std::uint64_t sequence,
                           const std::vector<int>& nodes,
                           std::int64_t now_ms = 1000) {
    return Apply(EventKind::kCommit,
                 CommitOf(gated_epoch_, sequence, 7, nodes, now_ms));
  }
  static bool IsReady(const std::future<Reply>& reply) {
    return reply.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  std::shared_ptr<Gated> policy_ = std::make_shared<Gated>();
  DaemonSetup gated_setup_ = WithPolicy(setup_);
  PolicyCache gated_policies_{gated_setup_};
  PolicyRules gated_rules_{gated_setup_, gated_policies_};
  LiveCluster gated_{"c",
                     {gated_setup_.machine, &gated_rules_, &journal_, &times_}};
  std::string gated_epoch_;
};

TEST_F(GatedClusterTest, OthersAreAnsweredWhileADecisionIsMade) {
  std::future<Reply> reply = AskAside(1, 2);
  policy_->WaitForBegun(1);
  EXPECT_TRUE(CommitOther(1, {7}).ok());
  EXPECT_EQ(gated_.Status().nodes_free(), 7U);
  ASSERT_EQ(gated_.Holdings().size(), 1U);
  EXPECT_EQ(gated_.Holdings()[0]->nodes, std::vector<NodeId>{6});
  EXPECT_TRUE(gated_.is_known());
  gated_.Tick();
  const TimeLimits limits = Limits(std::chrono::seconds(10));
  const auto preview =
      gated_.Preview(AskFor(gated_epoch_, 9, 7), FirstNodes(), limits);
  EXPECT_LT(steady_clock::now(), limits.answer_by) << "waited for it";
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_EQ(preview->nodes(), Bitmap({1, 2, 3, 4, 5, 6, 8}))
      << "nothing is held before it is decided";
  EXPECT_EQ(preview->policy(), "first-nodes");
  v1::SyncRequest sync = SmallSync({WholeHolding(8, {8})});
  sync.set_sequence(1);
  const auto synced = gated_.Sync(sync);
  ASSERT_TRUE(synced.ok()) << synced.status();
  EXPECT_EQ(synced->epoch(), gated_epoch_);
  EXPECT_EQ(synced->disagreed_size(), 1) << "job 7";
  EXPECT_TRUE(Apply(EventKind::kRelease, EventOf(gated_epoch_, 2, 8)).ok());
  EXPECT_EQ(gated_.Status().nodes_free(), 8U);
  EXPECT_FALSE(IsReady(reply));
  EXPECT_EQ(policy_->begun(), 1);
  policy_->LetThrough(1);
  const Reply answer = reply.get();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->nodes(), Bitmap({1, 2}));
  EXPECT_EQ(gated_.Holdings().size(), 1U);
}

TEST_F(GatedClusterTest, NodesTakenMeanwhileAreDecidedAnew) {
  std::future<Reply> reply = AskAside(1, 2);
  policy_->WaitForBegun(1);
  EXPECT_TRUE(CommitOther(1, {2, 3}).ok());
  policy_->LetThrough(1);
  policy_->WaitForBegun(2);
  EXPECT_FALSE(IsReady(reply));
  EXPECT_EQ(gated_.Holdings().size(), 1U);
  policy_->LetThrough(2);
  const Reply answer = reply.get();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->nodes(), Bitmap({1, 4}));
  EXPECT_EQ(policy_->begun(), 2);
  const std::vector<Holding> holdings = HoldingsOf(gated_);
  ASSERT_EQ(holdings.size(), 2U);
  EXPECT_EQ(holdings[0].nodes, (std::vector<NodeId>{0, 3}));
  EXPECT_FALSE(holdings[1].disputed);
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  const auto decisions = store_->DecisionsOf("c", 1, 9);
  ASSERT_EQ(decisions->size(), 1U) << "what was not held is not recorded";
  EXPECT_EQ(decisions->front().nodes, "n[1,4]");
}

TEST_F(GatedClusterTest, NodesTakenWhenTheTimeIsOverAreNotDecidedAnew) {
  auto reply = std::async(std::launch::async, [this] {
    return gated_.Allocate(AskFor(gated_epoch_, 1, 2),
                           {steady_clock::now() + std::chrono::seconds(1),
                            std::chrono::seconds(60)});
  });
  policy_->WaitForBegun(1);
  EXPECT_TRUE(CommitOther(1, {2}).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  policy_->LetThrough(1);
  EXPECT_TRUE(absl::IsUnavailable(reply.get().status()));
  EXPECT_EQ(policy_->begun(), 1);
  EXPECT_EQ(gated_.Holdings().size(), 1U);
}

TEST_F(GatedClusterTest, ARunReleasedMeanwhileGetsNothing) {
  std::future<Reply> reply = AskAside(1, 2);
  policy_->WaitForBegun(1);
  EXPECT_TRUE(Apply(EventKind::kRelease, EventOf(gated_epoch_, 1, 1)).ok());
  policy_->LetThrough(1);
  EXPECT_TRUE(absl::IsAborted(reply.get().status()));
  EXPECT_TRUE(gated_.Holdings().empty());
  policy_->LetThrough(2);
  EXPECT_TRUE(AskGated(2, 8).ok()) << "the next one has its turn";
}

TEST_F(GatedClusterTest, ARunCommittedMeanwhileKeepsItsNodes) {
  std::future<Reply> reply = AskAside(1, 2);
  policy_->WaitForBegun(1);
  EXPECT_TRUE(
      Apply(EventKind::kCommit, CommitOf(gated_epoch_, 1, 1, {5, 6})).ok());
  policy_->LetThrough(1);
  EXPECT_TRUE(absl::IsFailedPrecondition(reply.get().status()));
  ASSERT_EQ(gated_.Holdings().size(), 1U);
  EXPECT_EQ(gated_.Holdings()[0]->nodes, (std::vector<NodeId>{4, 5}));
}

TEST_F(GatedClusterTest, ASyncWithAnotherTableMeanwhileIsAnError) {
  std::future<Reply> reply = AskAside(1, 2);
  policy_->WaitForBegun(1);
  v1::SyncRequest sync = SmallSync();
  sync.set_hostlist(0, "n[8,1-7]");
  const auto synced = gated_.Sync(sync);
  ASSERT_TRUE(synced.ok()) << synced.status();
  EXPECT_NE(synced->epoch(), gated_epoch_);
  policy_->LetThrough(1);
  EXPECT_TRUE(absl::IsFailedPrecondition(reply.get().status()));
  EXPECT_TRUE(gated_.Holdings().empty());
}

TEST_F(GatedClusterTest, ASyncOfAnotherClientMeanwhileIsAnError) {
  std::future<Reply> reply = AskAside(1, 2);
  policy_->WaitForBegun(1);
  v1::SyncRequest sync = SmallSync();
  sync.set_client_id("q.2");
  EXPECT_TRUE(gated_.Sync(sync).ok());
  policy_->LetThrough(1);
  EXPECT_TRUE(absl::IsFailedPrecondition(reply.get().status()));
  EXPECT_TRUE(gated_.Holdings().empty());
}

TEST_F(GatedClusterTest, DecisionsThatHoldNodesAreMadeOneAtATime) {
  std::future<Reply> first = AskAside(1, 2);
  policy_->WaitForBegun(1);
  std::future<Reply> second = AskAside(2, 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(policy_->begun(), 1);
  policy_->LetThrough(1);
  policy_->WaitForBegun(2);
  policy_->LetThrough(2);
  EXPECT_EQ(first.get()->nodes(), Bitmap({1, 2}));
  EXPECT_EQ(second.get()->nodes(), Bitmap({3, 4}));
}

TEST_F(GatedClusterTest, OneThatWaitsForItsTurnTooLongIsToldSo) {
  std::future<Reply> first = AskAside(1, 2);
  policy_->WaitForBegun(1);
  EXPECT_TRUE(absl::IsUnavailable(
      gated_
          .Allocate(AskFor(gated_epoch_, 2, 2),
                    {steady_clock::now() + std::chrono::milliseconds(100),
                     std::chrono::seconds(60)})
          .status()));
  policy_->LetThrough(1);
  EXPECT_TRUE(first.get().ok());
  EXPECT_EQ(gated_.Holdings().size(), 1U);
  EXPECT_EQ(policy_->begun(), 1);
}

// What became of an earlier attempt is known once it happens, not before.
TEST_F(GatedClusterTest, AnEarlierAttemptThatExpiresMeanwhileHasExpired) {
  policy_->LetThrough(1);
  ASSERT_TRUE(AskGated(1, 2).ok());
  std::future<Reply> reply = AskAside(1, 2, 2);
  policy_->WaitForBegun(2);
  EXPECT_TRUE(CommitOther(1, {8}, 20'000).ok());
  policy_->LetThrough(2);
  ASSERT_TRUE(reply.get().ok());
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  const auto decisions = store_->DecisionsOf("c", 1, 9);
  ASSERT_EQ(decisions->size(), 2U);
  for (const StoredDecision& decision : *decisions) {
    EXPECT_EQ(decision.outcome, decision.attempt == 1 ? "expired" : "tentative")
        << decision.id;
  }
}

TEST_F(LiveClusterTest, AllocatesAtATimeGetNodesOfTheirOwn) {
  Sync("q");
  std::uint64_t sequence = 0;
  for (std::uint32_t round = 0; round < 10; ++round) {
    std::vector<std::future<absl::StatusOr<v1::AllocateReply>>> replies;
    for (std::uint32_t i = 0; i < 8; ++i) {
      replies.push_back(std::async(std::launch::async, [this, round, i] {
        return Ask(1 + 8 * round + i, 1);
      }));
    }
    std::set<std::string> bitmaps;
    for (auto& reply : replies) {
      const auto answer = reply.get();
      ASSERT_TRUE(answer.ok()) << answer.status();
      EXPECT_TRUE(answer->placed()) << answer->reason();
      EXPECT_TRUE(bitmaps.insert(answer->nodes()).second);
    }
    EXPECT_EQ(cluster_.Holdings().size(), 8U);
    for (std::uint32_t i = 0; i < 8; ++i) {
      v1::Event event = EventOf(epoch_, ++sequence, 1 + 8 * round + i);
      event.set_client_id(client_id_);
      ASSERT_TRUE(cluster_.Apply(EventKind::kRelease, event).ok());
    }
  }
}

TEST_F(LiveClusterTest, SyncOfAReplacedQueueIsRefused) {
  Sync("q.1");
  Sync("q.2");
  ASSERT_TRUE(Commit(1, 1, {1, 2}).ok());
  v1::SyncRequest late = SmallSync();
  late.set_client_id("q.1");
  EXPECT_TRUE(absl::IsAborted(cluster_.Sync(late).status()));
  EXPECT_EQ(cluster_.Holdings().size(), 1u);
}

TEST_F(LiveClusterTest, SyncOnceMoreAfterItsEventsChangesNothing) {
  Sync("q");
  ASSERT_TRUE(Commit(1, 1, {1, 2}).ok());
  Sync("q");
  EXPECT_EQ(cluster_.Holdings().size(), 1u);
  ASSERT_TRUE(Commit(2, 2, {3}).ok()) << "the next one, not a gap";
  EXPECT_EQ(cluster_.Holdings().size(), 2u);
}

TEST_F(LiveClusterTest, SyncEndsWhatAClockAheadDid) {
  constexpr std::int64_t kHourMs = 3'600'000;
  Sync("q.1");
  ASSERT_TRUE(Ask(1, 3, kHourMs).ok());
  Sync("q.2", 2000);
  ASSERT_EQ(cluster_.Holdings().size(), 1u);
  EXPECT_EQ(cluster_.Holdings()[0]->expires_ms, 12'000);
  ASSERT_TRUE(Ask(2, 1, 12'000).ok());
  EXPECT_EQ(cluster_.Holdings().size(), 1u) << "job 1 expired";
  EXPECT_EQ(cluster_.Holdings()[0]->job.job_id, 2u);
}

TEST_F(LiveClusterTest, RepeatWithNodesThatLostTheirNames) {
  Sync("q.1");
  ASSERT_TRUE(Ask(1, 2).ok());
  Sync("q.2", 1000, "n[2-8]");
  EXPECT_TRUE(absl::IsAborted(Ask(1, 2).status()));
  EXPECT_TRUE(Ask(2, 2).ok());
}

TEST_F(LiveClusterTest, RepeatIsNotRecordedAgain) {
  Sync("q");
  ASSERT_TRUE(Ask(1, 2).ok());
  ASSERT_TRUE(Commit(1, 1, {5, 6}).ok());
  ASSERT_TRUE(Ask(1, 2).ok());
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  const auto decisions = store_->DecisionsOf("c", 1, 9);
  ASSERT_EQ(decisions->size(), 1u);
  EXPECT_EQ(decisions->front().outcome, "overruled");
  EXPECT_EQ(times_.Summarise().decisions, 1u);
}

TEST_F(LiveClusterTest, RestartTakesUpWhatWasDisputedToo) {
  Sync("q");
  ASSERT_TRUE(Commit(1, 2, {1, 2}).ok());
  ASSERT_TRUE(Commit(2, 1, {2, 3}).ok());
  ASSERT_TRUE(Ask(3, 2).ok());
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  LiveCluster restarted("c", setting_);
  ASSERT_TRUE(restarted.Restore(store_->Load()->at(0)).ok());
  const std::vector<Holding> holdings = HoldingsOf(restarted);
  EXPECT_EQ(holdings, HoldingsOf(cluster_));
  ASSERT_EQ(holdings.size(), 3u);
  EXPECT_TRUE(holdings[1].disputed);
}

// On a store that cannot be written as long as it is told so.
class UnstoredClusterTest : public LiveClusterTest {
 protected:
  UnstoredClusterTest() : LiveClusterTest(std::make_unique<FakeStore>()) {
    Sync("q");
  }
  // Until the journal is full.
  void FillJournal() {
    fake_.failing = true;
    while (journal_.CheckCapacity().ok()) {
      ClusterEvent cluster_event;
      cluster_event.cluster = "c";
      cluster_event.what = Expired{{9, 0}};
      journal_.Append(std::move(cluster_event));
    }
  }

  // NOLINTNEXTLINE(*-static-cast-downcast): the constructor made it.
  FakeStore& fake_ = static_cast<FakeStore&>(*store_);
};

TEST_F(UnstoredClusterTest, AnEventIsConfirmedWhenTheStoreHasIt) {
  fake_.failing = true;
  EXPECT_TRUE(absl::IsUnavailable(Commit(1, 1, {1}).status()));
  EXPECT_TRUE(absl::IsUnavailable(Commit(1, 1, {1}).status())) << "once more";
  EXPECT_TRUE(Ask(2, 2).ok()) << "decisions do not wait for it";
  fake_.failing = false;
  EXPECT_TRUE(Commit(1, 1, {1}).ok());
  const std::lock_guard lock(fake_.mutex);
  EXPECT_EQ(fake_.jobs, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(UnstoredClusterTest, WithoutRoomNoEventIsTaken) {
  FillJournal();
  EXPECT_TRUE(absl::IsUnavailable(Commit(1, 1, {1}).status()));
  v1::AllocateRequest request = AskFor(epoch_, 2, 1);
  *request.add_events()->mutable_commit() = CommitOf("", 1, 1, {1});
  request.set_after_sequence(1);
  EXPECT_TRUE(absl::IsUnavailable(
      cluster_.Allocate(request, Limits(std::chrono::seconds(0))).status()));
  EXPECT_TRUE(cluster_.Holdings().empty());
  fake_.failing = false;
}

TEST_F(UnstoredClusterTest, WithoutRoomWhatExpiresIsNotRecorded) {
  ASSERT_TRUE(Ask(1, 2).ok());
  FillJournal();
  const Journal::Ticket full = journal_.last();
  ASSERT_TRUE(Ask(2, 8, 60'000).ok()) << "job 1 expired";
  EXPECT_EQ(journal_.last(), full);
  fake_.failing = false;
}

TEST_F(LiveClusterTest, StoredUnitsThatDoNotGoWithTheNodes) {
  StoredCluster stored;
  stored.name = "c";
  stored.node_table = "n[1-8]";
  stored.capacity.assign(8, 4);
  StoredHolding holding;
  holding.job = {7, 0};
  holding.whole = false;
  holding.nodes = "n[1-3]";
  for (const std::vector<Units>& units :
       {std::vector<Units>{}, {1, 1}, {1, 0, 1}}) {
    holding.units = units;
    stored.holdings = {holding};
    LiveCluster cluster("c", setting_);
    EXPECT_TRUE(absl::IsDataLoss(cluster.Restore(stored))) << units.size();
    EXPECT_FALSE(cluster.is_known());
  }
  holding.units = {1, 2, 1, 1};
  holding.nodes = "n[3,1-2,1]";
  stored.holdings = {holding};
  ASSERT_TRUE(cluster_.Restore(stored).ok());
  ASSERT_EQ(cluster_.Holdings().size(), 1u);
  EXPECT_EQ(cluster_.Holdings()[0]->nodes, (std::vector<NodeId>{0, 1, 2}));
  EXPECT_EQ(cluster_.Holdings()[0]->units, (std::vector<Units>{1, 1, 1}));
}

TEST_F(LiveClusterTest, OnlyKnownClustersAreFound) {
  LiveClusters clusters(setting_);
  v1::SyncRequest bad = SmallSync();
  bad.clear_hostlist();
  EXPECT_FALSE(clusters.Sync(bad).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(clusters.Find("c").status()));
  ASSERT_TRUE(clusters.Sync(SmallSync()).ok());
  EXPECT_TRUE(clusters.Find("c").ok());
  EXPECT_TRUE(clusters.Find("").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(clusters.Find("d").status()));
}

TEST_F(LiveClusterTest, ClustersThatWereRefusedTakeNoPlace) {
  LiveClusters clusters(setting_);
  v1::SyncRequest bad = SmallSync();
  bad.clear_hostlist();
  for (std::size_t i = 0; i <= LiveClusters::kMaxClusters; ++i) {
    bad.set_cluster("c" + std::to_string(i));
    EXPECT_TRUE(absl::IsInvalidArgument(clusters.Sync(bad).status())) << i;
  }
  EXPECT_TRUE(clusters.Sync(SmallSync()).ok());
  bad.set_cluster("c");
  EXPECT_FALSE(clusters.Sync(bad).ok());
  EXPECT_TRUE(clusters.Find("c").ok()) << "it was synced before";
}

}  // namespace
}  // namespace coolspan
