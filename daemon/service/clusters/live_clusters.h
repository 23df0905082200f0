// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTERS_H_
#define COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTERS_H_

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

  // REQUIRES no calls before it. Error: the cluster's name and what is wrong.
  absl::Status Restore(const std::vector<StoredCluster>& stored);

  // A name seen for the first time makes a cluster.
  // Errors: LiveCluster::Sync's; INVALID_ARGUMENT (a virtual clock, no name);
  // RESOURCE_EXHAUSTED (too many clusters).
  absl::StatusOr<v1::SyncReply> Sync(const v1::SyncRequest& request);
  // Empty name: the only one. Error: FAILED_PRECONDITION, not synced yet.
  absl::StatusOr<std::shared_ptr<LiveCluster>> Find(
      const std::string& name) const;
  std::vector<std::shared_ptr<LiveCluster>> All() const;

 private:
  static constexpr std::size_t kMaxNameBytes = 255;

  // So that names nobody ever synced well under do not fill the map.
  void ForgetUnknown(std::shared_ptr<LiveCluster> refused);

  const LiveSetting setting_;
  mutable std::mutex mutex_;
  // One that was never synced well stays unknown to all but Sync.
  std::map<std::string, std::shared_ptr<LiveCluster>> clusters_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_LIVE_CLUSTERS_H_
