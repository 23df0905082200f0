// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_TENURE_TEST_H_
#define COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_TENURE_TEST_H_

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "service/clusters/live_clusters.h"
#include "unit/service/clusters/live_cluster_test.h"

namespace coolspan {

// Leads what the test says.
class GivenLeadership final : public Leadership {
 public:
  GivenLeadership() { lease->ExtendTo(LeaseTime::Clock::time_point::max()); }

  void Start(Listener) override {}
  void Stop() override {}
  absl::Status status() const override { return store; }
  std::vector<std::string> Warnings() const override { return warnings; }
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
  std::vector<Known> ListClusters() const override { return known; }
  absl::StatusOr<StoredCluster> Read(const std::string&) const override {
    return stored;
  }

  mutable std::mutex mutex;
  absl::Status store;
  std::vector<std::string> warnings;
  std::string leader;  // of all clusters; empty: this daemon
  std::uint64_t term = 1;
  const std::shared_ptr<LeaseTime> lease = std::make_shared<LeaseTime>();
  std::map<std::string, std::shared_ptr<Tenure>> tenures;
  std::vector<std::string> resigned;
  std::vector<Known> known;
  StoredCluster stored;
};

// Clusters of a daemon that takes part in elections. The elections are those of
// the test; tests/unit/etcd has real ones.
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

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_TENURE_TEST_H_
