// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTERS_H_
#define COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTERS_H_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "service/clusters/live_cluster.h"

namespace coolspan {

// The clusters on the real clock, by name. Thread-safe.
class LiveClusters {
 public:
  static constexpr std::size_t kMaxClusters = 64;

  explicit LiveClusters(LiveSetting setting);

  // REQUIRES no earlier calls. Returns a warning for each cluster whose jobs
  // are not all known. Error: DATA_LOSS, with the cluster's name.
  absl::StatusOr<std::vector<std::string>> Restore(
      const std::vector<StoredCluster>& stored, DecisionArchive& archive);

  // Creates the cluster on its first Sync.
  // Errors: LiveCluster::Sync's; INVALID_ARGUMENT (a virtual clock, no name);
  // RESOURCE_EXHAUSTED (too many clusters).
  absl::StatusOr<v1::SyncReply> Sync(const v1::SyncRequest& request);
  // Empty name: the only cluster. Error: FAILED_PRECONDITION (no Sync yet;
  // empty name with another number of clusters than one).
  absl::StatusOr<std::shared_ptr<LiveCluster>> Find(
      const std::string& name) const;
  // The same for a user, who cannot send a Sync: the error names the clusters.
  absl::StatusOr<std::shared_ptr<LiveCluster>> FindNamed(
      const std::string& name) const;
  std::vector<std::shared_ptr<LiveCluster>> All() const;

  // Errors: NOT_FOUND; LiveCluster::End's; UNAVAILABLE (not stored yet; it is
  // removed).
  absl::StatusOr<v1::RemoveClusterReply> Remove(
      const v1::RemoveClusterRequest& request);
  // Time without contact after which a cluster is forgotten; 0: never.
  void SetExpiry(TimeMs expiry_ms) { expiry_ms_ = expiry_ms; }
  // Removes the clusters that are LiveCluster::IsForgotten. Does not wait.
  void RemoveForgotten(TimeMs now_ms);

 private:
  static constexpr std::size_t kMaxNameBytes = 255;

  // Removes a cluster after its Sync failed, unless it was synced before:
  // invalid requests must not fill the map.
  void RemoveUnsynced(std::shared_ptr<LiveCluster> cluster);

  const LiveSetting setting_;
  std::atomic<TimeMs> expiry_ms_ = 0;
  mutable std::mutex mutex_;
  // Clusters without a successful Sync are visible to Sync only.
  std::map<std::string, std::shared_ptr<LiveCluster>> clusters_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTERS_H_
