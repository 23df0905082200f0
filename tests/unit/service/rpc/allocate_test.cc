// SPDX-License-Identifier: GPL-3.0-or-later
// Sync, Allocate and the events, over a real connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;

class AllocateTest : public ServingTest {
 protected:
  AllocateTest() { Sync(); }
};

TEST_F(AllocateTest, PlacesCommitsReleases) {
  const v1::AllocateReply reply = Allocate(AskFor(epoch_, 1, 3));
  EXPECT_TRUE(reply.placed());
  EXPECT_EQ(reply.nodes(), Bitmap({1, 2, 3}));
  EXPECT_EQ(reply.decision_id(), "1.0.1");
  EXPECT_EQ(reply.policy(), "first-fit");
  EXPECT_EQ(Ledger(), "1 tentative n[1-3]");
  const v1::EventReply committed = Commit(CommitOf(epoch_, 1, 1, {1, 2, 3}));
  EXPECT_TRUE(committed.as_decided());
  EXPECT_FALSE(committed.sync_wanted());
  EXPECT_EQ(Ledger(), "1 committed n[1-3]");
  Good(&Stub::Release, EventOf(epoch_, 2, 1));
  EXPECT_EQ(Ledger(), "");
}

TEST_F(AllocateTest, SetsAreRespected) {
  v1::AllocateRequest request = AskFor(epoch_, 1, 3);
  request.set_candidates(Bitmap({2, 3, 4, 5, 6, 8}));
  request.set_excluded(Bitmap({3}));
  request.set_required(Bitmap({8}));
  const v1::AllocateReply reply = Allocate(request);
  ASSERT_TRUE(reply.placed()) << reply.reason();
  const auto nodes = static_cast<unsigned char>(reply.nodes()[0]);
  EXPECT_EQ(nodes & 0x80, 0x80) << "n8 is required";
  EXPECT_EQ(nodes & ~0xba, 0) << "only candidates, n3 not";
}

TEST_F(AllocateTest, NamesOfTheClusterInTheirOrder) {
  v1::SyncRequest sync = SmallSync();
  sync.clear_hostlist();
  sync.clear_capacity();
  sync.add_hostlist("login,n8,n7,n6,gpu1,n5,n4,n3,n2");  // n1 is not Slurm's
  const v1::SyncReply reply = Sync(sync);
  EXPECT_EQ(reply.unknown_nodes(), 2u);
  v1::AllocateRequest request = AskFor(epoch_, 1, 8);
  EXPECT_EQ(CodeOf(&Stub::Allocate, request), StatusCode::OK);
  EXPECT_FALSE(Allocate(request).placed()) << "n1 is nobody's to give";
  request = AskFor(epoch_, 2, 7);
  EXPECT_EQ(Allocate(request).nodes(), std::string("\xee\x01", 2));
  request = AskFor(epoch_, 3, 1);
  request.set_required(std::string("\x01\x00", 2));
  EXPECT_EQ(CodeOf(&Stub::Allocate, request), StatusCode::INVALID_ARGUMENT)
      << "login is required";
}

// Tiers of n1 to n8, from runs.
v1::AllocateRequest WithTiers(
    v1::AllocateRequest request,
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& runs) {
  for (const auto& [nodes, tier] : runs) {
    v1::TierRun& run = *request.add_tiers();
    run.set_nodes(nodes);
    run.set_tier(tier);
  }
  return request;
}

TEST_F(AllocateTest, LowerTiersAreUsedFirst) {
  const auto ask = [this](std::uint32_t job_id, std::uint32_t nodes) {
    return WithTiers(AskFor(epoch_, job_id, nodes), {{3, 9}, {2, 0}, {3, 5}});
  };
  EXPECT_EQ(Allocate(ask(1, 1)).nodes(), Bitmap({4}));
  EXPECT_EQ(Allocate(ask(2, 2)).nodes(), Bitmap({5, 6}));
  EXPECT_EQ(Allocate(ask(3, 3)).nodes(), Bitmap({3, 7, 8}));
  EXPECT_EQ(Explain(2).facts().at("preferred_nodes"), "4");
}

