// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_VIRTUAL_CLUSTER_H_
#define COOLSPAN_SERVICE_CLUSTERS_VIRTUAL_CLUSTER_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "coolspan/v1/allocator.pb.h"
#include "service/clusters/policy_cache.h"
#include "service/clusters/served_cluster.h"

namespace coolspan {

// One virtual cluster: its ledger is its own, nothing of it is stored, and its
// time is that of the requests. Not thread-safe.
class VirtualCluster {
 public:
  VirtualCluster(std::shared_ptr<const Machine> machine, PolicyCache& policies);

  // What a message is answered with; nullopt: an event that went well.
  std::optional<v1::SessionReply> Answer(const v1::SessionRequest& request);

 private:
  static constexpr std::size_t kMaxPreviewed = 64;

  absl::StatusOr<v1::SyncReply> Sync(const v1::SyncRequest& request);
  // The daemon's, with idle nodes on or off as the request says.
  absl::StatusOr<std::shared_ptr<const Machine>> MachineOf(
      const v1::SyncRequest& request) const;
  absl::StatusOr<std::shared_ptr<const Ordering>> OrderingOf(
      const v1::SyncRequest& request) const;
  absl::StatusOr<std::shared_ptr<const Policy>> PolicyOf(
      const v1::PreviewRequest& request);
  absl::StatusOr<v1::AllocateReply> Allocate(
      const v1::AllocateRequest& request);
  absl::StatusOr<v1::AllocateReply> Preview(const v1::PreviewRequest& request);
  absl::Status Apply(EventKind kind, const v1::Event& event);
  absl::Status CheckEpoch(const std::string& epoch) const;

  std::shared_ptr<const Machine> machine_;
  PolicyCache& policies_;
  // Of the last Sync.
  std::shared_ptr<const Ordering> ordering_;
  std::shared_ptr<const Policy> policy_;
  std::string policy_spec_;
  std::string span_;
  // Those asked for since, by policy and ordering, at most kMaxPreviewed.
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const Policy>>
      previewed_;
  std::optional<ServedCluster> cluster_;  // made by the first Sync
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_VIRTUAL_CLUSTER_H_
