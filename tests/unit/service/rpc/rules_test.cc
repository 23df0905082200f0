// SPDX-License-Identifier: GPL-3.0-or-later
// The daemon file's rules and jobs' comments, from a request to what is said of
// its decision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

// Nodes are taken from the front (first-fit on row-major), but for gpu from
// the back.
class RulesTest : public ServingTest {
 protected:
  RulesTest()
      : ServingTest(
            "rules:\n"
            "  - {name: back, partition: gpu, policy: free-list, "
            "ordering: snake}\n"
            "  - {nodes: 8, policy: best-fit}\n") {
    Sync();
  }
  static v1::AllocateRequest AskInPartition(const std::string& epoch,
                                            std::uint32_t job_id,
                                            const std::string& partition) {
    v1::AllocateRequest request = AskFor(epoch, job_id, 2);
    request.set_partition(partition);
    return request;
  }
};

TEST_F(RulesTest, DecisionNamesItsRule) {
  EXPECT_EQ(Allocate(AskInPartition(epoch_, 1, "gpu")).policy(), "free-list");
  v1::DecisionRecord record = Explain(1);
  EXPECT_EQ(record.policy(), "free-list");
  EXPECT_EQ(record.ordering(), "snake");
  EXPECT_EQ(record.rule(), "rule 1 \"back\", line 8");
  EXPECT_EQ(Allocate(AskInPartition(epoch_, 2, "cpu")).policy(), "first-fit");
  record = Explain(2);
  EXPECT_EQ(record.policy(), "first-fit");
  EXPECT_EQ(record.ordering(), "row-major");
  EXPECT_EQ(record.rule(), "");
}

TEST_F(RulesTest, RefusalNamesItsRule) {
  EXPECT_FALSE(Allocate(AskFor(epoch_, 1, 8)).placed() &&
               Allocate(AskFor(epoch_, 2, 8)).placed());
  EXPECT_EQ(Explain(2).rule(), "rule 2, line 9");
  EXPECT_THAT(Explain(2).why(), HasSubstr("best-fit: "));
}

TEST_F(RulesTest, CommentPolicyAppliesToItsJobOnly) {
  v1::AllocateRequest request = AskInPartition(epoch_, 1, "gpu");
  request.set_comment("coolspan:policy=random");
  EXPECT_EQ(Allocate(request).policy(), "random");
  EXPECT_EQ(Explain(1).rule(), "comment coolspan:policy=random");
  EXPECT_EQ(Explain(1).ordering(), "row-major");
  EXPECT_EQ(Allocate(AskInPartition(epoch_, 2, "cpu")).policy(), "first-fit");
}

TEST_F(RulesTest, UnknownPolicyInACommentIsIgnored) {
  v1::AllocateRequest request = AskFor(epoch_, 1, 2);
  request.set_comment("coolspan:policy=fastest");
  const v1::AllocateReply reply = Allocate(request);
  EXPECT_TRUE(reply.placed());
  EXPECT_EQ(reply.policy(), "first-fit");
  EXPECT_EQ(Explain(1).rule(),
            "invalid policy \"fastest\" in the job comment (ignored)");
}

TEST_F(RulesTest, AnInvalidShareIsIgnored) {
  v1::AllocateRequest request = AskInPartition(epoch_, 1, "gpu");
  request.set_comment("coolspan:comm-share=lots");
  EXPECT_TRUE(Allocate(request).placed());
  EXPECT_EQ(Explain(1).rule(),
            "rule 1 \"back\", line 8; invalid communication share \"lots\" in "
            "the job comment (ignored)");
  const v1::JobsReply jobs = Good(&Stub::Jobs, v1::JobsRequest());
  ASSERT_EQ(jobs.jobs_size(), 1);
  EXPECT_FALSE(jobs.jobs(0).has_communication_share());
}

TEST_F(RulesTest, RulesOfDecisionsAreStored) {
  Allocate(AskInPartition(epoch_, 1, "gpu"));
  Restart();
  Sync();
  EXPECT_EQ(Explain(1).rule(), "rule 1 \"back\", line 8");
}

TEST_F(RulesTest, LogAndWatchersNameTheRule) {
  grpc::ClientContext context;
  auto reader = stub_->Watch(&context, v1::WatchRequest());
  reader->WaitForInitialMetadata();
  Allocate(AskInPartition(epoch_, 1, "gpu"));
  v1::Happening happening;
  ASSERT_TRUE(reader->Read(&happening));
  EXPECT_EQ(happening.decision().rule(), "rule 1 \"back\", line 8");
  context.TryCancel();
  daemon_->Stop(std::chrono::minutes(1)).IgnoreError();
  std::ifstream in(folder_.File("log.txt"));
  const std::string log{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(log, HasSubstr("\"rule\":\"rule 1 \\\"back\\\", line 8\""));
  EXPECT_THAT(log, HasSubstr("\"rules\":2"));
}

TEST_F(RulesTest, PreviewWithoutAPolicyEqualsAllocate) {
  v1::PreviewRequest request;
  *request.mutable_request() = AskInPartition(epoch_, 1, "gpu");
  EXPECT_EQ(Good(&Stub::Preview, request).policy(), "free-list");
  request.set_policy("best-fit");
  EXPECT_EQ(Good(&Stub::Preview, request).policy(), "best-fit");
}

TEST_F(RulesTest, VirtualClustersHaveThePolicyOfTheirSync) {
  grpc::ClientContext context;
  auto stream = stub_->Session(&context);
  v1::SessionRequest message;
  *message.mutable_sync() = SmallSync();
  message.mutable_sync()->set_clock(v1::CLOCK_VIRTUAL);
  message.mutable_sync()->set_policy("best-fit");
  v1::SessionReply reply;
  ASSERT_TRUE(stream->Write(message) && stream->Read(&reply));
  *message.mutable_allocate() = AskInPartition(reply.sync().epoch(), 1, "gpu");
  message.mutable_allocate()->set_comment("coolspan:policy=random");
  ASSERT_TRUE(stream->Write(message) && stream->Read(&reply));
  EXPECT_EQ(reply.allocate().policy(), "best-fit");
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

}  // namespace
}  // namespace coolspan
