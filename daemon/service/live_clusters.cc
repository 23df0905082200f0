// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/live_clusters.h"

#include <fmt/format.h>

#include <utility>

namespace coolspan {

LiveClusters::LiveClusters(std::shared_ptr<const Machine> machine,
                           std::shared_ptr<const Policy> policy)
    : machine_(std::move(machine)), policy_(std::move(policy)) {}

absl::StatusOr<v1::SyncReply> LiveClusters::Sync(
    const v1::SyncRequest& request) {
  if (request.clock() != v1::CLOCK_REAL) {
    return absl::InvalidArgumentError(
        "clock: a virtual cluster lives in a Session; open one");
  }
  if (request.cluster().empty()) {
    return absl::InvalidArgumentError("cluster: the name is empty; one is wanted");
  }
  std::shared_ptr<LiveCluster> cluster;
  {
    const std::lock_guard lock(mutex_);
    const auto known = clusters_.find(request.cluster());
    if (known != clusters_.end()) cluster = known->second;
    if (cluster == nullptr && clusters_.size() >= kMaxClusters) {
      return absl::ResourceExhaustedError(
          fmt::format("cluster: the daemon has {} already", kMaxClusters));
    }
  }
  const bool is_new = cluster == nullptr;
  if (is_new) {
    cluster = std::make_shared<LiveCluster>(request.cluster(), machine_, policy_);
  }
  auto reply = cluster->Sync(request);
  if (reply.ok() && is_new) {
    const std::lock_guard lock(mutex_);
    clusters_.insert_or_assign(request.cluster(), std::move(cluster));
  }
  return reply;
}

absl::StatusOr<std::shared_ptr<LiveCluster>> LiveClusters::Find(
    const std::string& name) const {
  const std::lock_guard lock(mutex_);
  if (name.empty() && clusters_.size() == 1) return clusters_.begin()->second;
  const auto known = clusters_.find(name);
  if (known != clusters_.end()) return known->second;
  return absl::FailedPreconditionError(
      fmt::format("cluster: \"{}\" is not known; Sync first", name));
}

}  // namespace coolspan
