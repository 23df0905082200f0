// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/virtual_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "room_machine.h"
#include "unit/service/small_cluster.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

// With an ordering of the client, the last node first.
v1::SyncRequest BackwardsSync() {
  v1::SyncRequest sync = SmallSync();
  sync.set_ordering("file:backwards");
  for (std::uint32_t node = 8; node > 0; --node)
    sync.add_node_at_rank(node - 1);
  return sync;
}

// Of a session's Sync; empty: it succeeded.
std::string SyncError(VirtualCluster& session, v1::SyncRequest sync) {
  sync.set_clock(v1::CLOCK_VIRTUAL);
  v1::SessionRequest request;
  *request.mutable_sync() = std::move(sync);
  return session.Answer(request)->error().message();
}

class VirtualClusterTest : public ::testing::Test {
 protected:
  v1::SessionReply Ask(const v1::SessionRequest& request) {
    const auto reply = session_.Answer(request);
    EXPECT_TRUE(reply.has_value());
    return reply.value_or(v1::SessionReply());
  }
  v1::SyncReply Sync(v1::SyncRequest sync = SmallSync()) {
    sync.set_clock(v1::CLOCK_VIRTUAL);
    v1::SessionRequest request;
    *request.mutable_sync() = std::move(sync);
    const v1::SessionReply reply = Ask(request);
    EXPECT_TRUE(reply.has_sync()) << reply.error().message();
    epoch_ = reply.sync().epoch();
    return reply.sync();
  }
  v1::SessionReply Allocate(const v1::AllocateRequest& allocate) {
    v1::SessionRequest request;
    *request.mutable_allocate() = allocate;
    return Ask(request);
  }
  std::optional<v1::SessionReply> Commit(const v1::Event& event) {
    v1::SessionRequest request;
    *request.mutable_commit() = event;
    return session_.Answer(request);
  }
  std::optional<v1::SessionReply> Release(const v1::Event& event) {
    v1::SessionRequest request;
    *request.mutable_release() = event;
    return session_.Answer(request);
  }

  DaemonSetup setup_ = SmallSetup("/tmp");
  const CurrentConfig::Ptr config_ =
      std::make_shared<const DecisionConfig>(setup_);
  VirtualCluster session_{setup_.machine, config_};
  std::string epoch_;
};

// A search that is cancelled ends with its next portion of work.
TEST(CancelledVirtualClusterTest, SearchesEndAtOnce) {
  DaemonSetup setup = SmallSetup("/tmp");
  setup.machine = *ParseMachineFile(
      "name: m\ntopology: {kind: mesh, dims: [6, 6]}\nnodes: \"n[1-36]\"\n",
      "m.yaml");
  setup.ordering = *MakeOrdering(*setup.machine, "row-major");
  std::atomic<bool> is_cancelled = false;
  VirtualCluster session(setup.machine,
                         std::make_shared<const DecisionConfig>(setup),
                         [&] { return is_cancelled.load(); });
  v1::SessionRequest request;
  *request.mutable_sync() = SmallSync();
  request.mutable_sync()->set_hostlist(0, "n[1-36]");
  request.mutable_sync()->mutable_capacity(0)->set_nodes(36);
  request.mutable_sync()->set_clock(v1::CLOCK_VIRTUAL);
  request.mutable_sync()->set_policy("exact");
  const std::string epoch = session.Answer(request)->sync().epoch();
  for (const bool cancelled : {false, true}) {
    is_cancelled = cancelled;
    v1::SessionRequest ask;
    *ask.mutable_allocate() = AskFor(epoch, cancelled ? 2 : 1, 7);
    const auto reply = session.Answer(ask);
    ASSERT_TRUE(reply->has_allocate()) << reply->error().message();
    EXPECT_EQ(reply->allocate().stopped_early(), cancelled);
  }
}

