// SPDX-License-Identifier: GPL-3.0-or-later
#include "unit/service/clusters/tenure_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace coolspan {
namespace {

TEST_F(TenureTest, ASyncClaimsItsCluster) {
  const auto reply = clusters_.Sync(SmallSync());
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->term(), 1u);
  EXPECT_TRUE(clusters_.Find("c").ok());
}

TEST_F(TenureTest, ClustersOfOthersAreRefusedWithTheirLeader) {
  leadership_.leader = "unix:///other";
  EXPECT_EQ(LeaderNamedIn(clusters_.Sync(SmallSync()).status()),
            "unix:///other");
  EXPECT_EQ(LeaderNamedIn(clusters_.Find("c").status()), "unix:///other");
  EXPECT_EQ(LeaderNamedIn(clusters_.FindNamed("c").status()), "unix:///other");
}

TEST_F(TenureTest, TheOnlyClusterOfAnotherLeaderNeedsNoName) {
  leadership_.leader = "unix:///other";
  leadership_.known = {{"c", "unix:///other", 1}};
  leadership_.stored = Stored();
  EXPECT_EQ(LeaderNamedIn(clusters_.FindNamed("").status()), "unix:///other");
}

// Another daemon may know the clusters.
TEST_F(TenureTest, WithoutTheStoreNoClusterIsSaidToBeUnknown) {
  EXPECT_TRUE(absl::IsFailedPrecondition(clusters_.FindNamed("").status()));
  leadership_.store = absl::UnavailableError("etcd: no response in time");
  EXPECT_EQ(clusters_.FindNamed("").status(), leadership_.store);
}

TEST_F(TenureTest, AnInvalidFirstSyncClaimsNothing) {
  v1::SyncRequest request = SmallSync();
  request.clear_hostlist();
  EXPECT_FALSE(clusters_.Sync(request).ok());
  EXPECT_THAT(leadership_.resigned, ::testing::ElementsAre("c"));
}

TEST_F(TenureTest, AnElectedDaemonServesWhatIsStored) {
  const auto tenure = *leadership_.Claim("c", {});
  EXPECT_EQ(clusters_.BeginTenure("c", tenure, Stored(), *archive_), "");
  const auto cluster = clusters_.Find("c");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ((*cluster)->Holdings().size(), 1u);
}

TEST_F(TenureTest, AfterATenureNothingIsAnswered) {
  ASSERT_TRUE(clusters_.Sync(SmallSync()).ok());
  const auto cluster = *clusters_.Find("c");
  v1::KeepAliveRequest alive;
  EXPECT_TRUE(cluster->KeepAlive(alive).ok());
  leadership_.leader = "unix:///other";
  clusters_.EndTenure("c");
  EXPECT_TRUE(clusters_.All().empty());
  EXPECT_EQ(LeaderNamedIn(cluster->KeepAlive(alive).status()), "unix:///other");
  const auto event =
      cluster->Apply(EventKind::kCommit, CommitOf("e", 1, 1, {1}));
  EXPECT_EQ(LeaderNamedIn(event.status()), "unix:///other");
  EXPECT_TRUE(LeaderNamedIn(cluster->Sync(SmallSync()).status()).has_value());
}

// It cannot know whether another leads already.
TEST_F(TenureTest, ALeaseThatCannotBeRenewedEndsDecisions) {
  const auto synced = clusters_.Sync(SmallSync());
  ASSERT_TRUE(synced.ok());
  const auto cluster = *clusters_.Find("c");
  leadership_.lease->End();
  leadership_.leader = "unix:///other";
  const auto reply =
      AnswerOf(*cluster, AskFor(synced->epoch(), 1, 2), Limits());
  EXPECT_EQ(LeaderNamedIn(reply.status()), "unix:///other");
}

// Its client was in contact with the leader before.
TEST_F(TenureTest, TheTimeWithoutContactCountsFromTheElection) {
  LiveCluster without_election("c", setting_);
  ASSERT_TRUE(without_election.Restore(Stored(), {}).ok());
  EXPECT_FALSE(without_election.Status().has_contact_age_ms());
  clusters_.BeginTenure("c", *leadership_.Claim("c", {}), Stored(), *archive_);
  const v1::ClusterStatus status = (*clusters_.Find("c"))->Status();
  ASSERT_TRUE(status.has_contact_age_ms());
  EXPECT_LT(status.contact_age_ms(), 60'000);
}

// As one that waited while this daemon lost the cluster and won it again.
TEST_F(TenureTest, ASyncOfAnOlderTenureChangesNothing) {
  ASSERT_TRUE(clusters_.Sync(SmallSync()).ok());
  const auto older = leadership_.tenures.at("c");
  const auto newer = std::make_shared<Tenure>(2, leadership_.lease);
  ASSERT_EQ(clusters_.BeginTenure("c", newer, Stored(), *archive_), "");
  const auto cluster = *clusters_.Find("c");
  const auto reply = clusters_.Sync(SmallSync());
  EXPECT_TRUE(LeaderNamedIn(reply.status()).has_value()) << reply.status();
  EXPECT_EQ(*clusters_.Find("c"), cluster);
  EXPECT_EQ(cluster->Holdings().size(), 1u);
  EXPECT_FALSE(newer->is_over());
}

TEST_F(TenureTest, AForgottenClusterHasNoLeader) {
  ASSERT_TRUE(clusters_.Sync(SmallSync()).ok());
  (*clusters_.Find("c"))->Tick();
  clusters_.SetExpiry(1);
  clusters_.RemoveForgotten(std::numeric_limits<TimeMs>::max());
  EXPECT_TRUE(clusters_.All().empty());
  EXPECT_THAT(leadership_.resigned, ::testing::ElementsAre("c"));
}

// The time of the last contact is by the former leader's clock.
TEST_F(TenureTest, AnElectedDaemonForgetsNoClusterByAnotherClock) {
  StoredCluster stored = Stored();
  stored.heard_ms = 1;
  clusters_.BeginTenure("c", *leadership_.Claim("c", {}), stored, *archive_);
  clusters_.SetExpiry(1);
  clusters_.RemoveForgotten(std::numeric_limits<TimeMs>::max());
  EXPECT_EQ(clusters_.All().size(), 1u);
}

TEST_F(TenureTest, ReportsShowTheClustersOfOthers) {
  leadership_.leader = "unix:///other";
  leadership_.known = {{"c", "unix:///other", 1}};
  leadership_.stored = Stored();
  const auto shown = clusters_.AllShown();
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].cluster->Holdings().size(), 1u);
  EXPECT_TRUE(clusters_.FindShown("c").ok());
  EXPECT_FALSE(clusters_.FindShown("d").ok());
  EXPECT_TRUE(clusters_.All().empty());
  EXPECT_EQ(shown[0].leader, "unix:///other");
}

TEST_F(TenureTest, AClusterOfThisDaemonHasNoOtherLeader) {
  ASSERT_TRUE(clusters_.Sync(SmallSync()).ok());
  const auto shown = clusters_.AllShown();
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].leader, std::nullopt);
}

}  // namespace
}  // namespace coolspan
