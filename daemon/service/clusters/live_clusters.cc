// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/live_clusters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "formats/file_error.h"

namespace coolspan {
namespace {

// Time for an election that a Sync begins.
constexpr std::chrono::seconds kMaxClaim{2};
constexpr std::chrono::seconds kFollowedAge{1};

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
  if (setting_.leadership == nullptr) return SyncWith(request, nullptr);
  auto tenure = setting_.leadership->Claim(
      name, std::chrono::steady_clock::now() + kMaxClaim);
  if (!tenure.ok()) return tenure.status();
  auto reply = SyncWith(request, *tenure);
  if (!reply.ok() && (*tenure)->IsCurrent() && !Find(name).ok()) {
    setting_.leadership->Resign(name);
  }
  return reply;
}

absl::StatusOr<v1::SyncReply> LiveClusters::SyncWith(
    const v1::SyncRequest& request, const std::shared_ptr<Tenure>& tenure) {
  const std::string& name = request.cluster();
  std::shared_ptr<LiveCluster> cluster;
  // Destroyed without the lock: a decision may be in progress.
  std::shared_ptr<LiveCluster> replaced;
  {
    const std::lock_guard lock(mutex_);
    auto known = clusters_.find(name);
    if (known != clusters_.end() && known->second->tenure() != tenure) {
      // Lost and won again since this Sync was let in.
      if (known->second->tenure()->term() > tenure->term()) {
        return NotLeaderError(name, "", "elected again during the sync");
      }
      replaced = std::move(known->second);
      replaced->EndTenure();
      clusters_.erase(known);
      known = clusters_.end();
    }
    if (known != clusters_.end()) {
      cluster = known->second;
    } else if (clusters_.size() < kMaxClusters) {
      cluster = std::make_shared<LiveCluster>(name, setting_, tenure);
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
  if (setting_.leadership != nullptr) {
    absl::Status status = setting_.leadership->Check(name);
    if (!status.ok()) return status;
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
  if (setting_.leadership != nullptr && name.empty()) {
    // Another daemon may know more.
    if (AllShown().empty() && !StoreStatus().ok()) return StoreStatus();
    const auto shown = FindShown("");
    if (!shown.ok()) return shown.status();
    return FindNamed((*shown)->name());
  }
  auto cluster = Find(name);
  if (cluster.ok() || LeaderNamedIn(cluster.status()).has_value()) {
    return cluster;
  }
  return FindAmong(All(), name);
}

std::string LiveClusters::LeaderOf(const std::string& name) const {
  for (Shown& shown : AllShown()) {
    if (shown.cluster->name() == name) return shown.leader.value_or("");
  }
  return "";
}

absl::StatusOr<std::shared_ptr<LiveCluster>> LiveClusters::FindShown(
    const std::string& name) const {
  std::vector<std::shared_ptr<LiveCluster>> shown;
  for (Shown& entry : AllShown()) shown.push_back(std::move(entry.cluster));
  return FindAmong(shown, name);
}

absl::StatusOr<std::shared_ptr<LiveCluster>> LiveClusters::FindAmong(
    const std::vector<std::shared_ptr<LiveCluster>>& clusters,
    const std::string& name) {
  std::vector<std::string> known;
  for (const auto& cluster : clusters) {
    if (cluster->name() == name || (name.empty() && clusters.size() == 1)) {
      return cluster;
    }
    known.push_back(NameText(cluster->name()));
  }
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
  if (setting_.leadership != nullptr) {
    absl::Status status = setting_.leadership->Check(request.cluster());
    if (!status.ok()) return status;
  }
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
  status.Update(cluster->CheckTenure());
  if (!status.ok()) return status;
  if (setting_.leadership != nullptr) {
    setting_.leadership->Resign(request.cluster());
  }
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
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(clusters_, [&forgotten, heard_before_ms =
                                              now_ms - expiry_ms](auto& entry) {
      LiveCluster& cluster = *entry.second;
      const bool is_removed =
          cluster.is_known() && cluster.IsForgotten(heard_before_ms) &&
          cluster.End("no contact for cluster_expiry_days", true).ok();
      if (is_removed) forgotten.push_back(entry.second);
      return is_removed;
    });
  }
  if (setting_.leadership == nullptr || forgotten.empty()) return;
  // The removal must be stored while this daemon leads. If it is not, another
  // leader finds the cluster as old, and removes it.
  (void)setting_.journal->Wait(setting_.journal->last());
  for (const auto& cluster : forgotten) {
    setting_.leadership->Resign(cluster->name());
  }
}

std::string LiveClusters::BeginTenure(
    const std::string& name, const std::shared_ptr<Tenure>& tenure,
    const std::optional<StoredCluster>& stored, DecisionArchive& archive) {
  EndTenure(name);
  // Without it, the cluster is served after a Sync.
  if (!stored.has_value()) return "";
  auto cluster = std::make_shared<LiveCluster>(name, setting_, tenure);
  const auto recent = archive.RecentStartsOf(name);
  const auto losses =
      cluster->Restore(*stored, recent.ok() ? std::span(*recent)
                                            : std::span<const StoredStart>());
  if (!losses.ok()) {
    return fmt::format("cannot restore cluster {}: {}", name,
                       std::string(losses.status().message()));
  }
  const auto warning = LossesText(*stored, *losses);
  if (warning.has_value()) cluster->WarnUntilSync(*warning);
  const std::lock_guard lock(mutex_);
  clusters_.insert_or_assign(name, std::move(cluster));
  return warning.value_or("");
}

void LiveClusters::EndTenure(const std::string& name) {
  // Destroyed without the lock: a decision may be in progress.
  std::shared_ptr<LiveCluster> ended;
  {
    const std::lock_guard lock(mutex_);
    const auto found = clusters_.find(name);
    if (found == clusters_.end()) return;
    ended = std::move(found->second);
    clusters_.erase(found);
  }
  ended->EndTenure();
}

void LiveClusters::RefreshFollowed(const std::set<std::string>& led) const {
  const auto now = std::chrono::steady_clock::now();
  if (now - followed_at_ < kFollowedAge) return;
  followed_at_ = now;
  std::map<std::string, Followed> next;
  for (const auto& listed : setting_.leadership->ListClusters()) {
    if (led.contains(listed.cluster)) continue;
    const auto known = followed_.find(listed.cluster);
    if (known != followed_.end() && known->second.version == listed.version) {
      next[listed.cluster] = {listed.version, listed.leader,
                              known->second.cluster};
      continue;
    }
    const auto stored = setting_.leadership->Read(listed.cluster);
    if (!stored.ok()) continue;
    auto cluster = std::make_shared<LiveCluster>(listed.cluster, setting_);
    if (!cluster->Restore(*stored, {}).ok()) continue;
    next[listed.cluster] = {listed.version, listed.leader, std::move(cluster)};
  }
  followed_.swap(next);
}

absl::Status LiveClusters::StoreStatus() const {
  if (setting_.leadership == nullptr) return absl::OkStatus();
  return setting_.leadership->status();
}

std::vector<std::string> LiveClusters::LeadershipWarnings() const {
  if (setting_.leadership == nullptr) return {};
  return setting_.leadership->Warnings();
}

std::vector<LiveClusters::Shown> LiveClusters::AllShown() const {
  std::vector<Shown> shown;
  std::set<std::string> led;
  for (auto& cluster : All()) {
    led.insert(cluster->name());
    shown.push_back({std::move(cluster), {}});
  }
  if (setting_.leadership == nullptr) return shown;
  {
    const std::lock_guard lock(followed_mutex_);
    RefreshFollowed(led);
    for (const auto& [name, followed] : followed_) {
      if (led.contains(name)) continue;
      shown.push_back({followed.cluster, followed.leader});
    }
  }
  std::sort(shown.begin(), shown.end(), [](const Shown& a, const Shown& b) {
    return a.cluster->name() < b.cluster->name();
  });
  return shown;
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
