// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters of a daemon that takes part in elections. The elections are those of
// the test; tests/unit/etcd has real ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "room_machine.h"
#include "service/clusters/live_clusters.h"
#include "service/monitor/health.h"
#include "service/monitor/thermal_monitor.h"
#include "unit/service/clusters/live_cluster_test.h"

namespace coolspan {
namespace {

// Leads what the test says.
class GivenLeadership final : public Leadership {
 public:
  GivenLeadership() { lease->ExtendTo(LeaseTime::Clock::time_point::max()); }

  void Start(Listener) override {}
  void Stop() override {}
  absl::Status status() const override { return store; }
  absl::Status Check(const std::string& cluster) const override {
    const std::lock_guard lock(mutex);
    const auto found = tenures.find(cluster);
    if (found != tenures.end() && found->second->IsCurrent()) return {};
    if (leader.empty()) return {};  // nobody has heard of the cluster
    return NotLeaderError(cluster, leader);
  }
  absl::StatusOr<std::shared_ptr<Tenure>> Claim(
      const std::string& cluster,
      std::chrono::steady_clock::time_point) override {
    const std::lock_guard lock(mutex);
    if (!leader.empty()) return NotLeaderError(cluster, leader);
    auto& tenure = tenures[cluster];
    if (tenure == nullptr || !tenure->IsCurrent()) {
      tenure = std::make_shared<Tenure>(term, lease);
    }
    return tenure;
  }
  void Abstain(bool) override {}
  void Resign(const std::string& cluster) override {
    const std::lock_guard lock(mutex);
    tenures.erase(cluster);
    resigned.push_back(cluster);
  }
  std::vector<Followed> ListFollowed() const override { return followed; }
  absl::StatusOr<StoredCluster> Read(const std::string&) const override {
    return stored;
  }

  mutable std::mutex mutex;
  absl::Status store;
  std::string leader;  // of all clusters; empty: this daemon
  std::uint64_t term = 1;
  const std::shared_ptr<LeaseTime> lease = std::make_shared<LeaseTime>();
  std::map<std::string, std::shared_ptr<Tenure>> tenures;
  std::vector<std::string> resigned;
  std::vector<Followed> followed;
  StoredCluster stored;
};

class TenureTest : public LiveClusterTest {
 protected:
  LiveSetting Setting() {
    LiveSetting setting = setting_;
    setting.leadership = &leadership_;
    setting.clock_ms = [] { return TimeMs{1000}; };
    return setting;
  }
  static StoredCluster Stored() {
    StoredCluster stored;
    stored.name = "c";
    stored.node_table = "n[1-8]";
    stored.capacity.assign(8, 4);
    StoredHolding held;
    held.job = {7, 0};
    held.committed = true;
    held.nodes = "n[2-3]";
    stored.holdings = {held};
    return stored;
  }

  GivenLeadership leadership_;
  LiveClusters clusters_{Setting()};
};

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
  leadership_.followed = {{"c", "unix:///other", 1}};
  leadership_.stored = Stored();
  EXPECT_EQ(LeaderNamedIn(clusters_.FindNamed("").status()), "unix:///other");
}

TEST_F(TenureTest, AStoreOutOfReachIsTold) {
  EXPECT_TRUE(clusters_.StoreStatus().ok());
  const Health health(journal_, &leadership_);
  EXPECT_TRUE(health.Ready().ok());
  leadership_.store = absl::UnavailableError("etcd: no response in time");
  EXPECT_EQ(clusters_.StoreStatus(), leadership_.store);
  EXPECT_EQ(health.Ready(), leadership_.store);
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
  leadership_.followed = {{"c", "unix:///other", 1}};
  leadership_.stored = Stored();
  const auto shown = clusters_.AllShown();
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].cluster->Holdings().size(), 1u);
  EXPECT_TRUE(clusters_.FindShown("c").ok());
  EXPECT_FALSE(clusters_.FindShown("d").ok());
  EXPECT_TRUE(clusters_.All().empty());
  EXPECT_EQ(shown[0].leader, "unix:///other");
}

// All leaders' jobs heat one room: 100 W a node, 300 W with a job, whose mean
// share of communication is 30 %.
TEST_F(TenureTest, TheRoomHasTheHeatOfTheClustersOfOthers) {
  leadership_.leader = "unix:///other";
  DaemonSetup setup = SmallSetup(folder_.File(""));
  setup.machine = InRoom(*setup.machine,
                         RoomDescription(8, 8, std::vector<double>(64, 1e-4)));
  ThermalMonitor monitor(setup, clusters_, *log_, [] { return TimeMs{1000}; });
  EXPECT_DOUBLE_EQ(monitor.Status().it_w(), 800);
  leadership_.followed = {{"c", "unix:///other", 1}};
  leadership_.stored = Stored();
  LiveSetting setting = Setting();
  setting.machine = setup.machine;
  const LiveClusters others(setting);
  ThermalMonitor with_jobs(setup, others, *log_, [] { return TimeMs{1000}; });
  EXPECT_DOUBLE_EQ(with_jobs.Status().it_w(), 800 + 2 * 170);
}

TEST_F(TenureTest, AClusterOfThisDaemonHasNoOtherLeader) {
  ASSERT_TRUE(clusters_.Sync(SmallSync()).ok());
  const auto shown = clusters_.AllShown();
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].leader, std::nullopt);
}

}  // namespace
}  // namespace coolspan
