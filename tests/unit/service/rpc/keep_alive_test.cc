// SPDX-License-Identifier: GPL-3.0-or-later
// KeepAlive and unavailable nodes over a real connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;

class KeepAliveTest : public ServingTest {
 protected:
  KeepAliveTest() {
    v1::SyncRequest sync = SmallSync({WholeHolding(1, {1, 2})});
    sync.set_unavailable(Bitmap({2, 3}));
    Sync(sync);
  }

  v1::KeepAliveRequest Report(const std::string& unavailable) const {
    v1::KeepAliveRequest request;
    request.set_cluster("c");
    request.set_epoch(epoch_);
    request.set_unavailable(unavailable);
    return request;
  }
  bool KeepAlive(const v1::KeepAliveRequest& request) {
    return !Good(&Stub::KeepAlive, request).sync_wanted();
  }
  v1::ClusterStatus Status() {
    return Good(&Stub::Status, v1::StatusRequest()).clusters(0);
  }
  // The nodes for a job of as many as are available.
  std::string Preview(const v1::AllocateRequest& request) {
    v1::PreviewRequest preview;
    *preview.mutable_request() = request;
    return Good(&Stub::Preview, preview).nodes();
  }
};

TEST_F(KeepAliveTest, UnavailableNodesAreNotFree) {
  EXPECT_EQ(Status().nodes_unavailable(), 2u);
  EXPECT_EQ(Status().nodes_free(), 5u);
  const v1::JobsReply jobs = Good(&Stub::Jobs, v1::JobsRequest());
  EXPECT_THAT(jobs.unavailable_ids(), ElementsAre(1, 2));
  EXPECT_EQ(jobs.unavailable_hostlist(), "n[2-3]");
  EXPECT_TRUE(KeepAlive(Report(Bitmap({3, 8}))));
  EXPECT_EQ(Status().nodes_free(), 4u);
  EXPECT_TRUE(KeepAlive(Report("")));
  EXPECT_EQ(Status().nodes_free(), 6u);
  EXPECT_EQ(Status().nodes_unavailable(), 0u);
  v1::KeepAliveRequest unchanged = Report("");
  EXPECT_TRUE(KeepAlive(Report(Bitmap({8}))));
  unchanged.clear_unavailable();
  EXPECT_TRUE(KeepAlive(unchanged));
  EXPECT_EQ(Status().nodes_unavailable(), 1u);
}

TEST_F(KeepAliveTest, AreOfferedOnlyByName) {
  v1::AllocateRequest request = AskFor(epoch_, 2, 2);
  request.clear_candidates();
  EXPECT_EQ(Preview(request), Bitmap({4, 5}));
  request.set_excluded(Bitmap({4}));
  EXPECT_EQ(Preview(request), Bitmap({5, 6}));
  request.clear_excluded();
  request.set_candidates(Bitmap({3, 4, 5}));
  EXPECT_EQ(Preview(request), Bitmap({3, 4})) << "the node has returned";
  EXPECT_EQ(Allocate(request).nodes(), Bitmap({3, 4}));
}

TEST_F(KeepAliveTest, WrongBitmapsChangeNothing) {
  EXPECT_EQ(CodeOf(&Stub::KeepAlive, Report("\x01\x01")),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Status().nodes_unavailable(), 2u);
  v1::SyncRequest sync = SmallSync();
  sync.set_unavailable("\x01\x01");
  EXPECT_EQ(CodeOf(&Stub::Sync, sync), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Status().nodes_unavailable(), 2u);
  EXPECT_EQ(Ledger(), "1 committed n[1-2]");
}

TEST_F(KeepAliveTest, AsksForASync) {
  v1::KeepAliveRequest request = Report(Bitmap({8}));
  request.set_epoch("other");
  EXPECT_FALSE(KeepAlive(request));
  EXPECT_EQ(Status().nodes_unavailable(), 2u) << "of another node table";
  request = Report(Bitmap({8}));
  request.set_cluster("unknown");
  EXPECT_FALSE(KeepAlive(request));
  Restart();
  EXPECT_FALSE(KeepAlive(Report(Bitmap({8}))));
  EXPECT_EQ(Status().nodes_unavailable(), 0u);
  Sync();
  EXPECT_TRUE(KeepAlive(Report(Bitmap({8}))));
}

