// SPDX-License-Identifier: GPL-3.0-or-later
// The recent starts that policies see in live clusters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/clusters/live_cluster.h"
#include "unit/service/clusters/first_nodes.h"
#include "unit/service/clusters/live_cluster_test.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;

// Records the starts that it sees.
class SeesStarts final : public Policy {
 public:
  explicit SeesStarts(std::vector<RecentStart>& seen) : seen_(&seen) {}
  std::string_view name() const override { return "sees-starts"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& /*budget*/,
                                  Trace& /*trace*/) const override {
    seen_->clear();
    for (std::size_t i = 0; i < view.recent_starts()->size(); ++i) {
      seen_->push_back((*view.recent_starts())[i]);
    }
    return FirstNodes(view, request);
  }

 private:
  std::vector<RecentStart>* seen_;
};

class RecentStartsOfClusterTest : public LiveClusterTest {
 protected:
  std::vector<RecentStart> SeenBy(const LiveCluster& cluster) {
    std::vector<RecentStart> seen;
    const auto reply =
        cluster.Preview(AskFor(epoch_, 99, 1), SeesStarts(seen), Limits());
    EXPECT_TRUE(reply.ok()) << reply.status();
    return seen;
  }
  static v1::JobStart StartWithLimit(std::int64_t time_limit_s) {
    v1::JobStart start;
    start.set_verdict("enforced");
    start.set_time_limit_s(time_limit_s);
    return start;
  }
  v1::Event StartOn(std::uint64_t sequence, std::uint32_t job_id,
                    const std::vector<int>& nodes, std::int64_t now_ms,
                    std::int64_t time_limit_s) const {
    v1::Event event = CommitOf(epoch_, sequence, job_id, nodes, now_ms);
    event.set_client_id(client_id_);
    if (time_limit_s > 0) {
      event.mutable_holding()->set_expected_end_ms(now_ms +
                                                   1000 * time_limit_s);
    }
    *event.mutable_start() = StartWithLimit(time_limit_s);
    return event;
  }
};

TEST_F(RecentStartsOfClusterTest, SurviveARestart) {
  Sync("q");
  const v1::Event first = StartOn(1, 1, {1, 2}, 2000, 60);
  ASSERT_TRUE(cluster_.Apply(EventKind::kCommit, first).ok());
  ASSERT_TRUE(cluster_.Apply(EventKind::kCommit, first).ok()) << "repeated";
  ASSERT_TRUE(
      cluster_.Apply(EventKind::kRelease, EventOf(epoch_, 2, 1, 3000)).ok());
  ASSERT_TRUE(
      cluster_.Apply(EventKind::kCommit, StartOn(3, 2, {3}, 4000, 0)).ok());
  const std::vector<RecentStart> seen = SeenBy(cluster_);
  EXPECT_THAT(
      seen, ElementsAre(RecentStart{2000, 2, 60'000}, RecentStart{4000, 1, 0}));
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  LiveCluster restarted("c", setting_);
  ASSERT_TRUE(
      restarted
          .Restore(ledger_store_->Load()->at(0), *archive_->RecentStartsOf("c"))
          .ok());
  EXPECT_EQ(SeenBy(restarted), seen);
}

TEST_F(RecentStartsOfClusterTest, NodesThatAreGoneDoNotPreventARestart) {
  StoredCluster stored;
  stored.name = "c";
  stored.node_table = "n[1-8]";
  stored.capacity.assign(8, 4);
  std::vector<StoredStart> recent;
  const auto add = [&](const std::string& nodes, std::int64_t time_limit_s) {
    StoredStart start;
    start.job = {7, 0};
    start.started_ms = 500;
    start.nodes = nodes;
    start.time_limit_s = time_limit_s;
    recent.push_back(start);
  };
  add("m[1-3]", 60);
  add("n[3,7-9]", 60);
  add("n[1-", 60);
  add("", 60);
  add("n5", -1);
  add("n5", std::numeric_limits<std::int64_t>::max());
  LiveCluster cluster("c", setting_);
  ASSERT_TRUE(cluster.Restore(stored, recent).ok());
  Sync("q");  // for the epoch, which is the same
  const std::vector<RecentStart> seen = SeenBy(cluster);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0], (RecentStart{500, 3, 60'000})) << "n9 is unknown";
  EXPECT_EQ(seen[1], (RecentStart{500, 1, 0}));
}

// The daemon did not receive their commits.
TEST_F(RecentStartsOfClusterTest, StartsInASyncAreSeenOnce) {
  Sync("q.1");
  ASSERT_TRUE(
      cluster_.Apply(EventKind::kCommit, StartOn(1, 1, {1}, 2000, 60)).ok());
  v1::SyncRequest sync = SmallSync(
      {WholeHolding(1, {1}), WholeHolding(2, {2, 3}), WholeHolding(3, {4})});
  sync.set_client_id("q.1");
  sync.set_now_ms(9000);
  sync.set_sequence(3);
  *sync.add_starts() = StartOn(1, 1, {1}, 2000, 60);  // received
  *sync.add_starts() = StartOn(2, 2, {2, 3}, 4000, 60);
  *sync.add_starts() = StartOn(3, 5, {4}, 5000, 60);  // has ended
  ASSERT_TRUE(cluster_.Sync(sync).ok());
  const std::vector<RecentStart> seen = SeenBy(cluster_);
  EXPECT_THAT(seen, ElementsAre(RecentStart{2000, 1, 60'000},
                                RecentStart{4000, 2, 60'000}));
  ASSERT_TRUE(cluster_.Sync(sync).ok()) << "repeated";
  EXPECT_EQ(SeenBy(cluster_), seen);
  ASSERT_TRUE(journal_.Wait(journal_.last()).ok());
  LiveCluster restarted("c", setting_);
  ASSERT_TRUE(
      restarted
          .Restore(ledger_store_->Load()->at(0), *archive_->RecentStartsOf("c"))
          .ok());
  EXPECT_EQ(SeenBy(restarted), seen);
}

// Of a controller whose clock has been set back. Without a limit, each later
// start would count as simultaneous with it.
TEST_F(RecentStartsOfClusterTest, AStartInTheFutureCountsAsNow) {
  Sync("q.1");
  v1::SyncRequest sync = SmallSync({WholeHolding(2, {2, 3})});
  sync.set_client_id("q.1");
  sync.set_now_ms(9000);
  sync.set_sequence(2);
  *sync.add_starts() = StartOn(1, 2, {2, 3}, 900'000, 60);
  ASSERT_TRUE(cluster_.Sync(sync).ok());
  EXPECT_THAT(SeenBy(cluster_), ElementsAre(RecentStart{9000, 2, 60'000}));
}

}  // namespace
}  // namespace coolspan
