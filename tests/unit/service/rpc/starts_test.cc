// SPDX-License-Identifier: GPL-3.0-or-later
// The starts of jobs: explain, jobs, status and watch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using ::testing::HasSubstr;

class StartsTest : public ServingTest {
 protected:
  StartsTest() { Sync(); }

  static v1::JobStart StartWith(const std::string& verdict,
                                const std::string& reason = "",
                                const std::string& decision_id = "") {
    v1::JobStart start;
    start.set_verdict(verdict);
    start.set_reason(reason);
    start.set_decision_id(decision_id);
    return start;
  }
  v1::Event StartOn(std::uint64_t sequence, std::uint32_t job_id,
                    const std::vector<int>& nodes, v1::JobStart start) const {
    v1::Event event = CommitOf(epoch_, sequence, job_id, nodes);
    *event.mutable_start() = std::move(start);
    return event;
  }
  v1::ExplainReply ExplainAll(std::uint32_t job_id) {
    v1::ExplainRequest request;
    request.set_job_id(job_id);
    return Good(&Stub::Explain, request);
  }
  v1::StartCounts Counts() {
    return Good(&Stub::Status, v1::StatusRequest()).clusters(0).starts();
  }
};

TEST_F(StartsTest, AJobLeftToSlurmHasAReason) {
  Commit(StartOn(1, 7, {2, 3}, StartWith("left", "--contiguous")));
  Restart();
  const v1::ExplainReply reply = ExplainAll(7);
  EXPECT_EQ(reply.decisions_size(), 0);
  ASSERT_EQ(reply.starts_size(), 1);
  const v1::StartRecord& record = reply.starts(0);
  EXPECT_EQ(record.cluster(), "c");
  EXPECT_EQ(record.job().job_id(), 7u);
  EXPECT_EQ(record.started_ms(), 1000);
  EXPECT_EQ(record.hostlist(), "n[2-3]");
  EXPECT_EQ(record.start().verdict(), "left");
  EXPECT_EQ(record.start().reason(), "--contiguous");
  EXPECT_EQ(Counts().left_size(), 0) << "counted since the daemon started";
}

TEST_F(StartsTest, ARejectedDecisionIsShownWithItsFallback) {
  ASSERT_TRUE(Allocate(AskFor(epoch_, 7, 2)).placed());
  v1::JobStart start =
      StartWith("fallback", "Slurm rejected the nodes of 7.0.1", "7.0.1");
  start.set_reason_class("decision rejected by Slurm");
  Good(&Stub::Release, EventOf(epoch_, 1, 7));
  Commit(StartOn(2, 7, {7, 8}, start));
  const v1::ExplainReply reply = ExplainAll(7);
  ASSERT_EQ(reply.decisions_size(), 1);
  EXPECT_EQ(reply.decisions(0).hostlist(), "n[1-2]");
  ASSERT_EQ(reply.starts_size(), 1);
  EXPECT_EQ(reply.starts(0).hostlist(), "n[7-8]");
  EXPECT_EQ(reply.starts(0).start().decision_id(), "7.0.1");
  EXPECT_EQ(reply.starts(0).start().reason(), start.reason());
  ASSERT_EQ(Counts().fallback_size(), 1);
  EXPECT_EQ(Counts().fallback(0).reason(), "decision rejected by Slurm");
}

TEST_F(StartsTest, ARepeatedCommitIsCountedOnce) {
  const v1::Event event = StartOn(1, 7, {1}, StartWith("enforced"));
  Commit(event);
  Commit(event);
  EXPECT_EQ(Counts().enforced(), 1u);
  EXPECT_EQ(ExplainAll(7).starts_size(), 1);
}