TEST_F(KeepAliveTest, TellsAClientThatAnotherOneHasSynced) {
  v1::KeepAliveRequest request = Report("");
  request.set_client_id("q");
  EXPECT_TRUE(KeepAlive(request));
  v1::SyncRequest other = SmallSync({WholeHolding(7, {1, 2, 3})});
  other.set_client_id("other");
  Good(&Stub::Sync, other);
  request.set_unavailable(Bitmap({8}));
  const v1::KeepAliveReply reply = Good(&Stub::KeepAlive, request);
  EXPECT_TRUE(reply.sync_wanted());
  EXPECT_TRUE(reply.replaced());
  EXPECT_EQ(Status().nodes_unavailable(), 0u) << "of the other's Sync";
  request.set_client_id("other");
  EXPECT_TRUE(KeepAlive(request));
}

TEST_F(KeepAliveTest, LongClientIdsAreRefused) {
  const std::string id(256, 'x');
  v1::SyncRequest sync = SmallSync();
  sync.set_client_id(id);
  EXPECT_EQ(CodeOf(&Stub::Sync, sync), StatusCode::INVALID_ARGUMENT);
  v1::AllocateRequest ask = AskFor(epoch_, 2, 1);
  ask.set_client_id(id);
  EXPECT_EQ(CodeOf(&Stub::Allocate, ask), StatusCode::INVALID_ARGUMENT);
  v1::Event event = EventOf(epoch_, 1, 1);
  event.set_client_id(id);
  EXPECT_EQ(CodeOf(&Stub::Release, event), StatusCode::INVALID_ARGUMENT);
  event.set_client_id(id.substr(1));
  Good(&Stub::Release, event);
}

TEST_F(KeepAliveTest, ErrorsQuoteABeginningOfLongNames) {
  v1::AllocateRequest ask = AskFor(std::string(4'000, 'x'), 2, 1);
  EXPECT_EQ(CodeOf(&Stub::Allocate, ask), StatusCode::FAILED_PRECONDITION);
  ask.set_cluster(std::string(4'000, 'x'));
  EXPECT_EQ(CodeOf(&Stub::Allocate, ask), StatusCode::FAILED_PRECONDITION);
  ask.set_cluster(std::string(100'000, 'x'));
  EXPECT_EQ(CodeOf(&Stub::Allocate, ask), StatusCode::INVALID_ARGUMENT);
}

TEST_F(KeepAliveTest, NodesThatTheMachineLacksAreCounted) {
  EXPECT_EQ(Status().nodes_unknown(), 0u);
  v1::SyncRequest sync = SmallSync();
  sync.set_client_id("larger");
  sync.add_hostlist("x[1-3]");
  sync.mutable_capacity(0)->set_nodes(11);
  Good(&Stub::Sync, sync);
  EXPECT_EQ(Status().nodes_unknown(), 3u);
}

TEST_F(KeepAliveTest, ShowsThatTheClientIsConnected) {
  EXPECT_TRUE(Status().has_contact_age_ms());
  Restart();
  EXPECT_FALSE(Status().has_contact_age_ms());
  KeepAlive(Report(""));
  EXPECT_TRUE(Status().has_contact_age_ms());
  EXPECT_LT(Status().contact_age_ms(), 60'000);
}

TEST_F(KeepAliveTest, WatchersSeeChanges) {
  grpc::ClientContext context;
  auto reader = stub_->Watch(&context, v1::WatchRequest());
  reader->WaitForInitialMetadata();
  KeepAlive(Report(Bitmap({2, 3})));
  KeepAlive(Report(Bitmap({8})));
  KeepAlive(Report(""));
  v1::Happening happening;
  // The Sync may still be on its way to the watchers.
  do {
    ASSERT_TRUE(reader->Read(&happening));
  } while (happening.what_case() == v1::Happening::kSyncedEpoch);
  EXPECT_EQ(happening.unavailable_hostlist(), "n8") << "the first change";
  ASSERT_TRUE(reader->Read(&happening));
  EXPECT_EQ(happening.what_case(), v1::Happening::kUnavailableHostlist);
  EXPECT_EQ(happening.unavailable_hostlist(), "");
  context.TryCancel();
}

}  // namespace
}  // namespace coolspan
