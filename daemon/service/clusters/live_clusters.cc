// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/live_clusters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "formats/file_error.h"

namespace coolspan {

LiveClusters::LiveClusters(LiveSetting setting)
    : setting_(std::move(setting)) {}

absl::Status LiveClusters::Restore(const std::vector<StoredCluster>& stored,
                                   DecisionArchive& archive) {
  const std::lock_guard lock(mutex_);
  for (const StoredCluster& cluster : stored) {
    auto live = std::make_shared<LiveCluster>(cluster.name, setting_);
    const auto recent = archive.RecentStartsOf(cluster.name);
    if (!recent.ok()) return recent.status();
    absl::Status status = live->Restore(cluster, *recent);
    if (!status.ok()) {
      return absl::DataLossError(fmt::format("cannot restore cluster {}: {}",
                                             cluster.name,
                                             std::string(status.message())));
    }
    clusters_.emplace(cluster.name, std::move(live));
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::SyncReply> LiveClusters::Sync(
    const v1::SyncRequest& request) {
  if (request.clock() != v1::CLOCK_REAL) {
    return absl::InvalidArgumentError(
        "clock: CLOCK_VIRTUAL outside a Session (expected CLOCK_REAL)");
  }
  const std::string& name = request.cluster();
  if (name.empty() || name.size() > kMaxNameBytes) {
    return absl::InvalidArgumentError(
        fmt::format("cluster: name of {} bytes (expected 1 to {})", name.size(),
                    kMaxNameBytes));
  }
  std::shared_ptr<LiveCluster> cluster;
  {
    const std::lock_guard lock(mutex_);
    const auto known = clusters_.find(name);
    if (known != clusters_.end()) {
      cluster = known->second;
    } else if (clusters_.size() < kMaxClusters) {
      cluster = std::make_shared<LiveCluster>(name, setting_);
      clusters_.emplace(name, cluster);
    } else {
      return absl::ResourceExhaustedError(fmt::format(
          "cluster: too many clusters (expected at most {})", kMaxClusters));
    }
  }
  auto reply = cluster->Sync(request);
  if (!reply.ok()) RemoveUnsynced(std::move(cluster));
  return reply;
}

void LiveClusters::RemoveUnsynced(std::shared_ptr<LiveCluster> cluster) {
  const std::lock_guard lock(mutex_);
  const auto found = clusters_.find(cluster->name());
  cluster.reset();
  // Another Sync of that name may be in progress and succeed.
  if (found != clusters_.end() && !found->second->is_known() &&
      found->second.use_count() == 1) {
    clusters_.erase(found);
  }
}

absl::StatusOr<std::shared_ptr<LiveCluster>> LiveClusters::Find(
    const std::string& name) const {
  if (name.empty()) {
    const std::vector<std::shared_ptr<LiveCluster>> known = All();
    if (known.size() == 1) return known.front();
    return absl::FailedPreconditionError(
        fmt::format("cluster: empty (expected a name: {} clusters are known)",
                    known.size()));
  }
  const std::lock_guard lock(mutex_);
  const auto found = clusters_.find(name);
  if (found != clusters_.end() && found->second->is_known()) {
    return found->second;
  }
  return absl::FailedPreconditionError(fmt::format(
      "cluster: {} is unknown (expected a Sync first)", Quoted(name)));
}

absl::StatusOr<std::shared_ptr<LiveCluster>> LiveClusters::FindNamed(
    const std::string& name) const {
  auto cluster = Find(name);
  if (cluster.ok()) return cluster;
  std::vector<std::string> known;
  for (const auto& other : All()) known.push_back(other->name());
  return absl::FailedPreconditionError(fmt::format(
      "cluster: {} ({})",
      name.empty() ? "not specified"
                   : fmt::format("{} is unknown", Quoted(name)),
      known.empty()
          ? "no cluster has connected yet"
          : fmt::format("expected one of: {}", fmt::join(known, ", "))));
}

std::vector<std::shared_ptr<LiveCluster>> LiveClusters::All() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<LiveCluster>> known;
  for (const auto& [name, cluster] : clusters_) {
    if (cluster->is_known()) known.push_back(cluster);
  }
  return known;
}

}  // namespace coolspan
