// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTERS_H_
#define COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTERS_H_

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "service/clusters/live_cluster.h"

namespace coolspan {

// The clusters on the real clock, by name. Thread-safe.
class LiveClusters {
 public:
  static constexpr std::size_t kMaxClusters = 256;

  explicit LiveClusters(LiveSetting setting);

  // REQUIRES no earlier calls. Returns a warning for each cluster whose jobs
  // are not all known. Error: DATA_LOSS, with the cluster's name.
  absl::StatusOr<std::vector<std::string>> Restore(
      const std::vector<StoredCluster>& stored, DecisionArchive& archive);

  // This daemon was elected: Leadership::Listener's. Returns what an operator
  // should know; empty: nothing.
  std::string BeginTenure(const std::string& name,
                          const std::shared_ptr<Tenure>& tenure,
                          const std::optional<StoredCluster>& stored,
                          DecisionArchive& archive);
  // The tenure is over: the cluster is not decided for any more.
  void EndTenure(const std::string& name);

  // Creates the cluster on its first Sync.
  // Errors: LiveCluster::Sync's; INVALID_ARGUMENT (a virtual clock, no name);
  // RESOURCE_EXHAUSTED (too many clusters); Leadership::Claim's.
  absl::StatusOr<v1::SyncReply> Sync(const v1::SyncRequest& request);
  // Empty name: the only cluster. Errors: FAILED_PRECONDITION (no Sync yet;
  // empty name with another number of clusters than one); NotLeaderError.
  absl::StatusOr<std::shared_ptr<LiveCluster>> Find(
      const std::string& name) const;
  // The same for a user, who cannot send a Sync: the error names the clusters.
  absl::StatusOr<std::shared_ptr<LiveCluster>> FindNamed(
      const std::string& name) const;
  std::vector<std::shared_ptr<LiveCluster>> All() const;
  // Whether the clusters of all daemons are known. Error: UNAVAILABLE, the
  // store that the daemons share is out of reach.
  absl::Status StoreStatus() const;
  // Leadership's; empty without.
  std::vector<std::string> LeadershipWarnings() const;
  struct Shown {
    std::shared_ptr<LiveCluster> cluster;
    // The endpoint of the daemon that decides for it, empty: none at the
    // moment. nullopt: this daemon.
    std::optional<std::string> leader;
  };
  // The same for reports, with the clusters of other leaders, as they were at
  // most a second or so ago. Those objects are for reading only.
  std::vector<Shown> AllShown() const;
  // Of a cluster that another daemon decides for; empty: none, or not known.
  std::string LeaderOf(const std::string& name) const;
  absl::StatusOr<std::shared_ptr<LiveCluster>> FindShown(
      const std::string& name) const;

  // Errors: NOT_FOUND; LiveCluster::End's; UNAVAILABLE (not stored yet; it is
  // removed).
  absl::StatusOr<v1::RemoveClusterReply> Remove(
      const v1::RemoveClusterRequest& request);
  // Time without contact after which a cluster is forgotten; 0: never.
  void SetExpiry(TimeMs expiry_ms) { expiry_ms_ = expiry_ms; }
  // Removes the clusters that are LiveCluster::IsForgotten. With Leadership,
  // waits until that is stored.
  void RemoveForgotten(TimeMs now_ms);

 private:
  static constexpr std::size_t kMaxNameBytes = 255;

  // Removes a cluster after its Sync failed, unless it was synced before:
  // invalid requests must not fill the map.
  void RemoveUnsynced(std::shared_ptr<LiveCluster> cluster);

  // led: names of clusters that need no copy. REQUIRES followed_mutex_.
  void RefreshFollowed(const std::set<std::string>& led) const;
  static absl::StatusOr<std::shared_ptr<LiveCluster>> FindAmong(
      const std::vector<std::shared_ptr<LiveCluster>>& clusters,
      const std::string& name);
  absl::StatusOr<v1::SyncReply> SyncWith(const v1::SyncRequest& request,
                                         const std::shared_ptr<Tenure>& tenure);

  const LiveSetting setting_;
  std::atomic<TimeMs> expiry_ms_ = 0;
  mutable std::mutex mutex_;
  // Clusters without a successful Sync are visible to Sync only.
  std::map<std::string, std::shared_ptr<LiveCluster>> clusters_;
  // Clusters of other leaders, made for a report.
  struct Followed {
    std::uint64_t version = 0;
    std::string leader;  // Leadership::Known's
    std::shared_ptr<LiveCluster> cluster;
  };
  mutable std::mutex followed_mutex_;
  mutable std::map<std::string, Followed> followed_;
  mutable std::chrono::steady_clock::time_point followed_at_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTERS_H_