TEST_F(AllocateTest, TiersOfAnotherTableAreRefused) {
  for (const auto& [nodes, what] :
       {std::pair(7U, "tiers: the number of nodes differs"),
        {9U, "tiers: the number of nodes differs"},
        {0U, "tiers: run of 0 nodes"}}) {
    v1::AllocateReply reply;
    const grpc::Status status = Call(
        &Stub::Allocate, WithTiers(AskFor(epoch_, 1, 1), {{nodes, 1}}), reply);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(), HasSubstr(what));
  }
}

TEST_F(AllocateTest, ARangeTakesAsManyNodesAsAreFree) {
  v1::AllocateRequest request = AskFor(epoch_, 1, 2);
  request.set_max_nodes(5);
  request.set_up_to_max_nodes(true);
  EXPECT_EQ(Allocate(request).nodes(), Bitmap({1, 2, 3, 4, 5}));
  request.mutable_job()->set_job_id(2);
  EXPECT_EQ(Allocate(request).nodes(), Bitmap({6, 7, 8}));
}

TEST_F(AllocateTest, UsableUnits) {
  v1::AllocateRequest request = AskFor(epoch_, 1, 1);
  request.set_whole(false);
  request.set_max_nodes(9);
  request.set_units(9);
  const auto add = [&request](std::uint32_t nodes, std::uint32_t units,
                              std::uint32_t per_held) {
    v1::UsableRun& run = *request.add_usable();
    run.set_nodes(nodes);
    run.set_units(units);
    run.set_per_held(per_held);
  };
  add(4, 0, 0);
  add(4, 5, 2);
  const v1::AllocateReply reply = Allocate(request);
  EXPECT_EQ(reply.nodes(), Bitmap({5, 6}));
  add(1, 5, 2);
  v1::AllocateReply refused;
  const grpc::Status status = Call(&Stub::Allocate, request, refused);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(),
              HasSubstr("usable: the number of nodes differs"));
}

TEST_F(AllocateTest, TooFewFreeNodesIsAnAnswer) {
  Commit(CommitOf(epoch_, 1, 1, {1, 2, 3, 4, 5}));
  const v1::AllocateReply reply = Allocate(AskFor(epoch_, 2, 4));
  EXPECT_FALSE(reply.placed());
  EXPECT_FALSE(reply.reason().empty());
  EXPECT_EQ(Explain(2).outcome(), "not placed");
}

TEST_F(AllocateTest, SharedNodes) {
  v1::AllocateRequest request = AskFor(epoch_, 1, 1);
  request.set_whole(false);
  request.set_max_nodes(8);
  request.set_units(6);
  const v1::AllocateReply reply = Allocate(request);
  EXPECT_EQ(reply.nodes(), Bitmap({1, 2})) << "4 + 2 units";
  v1::Event commit = CommitOf(epoch_, 1, 1, {1, 2});
  commit.mutable_holding()->set_whole(false);
  commit.mutable_holding()->add_units(4);
  commit.mutable_holding()->add_units(2);
  EXPECT_TRUE(Commit(commit).as_decided());
  EXPECT_EQ(Allocate(AskFor(epoch_, 2, 7)).placed(), false);
  EXPECT_EQ(Allocate(AskFor(epoch_, 3, 6)).nodes(), Bitmap({3, 4, 5, 6, 7, 8}));
}

