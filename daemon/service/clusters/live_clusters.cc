// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/live_clusters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "formats/file_error.h"

namespace coolspan {
namespace {

// Quoted if it has other characters than those of a usual name.
std::string NameText(const std::string& name) {
  const bool is_plain = std::ranges::all_of(
      name, [](char c) { return c > ' ' && c <= '~' && c != '"'; });
  return is_plain ? name : Quoted(name);
}

// nullopt: nothing is missing.
std::optional<std::string> LossesText(const StoredCluster& cluster,
                                      const RestoreLosses& losses) {
  constexpr std::size_t kNamed = 5;
  if (losses.gone + losses.reduced > 0) {
    const std::span<const std::string> unknown = losses.unknown_nodes;
    return fmt::format(
        "cluster {}: {} of {} jobs not restored and {} without some of their "
        "nodes: {} of the nodes {} not in the machine file: {}{}; no decisions "
        "before the next sync (expected the machine file of this cluster)",
        cluster.name, losses.gone, losses.jobs, losses.reduced, unknown.size(),
        unknown.size() == 1 ? "is" : "are",
        fmt::join(unknown.first(std::min(kNamed, unknown.size())), ", "),
        unknown.size() > kNamed ? ", ..." : "");
  }
  if (losses.new_nodes > 0) {
    return fmt::format(
        "cluster {}: {} of its nodes were not in the machine file at the last "
        "sync and are now, so that its jobs on them are not known; no "
        "decisions before the next sync",
        cluster.name, losses.new_nodes);
  }
  if (!cluster.is_incomplete) return std::nullopt;
  return fmt::format(
      "cluster {}: {} jobs restored, of an incomplete state file; no decisions "
      "before the next sync",
      cluster.name, cluster.holdings.size());
}

}  // namespace

LiveClusters::LiveClusters(LiveSetting setting)
    : setting_(std::move(setting)) {}

absl::StatusOr<std::vector<std::string>> LiveClusters::Restore(
    const std::vector<StoredCluster>& stored, DecisionArchive& archive) {
  std::vector<std::string> warnings;
  const std::lock_guard lock(mutex_);
  for (const StoredCluster& cluster : stored) {
    auto live = std::make_shared<LiveCluster>(cluster.name, setting_);
    // Without an archive, policies do not know the last starts.
    const auto recent = archive.RecentStartsOf(cluster.name);
    const auto losses =
        live->Restore(cluster, recent.ok() ? std::span(*recent)
                                           : std::span<const StoredStart>());
    if (!losses.ok()) {
      return absl::DataLossError(
          fmt::format("cannot restore cluster {}: {}", cluster.name,
                      std::string(losses.status().message())));
    }
    if (auto warning = LossesText(cluster, *losses)) {
      live->WarnUntilSync(*warning);
      warnings.push_back(*std::move(warning));
    }
    clusters_.emplace(cluster.name, std::move(live));
  }
  return warnings;
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
  for (const auto& other : All()) known.push_back(NameText(other->name()));
  return absl::FailedPreconditionError(fmt::format(
      "cluster: {} ({})",
      name.empty() ? "not specified"
                   : fmt::format("{} is unknown", Quoted(name)),
      known.empty()
          ? "no cluster has connected yet"
          : fmt::format("expected one of: {}", fmt::join(known, ", "))));
}

absl::StatusOr<v1::RemoveClusterReply> LiveClusters::Remove(
    const v1::RemoveClusterRequest& request) {
  absl::StatusOr<LiveCluster::Ended> ended;
  // Destroyed without the lock: a decision may be in progress.
  std::shared_ptr<LiveCluster> cluster;
  {
    // With the lock: a new cluster of this name must come after the removal.
    const std::lock_guard lock(mutex_);
    const auto found = clusters_.find(request.cluster());
    if (found == clusters_.end() || !found->second->is_known()) {
      return absl::NotFoundError(
          fmt::format("cluster: {} is unknown (see coolspan cluster list)",
                      Quoted(request.cluster())));
    }
    ended = found->second->End("removed by an operator", request.force());
    if (!ended.ok()) return ended.status();
    cluster = std::move(found->second);
    clusters_.erase(found);
  }
  absl::Status status = setting_.journal->Wait(ended->ticket);
  if (!status.ok()) return status;
  v1::RemoveClusterReply reply;
  reply.set_cluster(request.cluster());
  reply.set_jobs(static_cast<std::uint32_t>(ended->jobs));
  return reply;
}

void LiveClusters::RemoveForgotten(TimeMs now_ms) {
  const TimeMs expiry_ms = expiry_ms_;
  if (expiry_ms == 0) return;
  // Destroyed without the lock: a decision may be in progress.
  std::vector<std::shared_ptr<LiveCluster>> forgotten;
  const std::lock_guard lock(mutex_);
  std::erase_if(clusters_, [&forgotten,
                            heard_before_ms = now_ms - expiry_ms](auto& entry) {
    LiveCluster& cluster = *entry.second;
    const bool is_removed =
        cluster.is_known() && cluster.IsForgotten(heard_before_ms) &&
        cluster.End("no contact for cluster_expiry_days", true).ok();
    if (is_removed) forgotten.push_back(entry.second);
    return is_removed;
  });
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
