// SPDX-License-Identifier: GPL-3.0-or-later
// What the daemon tells people, and what it takes up after a restart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "unit/service/serving_test.h"

namespace coolspan {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;

class ExplainTest : public ServingTest {
 protected:
  ExplainTest() { Sync(); }
};

using FreshDaemonTest = ServingTest;

TEST_F(FreshDaemonTest, HasNoJobsAndNothingToExplain) {
  const v1::JobsReply jobs = Good(&Stub::Jobs, v1::JobsRequest());
  EXPECT_EQ(jobs.jobs_size(), 0);
  EXPECT_EQ(jobs.machine_nodes(), 8u);
  v1::ExplainRequest request;
  request.set_job_id(5);
  EXPECT_EQ(CodeOf(&Stub::Explain, request), StatusCode::NOT_FOUND);
  v1::JobsRequest other;
  other.set_cluster("other");
  v1::JobsReply reply;
  grpc::Status refused = Call(&Stub::Jobs, other, reply);
  EXPECT_EQ(refused.error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(refused.error_message(),
            "cluster: \"other\" is unknown (no cluster has connected yet)");
  for (const char* const cluster : {"b", "a",
                                    "c\xC2\x9B"
                                    "2J"}) {
    v1::SyncRequest sync = SmallSync();
    sync.set_cluster(cluster);
    Sync(sync);
  }
  EXPECT_EQ(Call(&Stub::Jobs, other, reply).error_message(),
            "cluster: \"other\" is unknown (expected one of: a, b, "
            "\"c\\xc2\\x9b2J\")");
  refused = Call(&Stub::Jobs, v1::JobsRequest(), reply);
  EXPECT_EQ(refused.error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(
      refused.error_message(),
      "cluster: not specified (expected one of: a, b, \"c\\xc2\\x9b2J\")");
}

TEST_F(ExplainTest, HasReasonAndMetrics) {
  v1::AllocateRequest request = AskFor(epoch_, 1, 3);
  Allocate(request);
  const v1::DecisionRecord record = Explain(1);
  EXPECT_EQ(record.id(), "1.0.1");
  EXPECT_EQ(record.cluster(), "c");
  EXPECT_EQ(record.hostlist(), "n[1-3]");
  EXPECT_THAT(record.node_ids(), ::testing::ElementsAre(0, 1, 2));
  EXPECT_EQ(record.policy(), "first-fit");
  EXPECT_EQ(record.ordering(), "row-major");
  EXPECT_FALSE(record.facts().empty());
  EXPECT_EQ(record.available(), 8u);
  EXPECT_EQ(record.metrics().at("pairwise_total"), 4);
  EXPECT_EQ(record.metrics().at("linear_span"), 3);
  EXPECT_EQ(record.outcome(), "tentative");
  v1::ExplainRequest other;
  other.set_job_id(2);
  EXPECT_EQ(CodeOf(&Stub::Explain, other), StatusCode::NOT_FOUND);
}

TEST_F(ExplainTest, OutcomesFollowEvents) {
  Allocate(AskFor(epoch_, 1, 2));
  Allocate(AskFor(epoch_, 1, 2, 2));
  v1::ExplainRequest request;
  request.set_job_id(1);
  v1::ExplainReply reply = Good(&Stub::Explain, request);
  ASSERT_EQ(reply.decisions_size(), 2);
  EXPECT_EQ(reply.decisions(0).outcome(), "tentative");
  EXPECT_EQ(reply.decisions(1).outcome(), "replaced");
  Commit(CommitOf(epoch_, 1, 1, {1, 2}));
  EXPECT_EQ(Explain(1).outcome(), "committed");
  Good(&Stub::Release, EventOf(epoch_, 2, 1));
  EXPECT_EQ(Explain(1).outcome(), "released");

  Allocate(AskFor(epoch_, 2, 2));
  Commit(CommitOf(epoch_, 3, 2, {7, 8}));
  EXPECT_EQ(Explain(2).outcome(), "overruled");
  EXPECT_EQ(Explain(2).committed_hostlist(), "n[7-8]");
  EXPECT_EQ(Explain(2).hostlist(), "n[1-2]");

  Allocate(AskFor(epoch_, 3, 2));
  Allocate(AskFor(epoch_, 4, 2, 1, 11'000));
  EXPECT_EQ(Explain(3).outcome(), "expired");
  Commit(CommitOf(epoch_, 4, 4, {1, 2}, 11'000));
  Good(&Stub::Resize, CommitOf(epoch_, 5, 4, {1}, 11'000));
  EXPECT_EQ(Explain(4).outcome(), "committed") << "shrunk, and still running";
}

TEST_F(ExplainTest, SyncSettlesOutcomes) {
  Allocate(AskFor(epoch_, 1, 2));
  Allocate(AskFor(epoch_, 2, 2));
  Allocate(AskFor(epoch_, 3, 2));
  Commit(CommitOf(epoch_, 1, 3, {5, 6}));
  v1::SyncRequest sync =
      SmallSync({WholeHolding(1, {1, 2}), WholeHolding(2, {7, 8})});
  sync.set_sequence(1);
  Sync(sync);
  EXPECT_EQ(Explain(1).outcome(), "committed");
  EXPECT_EQ(Explain(2).outcome(), "overruled");
  EXPECT_EQ(Explain(3).outcome(), "released");
}

TEST_F(ExplainTest, StatusCounts) {
  Allocate(AskFor(epoch_, 1, 2));
  Commit(CommitOf(epoch_, 1, 1, {1, 2}));
  Allocate(AskFor(epoch_, 2, 3));
  Allocate(AskFor(epoch_, 3, 8));
  const v1::StatusReply status = Good(&Stub::Status, v1::StatusRequest());
  EXPECT_EQ(status.machine(), "small");
  EXPECT_EQ(status.policy(), "first-fit");
  EXPECT_EQ(status.ordering(), "row-major");
  EXPECT_EQ(status.decisions(), 3u);
  EXPECT_EQ(status.placed(), 2u);
  EXPECT_GT(status.decision_us_max(), 0);
  EXPECT_GT(status.resident_bytes(), 0u);
  EXPECT_THAT(status.node_names(), ::testing::ElementsAre("n[1-8]"));
  EXPECT_THAT(status.grid().dims(), ::testing::ElementsAre(8));
  ASSERT_EQ(status.clusters_size(), 1);
  const v1::ClusterStatus& cluster = status.clusters(0);
  EXPECT_EQ(cluster.nodes(), 8u);
  EXPECT_EQ(cluster.nodes_free(), 3u);
  EXPECT_EQ(cluster.jobs_committed(), 1u);
  EXPECT_EQ(cluster.jobs_tentative(), 1u);
  EXPECT_EQ(cluster.last_sync_ms(), 1000);
  EXPECT_TRUE(cluster.synced());
}

TEST_F(ExplainTest, WatchStartsWithTheNextEvent) {
  Allocate(AskFor(epoch_, 1, 2));
  grpc::ClientContext context;
  v1::WatchRequest request;
  auto reader = stub_->Watch(&context, request);
  reader->WaitForInitialMetadata();
  Allocate(AskFor(epoch_, 2, 2));
  Commit(CommitOf(epoch_, 1, 2, {3, 4}));
  Good(&Stub::Release, EventOf(epoch_, 2, 2));
  v1::Happening happening;
  // The first decision's line may still be on its way to the watchers.
  ASSERT_TRUE(reader->Read(&happening));
  if (happening.decision().job().job_id() == 1) {
    ASSERT_TRUE(reader->Read(&happening));
  }
  EXPECT_EQ(happening.decision().id(), "2.0.1");
  EXPECT_EQ(happening.decision().hostlist(), "n[3-4]");
  ASSERT_TRUE(reader->Read(&happening));
  EXPECT_EQ(happening.committed().hostlist(), "n[3-4]");
  ASSERT_TRUE(reader->Read(&happening));
  EXPECT_EQ(happening.released().job_id(), 2u);
  daemon_->Stop(std::chrono::minutes(1)).IgnoreError();
  EXPECT_FALSE(reader->Read(&happening));
  EXPECT_EQ(reader->Finish().error_code(), StatusCode::UNAVAILABLE);
}

TEST_F(ExplainTest, RestartRestoresStoredState) {
  Allocate(AskFor(epoch_, 1, 2));
  Commit(CommitOf(epoch_, 1, 1, {1, 2}));
  v1::Event shared = CommitOf(epoch_, 2, 2, {3, 4});
  shared.mutable_holding()->set_whole(false);
  shared.mutable_holding()->add_units(1);
  shared.mutable_holding()->add_units(3);
  Commit(shared);
  Commit(CommitOf(epoch_, 3, 3, {2}));  // contradicts job 1
  Allocate(AskFor(epoch_, 4, 2));
  const std::string ledger = Ledger();
  EXPECT_EQ(ledger,
            "1 disputed n1; 2 committed n[3-4]; 3 committed n2; "
            "4 tentative n[5-6]");
  Restart();
  EXPECT_EQ(Ledger(), ledger);
  const v1::ClusterStatus cluster =
      Good(&Stub::Status, v1::StatusRequest()).clusters(0);
  EXPECT_EQ(cluster.epoch(), epoch_) << "the same names, the same epoch";
  EXPECT_FALSE(cluster.synced());
  EXPECT_EQ(Allocate(AskFor(epoch_, 5, 2)).nodes(), Bitmap({7, 8}));
  EXPECT_EQ(CodeOf(&Stub::Commit, CommitOf(epoch_, 5, 5, {7, 8})),
            StatusCode::OUT_OF_RANGE);
  EXPECT_TRUE(Commit(CommitOf(epoch_, 3, 3, {2})).sync_wanted())
      << "a repeat from before the restart";
  EXPECT_TRUE(Commit(CommitOf(epoch_, 4, 4, {5, 6})).sync_wanted());
  EXPECT_EQ(Explain(4).outcome(), "committed");
  v1::SyncRequest sync = SmallSync({WholeHolding(4, {5, 6})});
  sync.set_sequence(4);
  Sync(sync);
  EXPECT_FALSE(Commit(CommitOf(epoch_, 5, 6, {1})).sync_wanted());
}

TEST_F(ExplainTest, LogHasALineForEachEvent) {
  Allocate(AskFor(epoch_, 1, 2));
  Commit(CommitOf(epoch_, 1, 1, {1, 2}));
  daemon_->Stop(std::chrono::minutes(1)).IgnoreError();
  std::ifstream in(folder_.File("log.txt"));
  std::vector<std::string> events;
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line);
    events.push_back(json.at("event"));
    if (events.back() != "decision") continue;
    EXPECT_EQ(json.at("decision"), "1.0.1");
    EXPECT_EQ(json.at("job"), 1);
    EXPECT_EQ(json.at("nodes"), "n[1-2]");
    EXPECT_EQ(json.at("policy"), "first-fit");
    EXPECT_TRUE(json.contains("why"));
    EXPECT_TRUE(json.contains("elapsed_us"));
  }
  EXPECT_THAT(events, ::testing::ElementsAre("start", "sync", "decision",
                                             "commit", "stop"));
}

TEST_F(ExplainTest, LogIsOpenedAnewAfterRotation) {
  std::filesystem::rename(folder_.File("log.txt"), folder_.File("log.1"));
  // Refused, as there is no daemon file; the log is opened all the same.
  EXPECT_EQ(CodeOf(&Stub::Reload, v1::ReloadRequest()),
            grpc::StatusCode::NOT_FOUND);
  Commit(CommitOf(epoch_, 1, 1, {1, 2}));
  daemon_->Stop(std::chrono::minutes(1)).IgnoreError();
  std::ifstream in(folder_.File("log.txt"));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(text, HasSubstr("\"event\":\"commit\""));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("\"event\":\"start\"")));
}

}  // namespace
}  // namespace coolspan
