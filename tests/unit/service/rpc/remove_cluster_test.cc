// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters that an operator removes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

class RemovedClusterTest : public ServingTest {
 protected:
  grpc::Status Remove(const std::string& name, bool is_forced) {
    v1::RemoveClusterRequest request;
    request.set_cluster(name);
    request.set_force(is_forced);
    return Call(&Stub::RemoveCluster, request, removed_);
  }
  int ClusterCount() {
    return Good(&Stub::Status, v1::StatusRequest()).clusters_size();
  }

  v1::RemoveClusterReply removed_;
};

TEST_F(RemovedClusterTest, InContactOnlyByForce) {
  Sync(SmallSync({WholeHolding(1, {1, 2})}));
  const grpc::Status refused = Remove("c", false);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(refused.error_message(), HasSubstr("is in contact"));
  Restart();
  EXPECT_THAT(Remove("c", false).error_message(),
              HasSubstr("has 1 running job"));
  EXPECT_EQ(Remove("d", true).error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(ClusterCount(), 1);
  EXPECT_TRUE(Remove("c", true).ok());
  EXPECT_EQ(removed_.cluster(), "c");
  EXPECT_EQ(removed_.jobs(), 1u);
  EXPECT_EQ(ClusterCount(), 0);
  Restart();
  EXPECT_EQ(ClusterCount(), 0);
}

TEST_F(RemovedClusterTest, WithoutContactAndJobs) {
  Sync();
  Restart();
  EXPECT_TRUE(Remove("c", false).ok());
  EXPECT_EQ(ClusterCount(), 0);
}

TEST_F(RemovedClusterTest, GoesWithItsHistoryAndComesBackWithASync) {
  Sync(SmallSync({WholeHolding(1, {1, 2})}));
  Allocate(AskFor(epoch_, 2, 1));
  EXPECT_EQ(Explain(2).hostlist(), "n3");
  ASSERT_TRUE(Remove("c", true).ok());
  v1::AllocateReply reply;
  const grpc::Status status =
      Call(&Stub::Allocate, AskFor(epoch_, 3, 1), reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("expected a Sync first"));
  Sync(SmallSync({WholeHolding(1, {1, 2})}));
  EXPECT_EQ(Ledger(), "1 committed n[1-2]") << "job 2 is forgotten";
  v1::ExplainRequest explain;
  explain.set_job_id(2);
  // The history is removed by portions, in the background.
  while (CodeOf(&Stub::Explain, explain) != grpc::StatusCode::NOT_FOUND) {
    std::this_thread::yield();
  }
  Allocate(AskFor(epoch_, 4, 1));
  EXPECT_EQ(Explain(4).hostlist(), "n3") << "the new history stays";
  Restart();
  EXPECT_EQ(Explain(4).hostlist(), "n3");
}

TEST_F(RemovedClusterTest, CallsThatWaitAreToldSo) {
  Sync();
  v1::AllocateRequest request = AskFor(epoch_, 1, 1);
  request.set_after_sequence(99);
  grpc::Status status;
  std::thread waiting([&] {
    v1::AllocateReply reply;
    status = Call(&Stub::Allocate, request, reply);
  });
  // Its events are not received: it waits, or comes later.
  while (!Remove("c", true).ok()) std::this_thread::yield();
  waiting.join();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("expected a Sync first"));
}

}  // namespace
}  // namespace coolspan
