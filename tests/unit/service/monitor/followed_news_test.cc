// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/followed_news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "service/monitor/reports.h"
#include "unit/service/clusters/tenure_test.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

StoredHolding HoldingOf(std::uint32_t job, const std::string& nodes) {
  StoredHolding held;
  held.job = {job, 0};
  held.committed = true;
  held.nodes = nodes;
  return held;
}

class FollowedNewsTest : public TenureTest {
 protected:
  std::shared_ptr<LiveCluster> ClusterOf(StoredCluster stored) {
    auto cluster = std::make_shared<LiveCluster>("c", Setting());
    EXPECT_TRUE(cluster->Restore(stored, {}).ok());
    return cluster;
  }
  // Each as "committed 7 n[2-3]".
  std::vector<std::string> Between(const StoredCluster& before,
                                   const StoredCluster& after) {
    return TextsOf(HappeningsBetween(*setup_.machine, *ClusterOf(before),
                                     *ClusterOf(after)));
  }
  static std::vector<std::string> TextsOf(
      const std::vector<v1::Happening>& happenings) {
    std::vector<std::string> texts;
    for (const v1::Happening& happening : happenings) {
      texts.push_back(TextOf(happening));
    }
    return texts;
  }
  static std::string TextOf(const v1::Happening& happening) {
    const auto with_nodes = [](const char* word, const v1::JobRecord& job) {
      return word + std::to_string(job.job().job_id()) + " " + job.hostlist();
    };
    if (happening.has_committed()) {
      return with_nodes("committed ", happening.committed());
    }
    if (happening.has_resized()) {
      return with_nodes("resized ", happening.resized());
    }
    if (happening.has_suspended()) {
      return with_nodes("suspended ", happening.suspended());
    }
    if (happening.has_released()) {
      return "released " + std::to_string(happening.released().job_id());
    }
    if (happening.has_expired()) {
      return "expired " + std::to_string(happening.expired().job_id());
    }
    if (happening.what_case() == v1::Happening::kMode) {
      return "mode " + happening.mode();
    }
    if (happening.what_case() == v1::Happening::kRemoved) {
      return "removed " + happening.removed();
    }
    return "other";
  }
};

TEST_F(FollowedNewsTest, JobsThatStartAndEnd) {
  StoredCluster after = Stored();
  after.holdings = {HoldingOf(8, "n2"), HoldingOf(9, "n[4-5]")};
  EXPECT_THAT(
      Between(Stored(), after),
      ElementsAre("released 7", "committed 8 n2", "committed 9 n[4-5]"));
  EXPECT_THAT(Between(after, after), IsEmpty());
}

TEST_F(FollowedNewsTest, ARequeuedJobEndsAndStarts) {
  StoredCluster after = Stored();
  after.holdings[0].job.restart = 1;
  EXPECT_THAT(Between(Stored(), after),
              ElementsAre("released 7", "committed 7 n[2-3]"));
}

TEST_F(FollowedNewsTest, AJobChangesItsNodesAndItsState) {
  StoredCluster after = Stored();
  after.holdings[0].nodes = "n2";
  EXPECT_THAT(Between(Stored(), after), ElementsAre("resized 7 n2"));
  after = Stored();
  after.holdings[0].suspended = true;
  EXPECT_THAT(Between(Stored(), after), ElementsAre("suspended 7 n[2-3]"));
}

// The decision is the leader's; its commit and its expiry are told.
TEST_F(FollowedNewsTest, TentativeAllocations) {
  StoredCluster tentative = Stored();
  tentative.holdings[0].committed = false;
  tentative.holdings[0].expires_ms = 100'000;
  StoredCluster none = Stored();
  none.holdings.clear();
  EXPECT_THAT(Between(none, tentative), IsEmpty());
  EXPECT_THAT(Between(tentative, Stored()), ElementsAre("committed 7 n[2-3]"));
  EXPECT_THAT(Between(tentative, none), ElementsAre("expired 7"));
}

TEST_F(FollowedNewsTest, AMode) {
  StoredCluster after = Stored();
  after.mode = "advise";
  EXPECT_THAT(Between(Stored(), after), ElementsAre("mode advise"));
}

// A daemon that follows, and a watcher of it.
TEST_F(FollowedNewsTest, WatchersOfAFollowerAreTold) {
  leadership_.leader = "unix:///other";
  leadership_.stored = Stored();
  leadership_.known = {{"c", "unix:///other", 1}};
  FollowedNews news(clusters_, *setup_.machine, watchers_);
  const auto watcher = *watchers_.Add("c");
  const auto next = [&]() -> std::string {
    std::string text;
    // Reports are as of up to a second ago.
    for (int i = 0; i < 100 && text.empty(); ++i) {
      news.Tick(5000);
      const auto happening = watcher->Next(std::chrono::milliseconds(50));
      if (!happening.has_value()) continue;
      EXPECT_EQ(happening->cluster(), "c");
      EXPECT_EQ(happening->at_ms(), 5000);
      text = TextOf(*happening);
    }
    return text;
  };
  news.Tick(4000);
  EXPECT_EQ(watcher->waiting(), 0u);
  leadership_.stored.holdings.clear();
  leadership_.known = {{"c", "unix:///other", 2}};
  EXPECT_EQ(next(), "released 7");
  leadership_.known.clear();
  EXPECT_EQ(next(), "removed no longer in etcd");
}

// The journal tells what happens to its clusters.
TEST_F(FollowedNewsTest, ALeaderIsNotToldOfItsOwnClusters) {
  leadership_.known = {{"c", "unix:///other", 1}};
  leadership_.stored = Stored();
  FollowedNews news(clusters_, *setup_.machine, watchers_);
  const auto watcher = *watchers_.Add("");
  news.Tick(4000);
  clusters_.BeginTenure("c", *leadership_.Claim("c", {}), Stored(), *archive_);
  news.Tick(5000);
  EXPECT_EQ(watcher->waiting(), 0u);
}

class LeadershipReportsTest : public TenureTest {
 protected:
  absl::StatusOr<v1::JobsReply> Jobs(const std::string& cluster) {
    v1::JobsRequest request;
    request.set_cluster(cluster);
    return reports_.Jobs(request, [] { return absl::OkStatus(); });
  }

  const std::vector<std::string> warnings_;
  Reports reports_{setup_,    config_,  clusters_, nullptr,
                   *archive_, journal_, times_,    {"1", 0, &warnings_}};
};

// An empty answer would say that the machine is empty.
TEST_F(LeadershipReportsTest, JobsAreUnknownWhileTheStoreIsOutOfReach) {
  ASSERT_TRUE(Jobs("").ok());
  leadership_.store = absl::UnavailableError("etcd: no response in time");
  EXPECT_EQ(Jobs("").status(), leadership_.store);
}

TEST_F(LeadershipReportsTest, StatusHasTheWarningsOfTheLeadership) {
  EXPECT_THAT(reports_.Status(0).state().warnings(), IsEmpty());
  leadership_.store = absl::UnavailableError("etcd: no response in time");
  leadership_.warnings = {"machine: another one"};
  EXPECT_THAT(reports_.Status(0).state().warnings(),
              ElementsAre(HasSubstr("etcd: no response in time; no decisions"),
                          "machine: another one"));
}

}  // namespace
}  // namespace coolspan