// It would wait for the event until its deadline.
TEST_F(AllocateTest, AWaitingCallDoesNotDelayTheStop) {
  v1::AllocateRequest request = AskFor(epoch_, 1, 1);
  request.set_after_sequence(99);
  std::thread waiting([&] {
    EXPECT_NE(CodeOf(&Stub::Allocate, request, 20'000), StatusCode::OK);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto begin = std::chrono::steady_clock::now();
  daemon_->Stop(std::chrono::minutes(1)).IgnoreError();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
  waiting.join();
}

TEST_F(AllocateTest, BadRequests) {
  const auto code =
      [this](const std::function<void(v1::AllocateRequest&)>& spoil) {
        v1::AllocateRequest request = AskFor(epoch_, 1, 1);
        spoil(request);
        return CodeOf(&Stub::Allocate, request);
      };
  EXPECT_EQ(code([](auto& r) { r.set_candidates("\xff\x01"); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.set_required("\xff\x01"); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.set_excluded(std::string(1 << 20, 'x')); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.set_min_nodes(0); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.set_min_nodes(9); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.set_now_ms(-5); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.set_now_ms(INT64_MAX); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.set_cluster("d"); }),
            StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(code([](auto& r) { r.set_epoch("e"); }),
            StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(Ledger(), "");
}

TEST_F(AllocateTest, BadEvents) {
  const auto code = [this](const std::function<void(v1::Event&)>& spoil) {
    v1::Event event = CommitOf(epoch_, 1, 1, {1});
    spoil(event);
    return CodeOf(&Stub::Commit, event);
  };
  EXPECT_EQ(code([](auto& e) { e.mutable_holding()->set_nodes("\xff\x01"); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& e) { e.mutable_holding()->clear_nodes(); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& e) { e.mutable_holding()->add_units(1); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& e) { e.mutable_holding()->set_whole(false); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& e) { e.set_sequence(0); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& e) { e.set_sequence(2); }), StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(code([](auto& e) { e.set_now_ms(-1); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& e) { e.set_epoch(""); }),
            StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(Ledger(), "");
  EXPECT_EQ(code([](auto&) {}), StatusCode::OK) << "number 1 was not used up";
}

TEST_F(AllocateTest, BadSyncsChangeNothing) {
  Commit(CommitOf(epoch_, 1, 1, {1, 2}));
  const auto code = [this](const std::function<void(v1::SyncRequest&)>& spoil) {
    v1::SyncRequest request = SmallSync();
    request.set_client_id("a queue not seen before");
    spoil(request);
    return CodeOf(&Stub::Sync, request);
  };
  EXPECT_EQ(code([](auto& r) { r.clear_hostlist(); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.set_hostlist(0, "n[1-8],n1"); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.set_hostlist(0, "n[1-"); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.mutable_capacity(0)->set_nodes(9); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.mutable_capacity(0)->set_units(0); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.add_holdings()->set_nodes("12345"); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.set_clock(v1::CLOCK_VIRTUAL); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code([](auto& r) { r.clear_cluster(); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Ledger(), "1 committed n[1-2]");
  EXPECT_EQ(Good(&Stub::Status, v1::StatusRequest()).clusters(0).epoch(),
            epoch_);
}

TEST_F(AllocateTest, ContradictionIsDisputedAndRequestsASync) {
  Commit(CommitOf(epoch_, 1, 1, {1, 2, 3}));
  const v1::EventReply reply = Commit(CommitOf(epoch_, 2, 2, {3, 4}));
  EXPECT_TRUE(reply.sync_wanted());
  EXPECT_FALSE(reply.as_decided());
  EXPECT_EQ(Ledger(), "1 disputed n[1-2]; 2 committed n[3-4]");
  v1::SyncRequest again = SmallSync({WholeHolding(2, {3, 4})});
  again.set_sequence(2);
  const v1::SyncReply sync = Sync(again);
  ASSERT_EQ(sync.disagreed_size(), 1);
  EXPECT_EQ(sync.disagreed(0).job_id(), 1u);
  EXPECT_EQ(Ledger(), "2 committed n[3-4]");
}

TEST_F(AllocateTest, ResizeAndSuspend) {
  Commit(CommitOf(epoch_, 1, 1, {1, 2, 3}));
  v1::Event resize = CommitOf(epoch_, 2, 1, {1, 2});
  Good(&Stub::Resize, resize);
  EXPECT_EQ(Ledger(), "1 committed n[1-2]");
  v1::Event suspend = EventOf(epoch_, 3, 1);
  suspend.set_suspended(true);
  Good(&Stub::Suspend, suspend);
  EXPECT_EQ(Ledger(), "1 suspended n[1-2]");
  EXPECT_EQ(Allocate(AskFor(epoch_, 2, 8)).nodes(), "\xff");
  suspend.set_sequence(4);
  suspend.set_suspended(false);
  Good(&Stub::Suspend, suspend);
  EXPECT_EQ(Ledger(), "1 committed n[1-2]");
}

TEST_F(AllocateTest, RepeatedCommitGetsTheSameReply) {
  Allocate(AskFor(epoch_, 1, 3));
  EXPECT_TRUE(Commit(CommitOf(epoch_, 1, 1, {1, 2, 3})).as_decided());
  EXPECT_TRUE(Commit(CommitOf(epoch_, 1, 1, {1, 2, 3})).as_decided());
}

TEST_F(AllocateTest, EventsOfAReplacedQueueChangeNothing) {
  v1::SyncRequest again = SmallSync();
  again.set_client_id("q2");
  Sync(again);
  EXPECT_TRUE(Commit(CommitOf(epoch_, 1, 1, {1})).sync_wanted());
  EXPECT_EQ(Ledger(), "");
  EXPECT_EQ(CodeOf(&Stub::Allocate, AskFor(epoch_, 1, 1)),
            StatusCode::FAILED_PRECONDITION);
}

TEST_F(AllocateTest, AllocateWaitsForEarlierEvents) {
  Commit(CommitOf(epoch_, 1, 1, {1, 2, 3, 4, 5, 6, 7, 8}));
  v1::AllocateRequest request = AskFor(epoch_, 2, 8);
  request.set_after_sequence(2);
  v1::AllocateReply reply;
  grpc::Status status;
  std::thread asking([&] { status = Call(&Stub::Allocate, request, reply); });
  Good(&Stub::Release, EventOf(epoch_, 2, 1));
  asking.join();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(reply.placed());
}

TEST_F(AllocateTest, AttachedEventsAreAppliedFirst) {
  Commit(CommitOf(epoch_, 1, 1, {1, 2, 3, 4, 5, 6, 7, 8}));
  v1::AllocateRequest request = AskFor(epoch_, 3, 4);
  request.set_after_sequence(3);
  // The first one is known already; job 2 got half of what job 1 gave up.
  *request.add_events()->mutable_commit() =
      CommitOf("", 1, 1, {1, 2, 3, 4, 5, 6, 7, 8});
  *request.add_events()->mutable_release() = EventOf("", 2, 1);
  *request.add_events()->mutable_commit() = CommitOf("", 3, 2, {1, 2, 3, 4});
  EXPECT_EQ(Allocate(request).nodes(), Bitmap({5, 6, 7, 8}));
  EXPECT_EQ(Ledger(), "2 committed n[1-4]; 3 tentative n[5-8]");
  // Their own calls come later and change nothing.
  Good(&Stub::Release, EventOf(epoch_, 2, 1));
  Commit(CommitOf(epoch_, 3, 2, {1, 2, 3, 4}));
  EXPECT_EQ(Ledger(), "2 committed n[1-4]; 3 tentative n[5-8]");
}

TEST_F(AllocateTest, AttachedEventsAreChecked) {
  v1::AllocateRequest request = AskFor(epoch_, 3, 4);
  request.add_events()->mutable_sync();
  EXPECT_EQ(CodeOf(&Stub::Allocate, request), StatusCode::INVALID_ARGUMENT);
  request.clear_events();
  *request.add_events()->mutable_commit() = CommitOf("", 1, 1, {1});
  request.mutable_events(0)->mutable_commit()->mutable_holding()->set_nodes(
      "too long");
  EXPECT_EQ(CodeOf(&Stub::Allocate, request), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Ledger(), "");
}

TEST_F(AllocateTest, AttachedEventsSurviveARestart) {
  v1::AllocateRequest request = AskFor(epoch_, 3, 4);
  request.set_after_sequence(1);
  *request.add_events()->mutable_commit() = CommitOf("", 1, 2, {1, 2});
  Allocate(request);
  Commit(CommitOf(epoch_, 1, 2, {1, 2}));
  Restart();
  EXPECT_EQ(Ledger(), "2 committed n[1-2]; 3 tentative n[3-6]");
}

TEST_F(AllocateTest, UnavailableWithoutEarlierEvents) {
  v1::AllocateRequest request = AskFor(epoch_, 2, 8);
  request.set_after_sequence(2);
  v1::AllocateReply reply;
  const grpc::Status status = Call(&Stub::Allocate, request, reply, 300);
  // On a loaded host the client's own deadline may come first.
  EXPECT_THAT(
      status.error_code(),
      ::testing::AnyOf(StatusCode::UNAVAILABLE, StatusCode::DEADLINE_EXCEEDED));
  EXPECT_EQ(Ledger(), "");
}

TEST_F(AllocateTest, PreviewChangesNothing) {
  v1::PreviewRequest preview;
  *preview.mutable_request() = AskFor(epoch_, 1, 3);
  EXPECT_EQ(Good(&Stub::Preview, preview).nodes(), Bitmap({1, 2, 3}));
  preview.set_policy("best-fit");
  preview.set_ordering("snake");
  EXPECT_EQ(Good(&Stub::Preview, preview).policy(), "best-fit");
  EXPECT_EQ(Ledger(), "");
  preview.mutable_request()->clear_epoch();
  EXPECT_EQ(CodeOf(&Stub::Preview, preview), StatusCode::OK) << "no bitmaps";
  preview.mutable_request()->set_candidates(Bitmap({1}));
  EXPECT_EQ(CodeOf(&Stub::Preview, preview), StatusCode::FAILED_PRECONDITION);
  preview.set_policy("none-fit");
  EXPECT_EQ(CodeOf(&Stub::Preview, preview), StatusCode::INVALID_ARGUMENT);
  preview.clear_policy();
  preview.set_ordering("file:/etc/passwd");
  EXPECT_EQ(CodeOf(&Stub::Preview, preview), StatusCode::INVALID_ARGUMENT);
}

// Each needed a thread once, and took it from other calls.
TEST_F(AllocateTest, HundredsThatWaitForEventsHinderNobody) {
  constexpr std::size_t kConnections = 4;
  constexpr std::size_t kCalls = 90;  // of each
  struct Waiting {
    grpc::ClientContext context;
    v1::AllocateReply reply;
    grpc::Status status;
    std::unique_ptr<grpc::ClientAsyncResponseReader<v1::AllocateReply>> reader;
  };
  std::vector<std::unique_ptr<v1::Allocator::Stub>> stubs;
  std::vector<std::unique_ptr<Waiting>> calls;
  grpc::CompletionQueue queue;
  v1::AllocateRequest request = AskFor(epoch_, 9, 1);
  request.set_after_sequence(1);
  for (std::size_t i = 0; i < kConnections; ++i) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    stubs.push_back(v1::Allocator::NewStub(grpc::CreateCustomChannel(
        daemon_->endpoints()[0], grpc::InsecureChannelCredentials(),
        arguments)));
    for (std::size_t j = 0; j < kCalls; ++j) {
      Waiting& call = *calls.emplace_back(std::make_unique<Waiting>());
      call.context.set_deadline(std::chrono::system_clock::now() +
                                std::chrono::seconds(60));
      call.reader = stubs.back()->AsyncAllocate(&call.context, request, &queue);
      call.reader->Finish(&call.reply, &call.status, &call);
    }
  }
  for (std::uint32_t job = 1; job <= 4; ++job) {
    EXPECT_TRUE(Allocate(AskFor(epoch_, job, 1)).placed());
  }
  v1::KeepAliveRequest alive;
  alive.set_cluster("c");
  alive.set_epoch(epoch_);
  EXPECT_FALSE(Good(&Stub::KeepAlive, alive).sync_wanted());
  // The same job asks again and again: one answer for all.
  Commit(CommitOf(epoch_, 1, 1, {1}));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    void* tag = nullptr;
    bool is_ok = false;
    ASSERT_TRUE(queue.Next(&tag, &is_ok));
  }
  for (const auto& call : calls) {
    EXPECT_TRUE(call->status.ok()) << call->status.error_message();
    EXPECT_EQ(call->reply.nodes(), Bitmap({5}));
  }
  queue.Shutdown();
}

}  // namespace
}  // namespace coolspan
