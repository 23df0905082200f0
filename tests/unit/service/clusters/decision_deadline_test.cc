// SPDX-License-Identifier: GPL-3.0-or-later
// Decisions that take all the time they have.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "unit/service/clusters/first_nodes.h"
#include "unit/service/clusters/live_cluster_test.h"

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
    return FirstNodes(view, request);
  }
  mutable std::atomic<int> asked = 0;
};

TEST_F(LiveClusterTest, HoldsNothingAfterTheDeadline) {
  Sync("q");
  const auto reply = AnswerOf(cluster_, AskFor(epoch_, 1, 3),
                              Limits(std::chrono::seconds(-1)));
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

  int Begun() const {
    // NOLINTNEXTLINE(*-static-cast-downcast): WithThorough made it.
    return static_cast<const Thorough&>(*thorough_setup_.policy).asked;
  }

  DaemonSetup thorough_setup_ = WithThorough(setup_);
  CurrentConfig thorough_config_{
      std::make_shared<const DecisionConfig>(thorough_setup_)};
  LiveCluster thorough_{
      "c", {thorough_setup_.machine, &thorough_config_, &journal_, &times_}};
};

TEST_F(ThoroughClusterTest, AnswerAtTheDeadlineIsMarked) {
  const auto synced = thorough_.Sync(SmallSync());
  ASSERT_TRUE(synced.ok()) << synced.status();
  const auto reply = AnswerOf(thorough_, AskFor(synced->epoch(), 1, 3),
                              {steady_clock::now() + std::chrono::seconds(60),
                               std::chrono::milliseconds(20)});
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->placed());
  EXPECT_TRUE(reply->stopped_early());
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  const auto decisions = archive_->DecisionsOf("c", 1, 9);
  ASSERT_EQ(decisions->size(), 1u);
  EXPECT_TRUE(decisions->front().stopped_early);
  std::ifstream log(folder_.File("log.txt"));
  const std::string lines{std::istreambuf_iterator<char>(log), {}};
  EXPECT_NE(lines.find("\"stopped_early\":true"), std::string::npos) << lines;
}

// However long it waited for an event, some of what is left then is kept for
// what the search does when its time is over.
TEST_F(ThoroughClusterTest, LateSearchAnswersInTime) {
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
  const auto reply = AnswerOf(thorough_, request, limits);
  EXPECT_LT(steady_clock::now(), limits.answer_by);
  late.join();
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->stopped_early());
}

// Else the removal of a cluster, and the end of the daemon, would wait.
TEST_F(ThoroughClusterTest, TheEndOfAClusterEndsASearch) {
  const auto synced = thorough_.Sync(SmallSync());
  ASSERT_TRUE(synced.ok()) << synced.status();
  const TimeLimits limits = Limits();
  std::thread remover([&] {
    while (Begun() == 0) std::this_thread::yield();
    EXPECT_TRUE(thorough_.End("a test", true).ok());
  });
  const auto reply = AnswerOf(thorough_, AskFor(synced->epoch(), 1, 3), limits);
  EXPECT_LT(steady_clock::now() + limits.decision / 2, limits.answer_by);
  EXPECT_TRUE(absl::IsFailedPrecondition(reply.status())) << reply.status();
  remover.join();
}

class Throws final : public Policy {
 public:
  std::string_view name() const override { return "throws"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& /*budget*/,
                                  Trace& /*trace*/) const override {
    if (++asked == 1) throw std::bad_alloc();
    return FirstNodes(view, request);
  }
  mutable std::atomic<int> asked = 0;
};

TEST_F(LiveClusterTest, AnExceptionOfAPolicyFailsItsDecisionOnly) {
  DaemonSetup setup = setup_;
  setup.policy = std::make_shared<Throws>();
  const CurrentConfig config(std::make_shared<const DecisionConfig>(setup));
  LiveCluster cluster("c", {setup.machine, &config, &journal_, &times_});
  const auto synced = cluster.Sync(SmallSync());
  ASSERT_TRUE(synced.ok()) << synced.status();
  const auto failed =
      AnswerOf(cluster, AskFor(synced->epoch(), 1, 2), Limits());
  EXPECT_TRUE(absl::IsInternal(failed.status())) << failed.status();
  EXPECT_TRUE(cluster.Holdings().empty());
  const auto next = AnswerOf(cluster, AskFor(synced->epoch(), 2, 2), Limits());
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_TRUE(next->placed());
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

// Records the scheduling policy of the thread that searches.
class Scheduled final : public Policy {
 public:
  std::string_view name() const override { return "scheduled"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& /*budget*/,
                                  Trace& /*trace*/) const override {
    scheduler = sched_getscheduler(0);
    return FirstNodes(view, request);
  }
  mutable std::atomic<int> scheduler = -1;
};

TEST_F(LiveClusterTest, APreviewSearchesAtIdlePriority) {
  Sync("q");
  const Scheduled policy;
  v1::AllocateRequest request = AskFor(epoch_, 9, 2);
  ASSERT_TRUE(cluster_.Preview(request, policy, Limits()).ok());
  EXPECT_EQ(policy.scheduler, SCHED_IDLE);
}

TEST_F(LiveClusterTest, APreviewThatIsStoppedEnds) {
  Sync("q");
  const Thorough policy;
  const auto reply =
      cluster_.Preview(AskFor(epoch_, 9, 2), policy, Limits(),
                       {&steady_clock::now, [] { return true; }});
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->stopped_early());
}

}  // namespace
}  // namespace coolspan