// Commits may give nodes to any number of jobs.
TEST_F(VirtualClusterTest, HoldsABoundedNumberOfNodes) {
  Sync();
  std::uint32_t job = 0;
  std::optional<v1::SessionReply> refused;
  while (!refused.has_value() && job < 10'000) {
    ++job;
    refused = Commit(CommitOf(epoch_, job, job, {1, 2, 3}));
  }
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->error().code(),
            static_cast<int>(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(refused->error().message(), HasSubstr("hold too many nodes"));
  EXPECT_GT(job, 16U);
  EXPECT_LT(job, 64U);
  // Nothing but commits is refused, and after releases no longer those.
  for (std::uint32_t ended = 1; ended < job; ++ended) {
    EXPECT_FALSE(
        Release(CommitOf(epoch_, job + ended, ended, {1})).has_value());
  }
  EXPECT_FALSE(
      Commit(CommitOf(epoch_, 3 * job, 3 * job, {1, 2, 3})).has_value());
}

TEST_F(VirtualClusterTest, BeginsWithASync) {
  const v1::SessionReply reply = Allocate(AskFor("", 1, 1));
  EXPECT_EQ(reply.error().code(),
            static_cast<int>(absl::StatusCode::kFailedPrecondition));
  EXPECT_TRUE(Commit(CommitOf("", 1, 1, {1}))->has_error());
}

TEST_F(VirtualClusterTest, EventsAreNotAnswered) {
  Sync();
  const v1::SessionReply placed = Allocate(AskFor(epoch_, 1, 3));
  EXPECT_EQ(placed.allocate().nodes(), Bitmap({1, 2, 3}));
  EXPECT_FALSE(Commit(CommitOf(epoch_, 0, 1, {1, 2, 3})).has_value());
  EXPECT_EQ(Allocate(AskFor(epoch_, 2, 2)).allocate().nodes(), Bitmap({4, 5}));
  EXPECT_FALSE(Release(EventOf(epoch_, 0, 1)).has_value());
  EXPECT_EQ(Allocate(AskFor(epoch_, 3, 2)).allocate().nodes(), Bitmap({1, 2}));
}

TEST_F(VirtualClusterTest, AcceptsAnOrderingOfTheClient) {
  v1::SyncRequest sync = BackwardsSync();
  Sync(sync);
  EXPECT_EQ(Allocate(AskFor(epoch_, 1, 2)).allocate().nodes(), Bitmap({7, 8}));

  sync.set_clock(v1::CLOCK_VIRTUAL);
  v1::SessionRequest request;
  sync.mutable_node_at_rank()->RemoveLast();
  *request.mutable_sync() = sync;
  EXPECT_THAT(Ask(request).error().message(),
              HasSubstr("node 7 at rank 0 is not one of"));
  sync.mutable_node_at_rank()->Clear();
  sync.add_node_at_rank(0);
  *request.mutable_sync() = sync;
  EXPECT_THAT(Ask(request).error().message(),
              HasSubstr("1 node (expected the 8 of the machine)"));
  sync.mutable_node_at_rank()->Clear();
  sync.set_ordering("mip");
  *request.mutable_sync() = sync;
  EXPECT_THAT(Ask(request).error().message(),
              HasSubstr("clients can send node_at_rank"));
}

TEST_F(VirtualClusterTest, TimeComesFromTheRequests) {
  Sync();
  Allocate(AskFor(epoch_, 1, 8));
  EXPECT_FALSE(Allocate(AskFor(epoch_, 2, 1, 1, 10'999)).allocate().placed());
  EXPECT_TRUE(Allocate(AskFor(epoch_, 3, 8, 1, 11'000)).allocate().placed());
}

TEST_F(VirtualClusterTest, SyncDoesNotMoveTimeBack) {
  Sync();
  Allocate(AskFor(epoch_, 1, 8, 1, 50'000));
  Sync();  // at 1,000
  EXPECT_FALSE(Allocate(AskFor(epoch_, 2, 1, 1, 20'000)).allocate().placed());
}

TEST_F(VirtualClusterTest, SyncChoosesPolicyOrderingAndSpan) {
  v1::SyncRequest sync = SmallSync({WholeHolding(9, {3})});
  sync.set_policy("best-fit");
  sync.set_ordering("snake");
  sync.set_span("linear");
  Sync(sync);
  const v1::SessionReply reply = Allocate(AskFor(epoch_, 1, 2));
  EXPECT_EQ(reply.allocate().policy(), "best-fit");
  EXPECT_EQ(reply.allocate().nodes(), Bitmap({1, 2}));
}

TEST_F(VirtualClusterTest, BadSyncsAreAnsweredWithTheirError) {
  const auto error =
      [this](const std::function<void(v1::SyncRequest&)>& spoil) {
        v1::SyncRequest sync = SmallSync();
        sync.set_clock(v1::CLOCK_VIRTUAL);
        spoil(sync);
        v1::SessionRequest request;
        *request.mutable_sync() = sync;
        return Ask(request).error().message();
      };
  EXPECT_THAT(error([](auto& s) { s.set_policy("none-fit"); }),
              HasSubstr("none-fit"));
  EXPECT_THAT(error([](auto& s) { s.set_ordering("zigzag"); }),
              HasSubstr("zigzag"));
  EXPECT_THAT(error([](auto& s) { s.set_ordering("file:/etc/passwd"); }),
              HasSubstr("supported in the daemon file only"));
  EXPECT_THAT(error([](auto& s) { s.set_span("round"); }),
              HasSubstr("ring or linear"));
  EXPECT_THAT(error([](auto& s) { s.set_clock(v1::CLOCK_REAL); }),
              HasSubstr("CLOCK_VIRTUAL"));
  EXPECT_THAT(error([](auto& s) { s.set_now_ms(-1); }), HasSubstr("now_ms"));
  EXPECT_THAT(error([](auto& s) { s.clear_hostlist(); }),
              HasSubstr("hostlist"));
}

TEST_F(VirtualClusterTest, ErrorsDoNotEndTheSession) {
  Sync();
  v1::AllocateRequest bad = AskFor(epoch_, 1, 1);
  bad.set_candidates("\x01\x02");
  EXPECT_EQ(Allocate(bad).error().code(),
            static_cast<int>(absl::StatusCode::kInvalidArgument));
  v1::Event event = CommitOf(epoch_, 0, 1, {1});
  event.mutable_holding()->set_nodes("");
  EXPECT_TRUE(Commit(event)->has_error());
  EXPECT_TRUE(Ask(v1::SessionRequest()).has_error()) << "an empty message";
  EXPECT_TRUE(Allocate(AskFor(epoch_, 1, 1)).allocate().placed());
}

TEST_F(VirtualClusterTest, PreviewChangesNothing) {
  Sync();
  v1::SessionRequest request;
  *request.mutable_preview()->mutable_request() = AskFor(epoch_, 1, 2);
  EXPECT_EQ(Ask(request).allocate().nodes(), Bitmap({1, 2}));
  request.mutable_preview()->set_policy("free-list");
  EXPECT_EQ(Ask(request).allocate().policy(), "free-list");
  EXPECT_EQ(Allocate(AskFor(epoch_, 2, 2)).allocate().nodes(), Bitmap({1, 2}));
}

TEST_F(VirtualClusterTest, PreviewsUseTheClustersOwnOrdering) {
  Sync(BackwardsSync());
  v1::SessionRequest request;
  *request.mutable_preview()->mutable_request() = AskFor(epoch_, 1, 2);
  request.mutable_preview()->set_policy("free-list");
  EXPECT_EQ(Ask(request).allocate().nodes(), Bitmap({7, 8}));
  request.mutable_preview()->set_ordering("row-major");
  EXPECT_EQ(Ask(request).allocate().nodes(), Bitmap({1, 2}));
  request.mutable_preview()->clear_ordering();
  Sync();  // with the daemon's ordering, row-major
  request.mutable_preview()->mutable_request()->set_epoch(epoch_);
  EXPECT_EQ(Ask(request).allocate().nodes(), Bitmap({1, 2}));
}

// Without its weights this policy would need a room.
TEST_F(VirtualClusterTest, PreviewsUseTheClustersOwnPolicyWithItsNumbers) {
  v1::SyncRequest sync = SmallSync();
  sync.set_policy("bqp:alpha=1:beta=0");
  Sync(sync);
  v1::SessionRequest request;
  *request.mutable_preview()->mutable_request() = AskFor(epoch_, 1, 2);
  request.mutable_preview()->set_ordering("row-major");
  EXPECT_EQ(Ask(request).allocate().policy(), "bqp:alpha=1:beta=0")
      << Ask(request).error().message();
}

// What a matrix replay asks between a choice and its commit.
TEST_F(VirtualClusterTest, PreviewsSeeTheNodesOfTheJobsOwnChoiceAsFree) {
  Sync();
  EXPECT_EQ(Allocate(AskFor(epoch_, 1, 3)).allocate().nodes(),
            Bitmap({1, 2, 3}));
  v1::SessionRequest request;
  *request.mutable_preview()->mutable_request() = AskFor(epoch_, 1, 3);
  request.mutable_preview()->set_policy("free-list");
  EXPECT_EQ(Ask(request).allocate().nodes(), Bitmap({1, 2, 3}));
  EXPECT_FALSE(Commit(CommitOf(epoch_, 0, 1, {1, 2, 3})).has_value());
}

TEST_F(VirtualClusterTest, UnknownPreviewsAreRefused) {
  Sync();
  v1::SessionRequest request;
  *request.mutable_preview()->mutable_request() = AskFor(epoch_, 1, 2);
  request.mutable_preview()->set_policy("bestfit");
  EXPECT_THAT(Ask(request).error().message(), HasSubstr("known policies"));
  request.mutable_preview()->set_policy("best-fit");
  request.mutable_preview()->set_ordering("file:/etc/passwd");
  EXPECT_THAT(Ask(request).error().message(),
              HasSubstr("supported in the daemon file only"));
}

TEST_F(VirtualClusterTest, SessionsDoNotSeeEachOther) {
  Sync();
  Allocate(AskFor(epoch_, 1, 8));
  VirtualCluster other(setup_.machine, config_);
  v1::SyncRequest sync = SmallSync();
  sync.set_clock(v1::CLOCK_VIRTUAL);
  v1::SessionRequest request;
  *request.mutable_sync() = sync;
  EXPECT_TRUE(other.Answer(request)->has_sync());
  *request.mutable_allocate() = AskFor(epoch_, 1, 8);
  EXPECT_TRUE(other.Answer(request)->allocate().placed());
}

TEST_F(VirtualClusterTest, HasTheIdleNodesItAsksFor) {
  Room::Description room = RoomDescription(8, 8, RandomHeat(8, 0.001, 1));
  setup_.machine = InRoom(*setup_.machine, room);
  VirtualCluster roomy(setup_.machine, config_);
  v1::SyncRequest sync = SmallSync();
  sync.set_idle("perhaps");
  EXPECT_THAT(SyncError(roomy, sync),
              HasSubstr("idle: \"perhaps\" (expected on, off"));
  sync.set_idle("off");
  sync.set_room_fingerprint(7);
  EXPECT_THAT(SyncError(roomy, sync), HasSubstr("has another thermal section"));
  sync.set_room_fingerprint(setup_.machine->room()->Fingerprint());
  EXPECT_EQ(SyncError(roomy, sync), "");
  EXPECT_EQ(SyncError(roomy, sync), "") << "a second Sync says the same";
  sync.set_idle("on");
  EXPECT_THAT(SyncError(roomy, sync),
              HasSubstr("cannot change after the first Sync"));
}

TEST_F(VirtualClusterTest, DecidesWithoutTheRoomWhereTheClientHasNone) {
  setup_.machine =
      InRoom(*setup_.machine, RoomDescription(8, 8, RandomHeat(8, 0.001, 1)));
  VirtualCluster roomy(setup_.machine, config_);
  v1::SyncRequest sync = SmallSync();
  sync.set_without_room(true);
  sync.set_idle("on");
  EXPECT_THAT(SyncError(roomy, sync), HasSubstr("without_room: with idle or"));
  sync.clear_idle();
  sync.set_policy("mpit");
  EXPECT_THAT(SyncError(roomy, sync), HasSubstr("needs the thermal data"));
  sync.set_without_room(false);
  EXPECT_EQ(SyncError(roomy, sync), "");
  sync.set_without_room(true);
  EXPECT_THAT(SyncError(roomy, sync),
              HasSubstr("without_room: cannot change after the first Sync"));
}

TEST_F(VirtualClusterTest, SecondSyncWithoutTheRoomSaysTheSame) {
  setup_.machine =
      InRoom(*setup_.machine, RoomDescription(8, 8, RandomHeat(8, 0.001, 1)));
  VirtualCluster roomy(setup_.machine, config_);
  v1::SessionRequest request;
  *request.mutable_sync() = SmallSync();
  request.mutable_sync()->set_clock(v1::CLOCK_VIRTUAL);
  request.mutable_sync()->set_without_room(true);
  EXPECT_TRUE(roomy.Answer(request)->has_sync());
  EXPECT_TRUE(roomy.Answer(request)->has_sync());
  request.mutable_sync()->set_without_room(false);
  EXPECT_THAT(roomy.Answer(request)->error().message(),
              HasSubstr("without_room: cannot change after the first Sync"));
}

TEST_F(VirtualClusterTest, WithoutARoomNothingIsIdle) {
  v1::SessionRequest request;
  *request.mutable_sync() = SmallSync();
  request.mutable_sync()->set_clock(v1::CLOCK_VIRTUAL);
  request.mutable_sync()->set_idle("on");
  EXPECT_THAT(Ask(request).error().message(),
              HasSubstr("has no thermal section"));
  request.mutable_sync()->clear_idle();
  request.mutable_sync()->set_room_fingerprint(7);
  EXPECT_THAT(Ask(request).error().message(),
              HasSubstr("has no thermal section"));
}

TEST_F(VirtualClusterTest, SharesAreFromZeroToOne) {
  Sync();
  v1::AllocateRequest allocate = AskFor(epoch_, 1, 3);
  allocate.set_communication_share(1.5F);
  EXPECT_THAT(Allocate(allocate).error().message(),
              HasSubstr("communication_share: 1.5 (expected"));
  allocate.set_communication_share(1);
  EXPECT_TRUE(Allocate(allocate).allocate().placed());
  v1::Event commit = CommitOf(epoch_, 0, 1, {1, 2, 3});
  commit.mutable_holding()->set_communication_share(std::nanf(""));
  EXPECT_THAT(Commit(commit)->error().message(),
              HasSubstr("holding.communication_share: nan (expected"));
}

}  // namespace
}  // namespace coolspan