TEST_F(StartsTest, TasksAndComponentsAreFoundByTheirNumber) {
  ASSERT_TRUE(Allocate(AskFor(epoch_, 12, 1)).placed());
  v1::JobStart task = StartWith("enforced", "", "12.0.1");
  task.set_array_job_id(11);
  task.set_array_task_id(0);
  Commit(StartOn(1, 12, {1}, task));
  v1::JobStart component = StartWith("left", "component");
  component.set_het_job_id(20);
  component.set_het_job_offset(1);
  Commit(StartOn(2, 21, {2}, component));
  v1::ExplainRequest request;
  request.set_job_id(11);
  request.set_array_task_id(0);
  v1::ExplainReply reply = Good(&Stub::Explain, request);
  ASSERT_EQ(reply.starts_size(), 1);
  EXPECT_EQ(reply.starts(0).job().job_id(), 12u);
  EXPECT_EQ(reply.starts(0).start().array_job_id(), 11u);
  ASSERT_EQ(reply.decisions_size(), 1);
  EXPECT_EQ(reply.decisions(0).id(), "12.0.1");
  request.set_array_task_id(1);
  grpc::Status none = Call(&Stub::Explain, request, reply);
  EXPECT_EQ(none.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(none.error_message(), HasSubstr("job 11_1 "));
  request.Clear();
  request.set_job_id(20);
  request.set_het_job_offset(1);
  EXPECT_EQ(Good(&Stub::Explain, request).starts(0).job().job_id(), 21u);
  request.set_het_job_offset(0);
  none = Call(&Stub::Explain, request, reply);
  EXPECT_THAT(none.error_message(), HasSubstr("job 20+0 "));
}

TEST_F(StartsTest, JobsHaveTheReason) {
  Commit(StartOn(1, 7, {1}, StartWith("left", "LLN")));
  Commit(CommitOf(epoch_, 2, 8, {2}));
  const v1::JobsReply jobs = Good(&Stub::Jobs, v1::JobsRequest());
  ASSERT_EQ(jobs.jobs_size(), 2);
  EXPECT_EQ(jobs.jobs(0).start().reason(), "LLN");
  EXPECT_FALSE(jobs.jobs(1).has_start());
}

TEST_F(StartsTest, WatchersGetTheReason) {
  grpc::ClientContext context;
  const auto stream = stub_->Watch(&context, v1::WatchRequest());
  // Until the daemon has the watcher.
  stream->WaitForInitialMetadata();
  Commit(StartOn(1, 7, {1}, StartWith("left", "LLN")));
  v1::Happening happening;
  ASSERT_TRUE(stream->Read(&happening));
  EXPECT_EQ(happening.committed().start().reason(), "LLN");
  context.TryCancel();
}

// A Sync replaces queued events, but carries their starts.
TEST_F(StartsTest, ASyncRecordsTheStartsThatItCarries) {
  Commit(StartOn(1, 7, {1}, StartWith("left", "LLN")));
  Commit(StartOn(2, 6, {4}, StartWith("left", "LLN")));
  Good(&Stub::Release, EventOf(epoch_, 3, 6));
  v1::SyncRequest sync =
      SmallSync({WholeHolding(7, {1}), WholeHolding(8, {2, 3})});
  sync.set_client_id("q2");
  // Jobs 7 and 6 are known, 6 and 9 have ended, the verdict of job 10 is
  // unknown.
  std::uint64_t sequence = 0;
  for (const std::uint32_t job_id : {7, 6, 0, 8, 9, 10}) {
    ++sequence;
    if (job_id == 0) continue;
    v1::Event& event = *sync.add_starts();
    event.set_client_id("q");
    event.set_sequence(sequence);
    event.mutable_job()->set_job_id(job_id);
    event.set_now_ms(1000);
    *event.mutable_start() =
        StartWith(job_id == 10 ? "bold" : "fallback", "late");
  }
  Sync(sync);
  Sync(sync);  // the first answer was lost
  EXPECT_EQ(ExplainAll(6).starts_size(), 1);
  EXPECT_EQ(ExplainAll(7).starts_size(), 1);
  EXPECT_EQ(ExplainAll(7).starts(0).start().verdict(), "left");
  ASSERT_EQ(ExplainAll(8).starts_size(), 1);
  EXPECT_EQ(ExplainAll(8).starts(0).hostlist(), "n[2-3]");
  ASSERT_EQ(ExplainAll(9).starts_size(), 1);
  EXPECT_EQ(ExplainAll(9).starts(0).hostlist(), "");
  v1::ExplainRequest unknown;
  unknown.set_job_id(10);
  EXPECT_EQ(CodeOf(&Stub::Explain, unknown), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(Counts().left(0).jobs(), 2u);
  EXPECT_EQ(Counts().fallback(0).jobs(), 2u);
}

// First-fit proposes n[1-2]; the row has one hop per step.
TEST_F(StartsTest, AnAdvisedJobHasTheCostOfBothChoices) {
  ASSERT_TRUE(Allocate(AskFor(epoch_, 7, 3)).placed());
  Commit(StartOn(1, 7, {1, 4, 8}, StartWith("advised", "", "7.0.1")));
  const v1::StartRecord record = ExplainAll(7).starts(0);
  ASSERT_TRUE(record.has_advice());
  EXPECT_EQ(record.advice().nodes(), 3u);
  EXPECT_EQ(record.advice().decided().pairwise_total(), 1u + 1 + 2);
  EXPECT_EQ(record.advice().actual().pairwise_total(), 3u + 4 + 7);
  EXPECT_FALSE(record.advice().actual().has_cooling_w());
  // On the nodes of the decision.
  ASSERT_TRUE(Allocate(AskFor(epoch_, 8, 1)).placed());
  Commit(StartOn(2, 8, {2}, StartWith("advised", "", "8.0.1")));
  EXPECT_EQ(ExplainAll(8).starts(0).advice().decided().pairwise_total(), 0u);
  // Not of its decision; without a decision.
  ASSERT_TRUE(Allocate(AskFor(epoch_, 9, 1)).placed());
  Commit(StartOn(3, 9, {3}, StartWith("advised", "", "9.0.2")));
  Commit(StartOn(4, 10, {5}, StartWith("advised", "", "10.0.1")));
  EXPECT_FALSE(ExplainAll(9).starts(0).has_advice());
  EXPECT_FALSE(ExplainAll(10).starts(0).has_advice());
  EXPECT_EQ(Counts().advised(), 4u);
  EXPECT_EQ(Counts().advice().jobs(), 2u);
  EXPECT_EQ(Counts().advice().jobs_n2(), 1u);
  EXPECT_EQ(Counts().advice().decided().pairwise_mean(), 4.0 / 3);
}

TEST_F(StartsTest, HistoryHasStartsAndEnds) {
  v1::JobStart start = StartWith("enforced");
  start.set_submitted_s(90);
  start.set_started_s(100);
  start.set_time_limit_s(600);
  Good(&Stub::Commit, StartOn(1, 5, {0, 1}, start));
  Good(&Stub::Commit, StartOn(2, 6, {2}, start));
  v1::HistoryReply history = Good(&Stub::History, v1::HistoryRequest());
  ASSERT_EQ(history.starts_size(), 2);
  EXPECT_EQ(history.starts(0).started_ms(), 100'000);
  EXPECT_EQ(history.starts(0).start().submitted_s(), 90);
  EXPECT_EQ(history.starts(0).start().time_limit_s(), 600);
  EXPECT_EQ(history.starts(0).ended_ms(), 0);
  EXPECT_EQ(history.running_size(), 2);

  v1::Event end = EventOf(epoch_, 3, 5);
  end.set_now_ms(160'500);
  Good(&Stub::Release, end);
  history = Good(&Stub::History, v1::HistoryRequest());
  ASSERT_EQ(history.starts_size(), 2);
  EXPECT_EQ(history.starts(0).ended_ms(), 160'500);
  EXPECT_EQ(history.starts(1).ended_ms(), 0);
  EXPECT_EQ(history.running_size(), 1);
}

}  // namespace
}  // namespace coolspan
