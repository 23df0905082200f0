// SPDX-License-Identifier: GPL-3.0-or-later
// Repeated, late, reordered, expired and malformed calls on a running
// coolspand. allocator.proto specifies the expected results.
#include "integration/wire_semantics_test.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "client/session.h"

namespace coolspan {
namespace {

TEST_F(WireSemanticsTest, RepeatedAllocateReturnsTheSameDecision) {
  const v1::AllocateReply first = Placed(Request(1, 1, 3));
  const v1::AllocateReply again = Placed(Request(1, 1, 3));
  EXPECT_EQ(first.nodes(), again.nodes());
  EXPECT_EQ(first.decision_id(), again.decision_id());
  EXPECT_EQ(CountNodes(first.nodes()), 3);
}

TEST_F(WireSemanticsTest, RepeatAfterCommitReturnsTheSameDecision) {
  const v1::AllocateReply first = Placed(Request(1, 1, 3));
  EXPECT_TRUE(Commit(CommitOf(1, first.nodes(), 1)).ok());
  EXPECT_EQ(Placed(Request(1, 1, 3)).nodes(), first.nodes());
}

TEST_F(WireSemanticsTest, NewAttemptReplacesTheEarlierOne) {
  Placed(Request(1, 1, 10));
  Placed(Request(1, 2, 10));  // would not fit in addition to the first
  EXPECT_EQ(Ledger().size(), 1u);
}

TEST_F(WireSemanticsTest, OlderAttemptIsAborted) {
  Placed(Request(1, 5, 2));
  EXPECT_EQ(CodeOf(Request(1, 4, 2)), grpc::StatusCode::ABORTED);
}

TEST_F(WireSemanticsTest, TentativeNodesAreReservedForTenSeconds) {
  const v1::AllocateReply first = Placed(Request(1, 1, 10));
  v1::AllocateReply other;
  ASSERT_TRUE(Allocate(Request(2, 1, 10, kNowMs + 9'999), other).ok());
  EXPECT_FALSE(other.placed());
  EXPECT_FALSE(other.reason().empty());
  const v1::AllocateReply small = Placed(Request(3, 1, 6, kNowMs + 9'999));
  EXPECT_FALSE(Overlap(first.nodes(), small.nodes()));
}

TEST_F(WireSemanticsTest, ExpiredAttemptIsAbortedAndItsNodesAreFree) {
  Placed(Request(1, 1, 16));
  Placed(Request(2, 1, 16, kNowMs + 10'001));
  EXPECT_EQ(CodeOf(Request(1, 1, 16, kNowMs + 10'002)),
            grpc::StatusCode::ABORTED);
}

TEST_F(WireSemanticsTest, CommitAfterExpiryIsApplied) {
  const v1::AllocateReply first = Placed(Request(1, 1, 4));
  v1::Event late = CommitOf(1, first.nodes(), 1);
  late.set_now_ms(kNowMs + 60'000);
  EXPECT_TRUE(Commit(late).ok());
  EXPECT_EQ(Ledger(), (Jobs{{1, "committed n[01-04]"}}));
}

TEST_F(WireSemanticsTest, RepeatedEventsChangeNothing) {
  EXPECT_TRUE(Commit(CommitOf(1, Bitmap(0, 4), 1)).ok());
  EXPECT_TRUE(Commit(CommitOf(1, Bitmap(0, 4), 1)).ok());
  EXPECT_TRUE(Release(EventOf(1, 2)).ok());
  EXPECT_TRUE(Commit(CommitOf(1, Bitmap(0, 4), 1)).ok()) << "late repeat";
  EXPECT_EQ(Ledger(), Jobs());
  EXPECT_TRUE(Release(EventOf(1, 2)).ok());
  EXPECT_TRUE(Release(EventOf(1, 3)).ok()) << "of a released job";
  EXPECT_EQ(Ledger(), Jobs());
}

TEST_F(WireSemanticsTest, EventThatSkipsASequenceNumberIsRefused) {
  EXPECT_EQ(Release(EventOf(1, 2)).error_code(),
            grpc::StatusCode::OUT_OF_RANGE);
  EXPECT_TRUE(Commit(CommitOf(1, Bitmap(0, 4), 1)).ok());
  EXPECT_EQ(Ledger(), (Jobs{{1, "committed n[01-04]"}}));
  EXPECT_TRUE(Release(EventOf(1, 2)).ok());
  EXPECT_EQ(Ledger(), Jobs());
}

TEST_F(WireSemanticsTest, EventOfAReplacedQueueChangesNothing) {
  const v1::Event late = CommitOf(1, Bitmap(0, 4), 1);
  Sync("queue-2", {HoldingOf(2, Bitmap(0, 2))});
  v1::EventReply reply;
  EXPECT_TRUE(Commit(late, &reply).ok());
  EXPECT_EQ(Ledger(), (Jobs{{2, "committed n[01-02]"}}));
}

TEST_F(WireSemanticsTest, AllocateWaitsForEarlierEvents) {
  EXPECT_TRUE(Commit(CommitOf(1, Bitmap(0, 16), 1)).ok());
  v1::AllocateRequest request = Request(2, 1, 16);
  request.set_after_sequence(2);
  v1::AllocateReply reply;
  grpc::Status status;
  std::thread caller([&] { status = Allocate(request, reply); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(Release(EventOf(1, 2)).ok());
  caller.join();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(reply.placed());
}

TEST_F(WireSemanticsTest, AllocateAppliesAttachedEventsOnce) {
  v1::AllocateRequest request = Request(3, 1, 12);
  *request.add_events()->mutable_commit() = CommitOf(1, Bitmap(0, 16), 1);
  *request.add_events()->mutable_release() = EventOf(1, 2);
  *request.add_events()->mutable_commit() = CommitOf(2, Bitmap(0, 4), 3);
  request.set_after_sequence(3);
  EXPECT_EQ(Placed(request).nodes(), Bitmap(4, 12));
  EXPECT_TRUE(Commit(CommitOf(1, Bitmap(0, 16), 1)).ok()) << "separate call";
  EXPECT_EQ(Placed(request).nodes(), Bitmap(4, 12)) << "repeated";
  EXPECT_TRUE(Release(EventOf(1, 2)).ok());
  EXPECT_TRUE(Commit(CommitOf(2, Bitmap(0, 4), 3)).ok());
  EXPECT_EQ(Ledger(),
            (Jobs{{2, "committed n[01-04]"}, {3, "tentative n[05-16]"}}));
}

TEST_F(WireSemanticsTest, AttachedEventCanBeRepeatedAfterAKill) {
  v1::AllocateRequest request = Request(2, 1, 4);
  *request.add_events()->mutable_commit() = CommitOf(1, Bitmap(0, 4), 1);
  request.set_after_sequence(1);
  Placed(request);
  daemon_.Signal(SIGKILL);
  daemon_.Start();
  stub_ = daemon_.Connect();
  const grpc::Status again = Commit(CommitOf(1, Bitmap(0, 4), 1));
  EXPECT_TRUE(again.ok()) << again.error_message();
  EXPECT_EQ(Ledger().at(1), "committed n[01-04]");
}

TEST_F(WireSemanticsTest, AllocateIsUnavailableWithoutEarlierEvents) {
  v1::AllocateRequest request = Request(2, 1, 1);
  request.set_after_sequence(3);
  v1::AllocateReply reply;
  const auto code = Allocate(request, reply, 200).error_code();
  // At the deadline, gRPC's client may return its own error first.
  EXPECT_TRUE(code == grpc::StatusCode::UNAVAILABLE ||
              code == grpc::StatusCode::DEADLINE_EXCEEDED)
      << code;
  EXPECT_EQ(Ledger(), Jobs());
}

TEST_F(WireSemanticsTest, StaleEpochIsRefused) {
  v1::AllocateRequest request = Request(1, 1, 1);
  v1::Event event = CommitOf(1, Bitmap(0, 1), 1);
  request.set_epoch("stale");
  event.set_epoch("stale");
  EXPECT_EQ(CodeOf(request), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(Commit(event).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(Ledger(), Jobs());
}

TEST_F(WireSemanticsTest, NewNodeTableHasANewEpoch) {
  const std::string before = epoch_;
  Sync("queue-2", {}, "n[16,01-15]");
  EXPECT_NE(epoch_, before);
  const v1::AllocateReply reply = Placed(Request(1, 1, 1));
  EXPECT_EQ(reply.nodes(), Bitmap(1, 1))
      << "first-fit uses n01, which is bit 1";
}

TEST_F(WireSemanticsTest, BitmapsOfWrongLengthAreRefused) {
  for (const std::string& bitmap :
       {std::string(1, '\xff'), std::string(3, '\xff'),
        std::string(100'000, '\xff')}) {
    v1::AllocateRequest request = Request(1, 1, 1);
    request.set_candidates(bitmap);
    v1::AllocateReply reply;
    const grpc::Status status = Allocate(request, reply);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_FALSE(status.error_message().empty());
    EXPECT_EQ(Commit(CommitOf(1, bitmap, 1)).error_code(),
              grpc::StatusCode::INVALID_ARGUMENT);
  }
  EXPECT_EQ(Ledger(), Jobs());
  Placed(Request(1, 1, 1));
}

TEST_F(WireSemanticsTest, CandidatesRequiredAndExcludedAreRespected) {
  v1::AllocateRequest request = Request(1, 1, 3);
  request.set_candidates(Bitmap(4, 8));
  request.set_required(Bitmap(9, 1));
  request.set_excluded(Bitmap(4, 2));
  const std::string nodes = Placed(request).nodes();
  EXPECT_EQ(CountNodes(nodes), 3);
  EXPECT_TRUE(Overlap(nodes, Bitmap(9, 1)));
  EXPECT_FALSE(Overlap(nodes, Bitmap(0, 6)));
  EXPECT_FALSE(Overlap(nodes, Bitmap(12, 4)));
}

TEST_F(WireSemanticsTest, CommitThatContradictsTheLedgerIsApplied) {
  EXPECT_TRUE(Commit(CommitOf(1, Bitmap(0, 4), 1)).ok());
  v1::EventReply reply;
  EXPECT_TRUE(Commit(CommitOf(2, Bitmap(2, 4), 2), &reply).ok());
  EXPECT_TRUE(reply.sync_wanted());
  const Jobs ledger = Ledger();
  EXPECT_EQ(ledger.at(1).substr(0, 8), "disputed");
  EXPECT_EQ(ledger.at(2), "committed n[03-06]");
  Sync("queue-2", {HoldingOf(2, Bitmap(2, 4))});
  EXPECT_EQ(Ledger(), (Jobs{{2, "committed n[03-06]"}}));
}

TEST_F(WireSemanticsTest, CommitReturnsWhetherItIsAsDecided) {
  const v1::AllocateReply first = Placed(Request(1, 1, 2));
  v1::EventReply reply;
  EXPECT_TRUE(Commit(CommitOf(1, first.nodes(), 1), &reply).ok());
  EXPECT_TRUE(reply.as_decided());
  Placed(Request(2, 1, 2));
  reply.Clear();
  EXPECT_TRUE(Commit(CommitOf(2, Bitmap(10, 2), 2), &reply).ok());
  EXPECT_FALSE(reply.as_decided());
  EXPECT_EQ(Ledger().at(2), "committed n[11-12]");
}

TEST_F(WireSemanticsTest, PreviewChangesNothing) {
  v1::PreviewRequest preview;
  *preview.mutable_request() = Request(1, 1, 16);
  grpc::ClientContext context;
  SetDeadline(context);
  v1::AllocateReply reply;
  const grpc::Status status = stub_->Preview(&context, preview, &reply);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(reply.placed());
  EXPECT_EQ(Ledger(), Jobs());
  EXPECT_EQ(Placed(Request(1, 1, 16)).nodes(), reply.nodes());
}

TEST_F(WireSemanticsTest, KillLosesNothingCommitted) {
  Jobs expected;
  std::uint64_t sequence = 0;
  for (std::uint32_t round = 0; round < 5; ++round) {
    const std::uint32_t job = round + 1;
    EXPECT_TRUE(Commit(CommitOf(job, Bitmap(round * 3, 3), ++sequence)).ok());
    if (round % 2 == 1) {
      EXPECT_TRUE(Release(EventOf(job - 1, ++sequence)).ok());
    }
    expected = Ledger();
    daemon_.Signal(SIGKILL);
    daemon_.Start();
    stub_ = daemon_.Connect();
    EXPECT_EQ(Ledger(), expected) << "after kill " << round;
    // The reply may have been lost: the client repeats the event.
    const grpc::Status again = Commit(CommitOf(
        job, Bitmap(round * 3, 3), round % 2 == 1 ? sequence - 1 : sequence));
    EXPECT_TRUE(again.ok() ||
                again.error_code() == grpc::StatusCode::FAILED_PRECONDITION)
        << again.error_message();
    EXPECT_EQ(Ledger(), expected);
    if (!again.ok()) {  // the daemon requires a Sync
      std::vector<v1::Holding> holdings;
      for (std::uint32_t held = 1; held <= job; ++held) {
        if (expected.count(held) != 0) {
          holdings.push_back(HoldingOf(held, Bitmap((held - 1) * 3, 3)));
        }
      }
      Sync("queue-after-" + std::to_string(round), holdings);
      sequence = 0;
    }
  }
}

TEST_F(WireSemanticsTest, VirtualClustersDoNotChangeRealOnes) {
  EXPECT_TRUE(Commit(CommitOf(1, Bitmap(0, 4), 1)).ok());
  auto session = Session::Open(daemon_.endpoint());
  ASSERT_TRUE(session.ok()) << session.status();
  v1::SyncRequest sync = SyncOf();
  sync.set_cluster("real");
  ASSERT_TRUE((*session)->Sync(sync).ok());
  v1::AllocateRequest request;
  request.mutable_job()->set_job_id(7);
  request.set_attempt(1);
  request.set_min_nodes(16);
  request.set_whole(true);
  const auto reply = (*session)->Allocate(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->placed());
  EXPECT_EQ(Ledger(), (Jobs{{1, "committed n[01-04]"}}));
}

}  // namespace
}  // namespace coolspan
