// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_GATED_CLUSTER_TEST_H_
#define COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_GATED_CLUSTER_TEST_H_

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "room_machine.h"
#include "unit/service/clusters/first_nodes.h"
#include "unit/service/clusters/live_cluster_test.h"

namespace coolspan {

// Takes the first nodes, when it may.
class Gated final : public Policy {
 public:
  static constexpr std::chrono::seconds kPatience{60};

  std::string_view name() const override { return "gated"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& /*budget*/,
                                  Trace& /*trace*/) const override {
    {
      std::unique_lock lock(mutex_);
      const int number = ++begun_;
      changed_.notify_all();
      EXPECT_TRUE(changed_.wait_for(lock, kPatience,
                                    [&] { return let_through_ >= number; }));
    }
    return FirstNodes(view, request);
  }
  // Until so many decisions have been begun, from the first one on.
  void WaitForBegun(int number) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(
        changed_.wait_for(lock, kPatience, [&] { return begun_ >= number; }));
  }
  void LetThrough(int number) {
    const std::lock_guard lock(mutex_);
    let_through_ = number;
    changed_.notify_all();
  }
  int begun() const {
    const std::lock_guard lock(mutex_);
    return begun_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable int begun_ = 0;
  int let_through_ = 0;
};

class GatedClusterTest : public LiveClusterTest {
 protected:
  using Reply = absl::StatusOr<v1::AllocateReply>;

  GatedClusterTest() {
    const auto synced = gated_.Sync(SmallSync());
    EXPECT_TRUE(synced.ok()) << synced.status();
    gated_epoch_ = synced->epoch();
  }
  ~GatedClusterTest() override { policy_->LetThrough(1000); }

  DaemonSetup WithPolicy(DaemonSetup setup) {
    setup.policy = policy_;
    return setup;
  }
  Reply AskGated(std::uint32_t job_id, std::uint32_t nodes,
                 std::uint64_t attempt = 1) {
    return AnswerOf(gated_, AskFor(gated_epoch_, job_id, nodes, attempt),
                    Limits());
  }
  // The same on another thread.
  std::future<Reply> AskAside(std::uint32_t job_id, std::uint32_t nodes,
                              std::uint64_t attempt = 1) {
    return std::async(std::launch::async, [this, job_id, nodes, attempt] {
      return AskGated(job_id, nodes, attempt);
    });
  }
  absl::Status Apply(EventKind kind, const v1::Event& event) {
    return gated_.Apply(kind, event).status();
  }
  // Job 7 runs on these nodes: the client's event of that number.
  absl::Status CommitOther(std::uint64_t sequence,
                           const std::vector<int>& nodes,
                           std::int64_t now_ms = 1000) {
    return Apply(EventKind::kCommit,
                 CommitOf(gated_epoch_, sequence, 7, nodes, now_ms));
  }
  // Another job takes a chosen node during the decision, which ends only after
  // so long.
  void ExpectNotDecidedAnewAfter(std::chrono::milliseconds time,
                                 TimeLimits limits) {
    auto reply = std::async(std::launch::async, [this, limits] {
      return AnswerOf(gated_, AskFor(gated_epoch_, 1, 2), limits);
    });
    policy_->WaitForBegun(1);
    EXPECT_TRUE(CommitOther(1, {2}).ok());
    std::this_thread::sleep_for(time);
    policy_->LetThrough(1);
    EXPECT_TRUE(absl::IsUnavailable(reply.get().status()));
    EXPECT_EQ(policy_->begun(), 1);
  }
  static bool IsReady(const std::future<Reply>& reply) {
    return reply.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  std::shared_ptr<Gated> policy_ = std::make_shared<Gated>();
  DaemonSetup gated_setup_ = WithPolicy(setup_);
  CurrentConfig gated_config_{
      std::make_shared<const DecisionConfig>(gated_setup_)};
  LiveCluster gated_{
      "c", {gated_setup_.machine, &gated_config_, &journal_, &times_}};
  std::string gated_epoch_;
};

// A cluster in a room, with the policy of the setup.
struct ClusterInRoom {
  ClusterInRoom(DaemonSetup without_room, Journal& journal,
                DecisionTimes& times)
      : setup(InRoom(std::move(without_room))),
        cluster("c", {setup.machine, &config, &journal, &times}) {}
  static DaemonSetup InRoom(DaemonSetup setup) {
    setup.machine = InSomeRoom(setup.machine, 8, 1);
    return setup;
  }

  DaemonSetup setup;
  CurrentConfig config{std::make_shared<const DecisionConfig>(setup)};
  LiveCluster cluster;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_GATED_CLUSTER_TEST_H_
