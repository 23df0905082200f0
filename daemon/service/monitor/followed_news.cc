// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/monitor/followed_news.h"

#include <cstdint>
#include <set>
#include <utility>

#include "service/codec/wire.h"
#include "service/journal/records.h"

namespace coolspan {
namespace {

using HoldingPtr = std::shared_ptr<const Holding>;

// By job id and restart.
using Holdings = std::map<std::pair<std::uint32_t, std::uint32_t>, HoldingPtr>;

Holdings HoldingsOf(const LiveCluster& cluster) {
  Holdings holdings;
  for (HoldingPtr& holding : cluster.Holdings()) {
    const JobKey job = holding->job;
    holdings.emplace(std::pair(job.job_id, job.restart), std::move(holding));
  }
  return holdings;
}

v1::Happening EndOf(const Holding& holding) {
  v1::Happening happening;
  *(holding.committed ? happening.mutable_released()
                      : happening.mutable_expired()) = EncodeJob(holding.job);
  return happening;
}

bool HasOtherNodes(const Holding& before, const Holding& after) {
  return before.nodes != after.nodes || before.units != after.units ||
         before.contested != after.contested;
}

// before: nullptr, none.
void AddChange(const Machine& machine, const Holding* before,
               const Holding& after, std::vector<v1::Happening>& happenings) {
  // A decision is told by the leader.
  if (!after.committed) return;
  if (before == nullptr || !before->committed) {
    *happenings.emplace_back().mutable_committed() =
        MakeJobRecord(machine, after);
    return;
  }
  if (HasOtherNodes(*before, after)) {
    *happenings.emplace_back().mutable_resized() =
        MakeJobRecord(machine, after);
  }
  if (before->suspended != after.suspended) {
    *happenings.emplace_back().mutable_suspended() =
        MakeJobRecord(machine, after);
  }
}

}  // namespace

std::vector<v1::Happening> HappeningsBetween(const Machine& machine,
                                             const LiveCluster& before,
                                             const LiveCluster& after) {
  std::vector<v1::Happening> happenings;
  const auto old = HoldingsOf(before);
  const auto current = HoldingsOf(after);
  // Ends first: their nodes may be given again.
  for (const auto& [job, holding] : old) {
    if (!current.contains(job)) happenings.push_back(EndOf(*holding));
  }
  for (const auto& [job, holding] : current) {
    const auto known = old.find(job);
    AddChange(machine, known == old.end() ? nullptr : known->second.get(),
              *holding, happenings);
  }
  const NodeSet unavailable = after.unavailable();
  if (before.unavailable() != unavailable) {
    happenings.emplace_back().set_unavailable_hostlist(
        machine.FormatNodes(unavailable.Members()));
  }
  const std::string mode = after.Status().mode();
  if (before.Status().mode() != mode) happenings.emplace_back().set_mode(mode);
  return happenings;
}

FollowedNews::FollowedNews(const LiveClusters& clusters, const Machine& machine,
                           WatchHub& watchers)
    : clusters_(clusters), machine_(machine), watchers_(watchers) {}

void FollowedNews::Tick(TimeMs at_ms) {
  if (!watchers_.HasWatchers()) {
    last_.clear();
    return;
  }
  std::map<std::string, ClusterPtr> current;
  std::set<std::string> led;
  for (auto& [cluster, leader] : clusters_.AllShown()) {
    if (leader.has_value()) {
      current.emplace(cluster->name(), cluster);
    } else {
      led.insert(cluster->name());
    }
  }
  const auto publish = [&](const std::string& name, v1::Happening happening) {
    happening.set_cluster(name);
    happening.set_at_ms(at_ms);
    watchers_.Publish(happening);
  };
  for (const auto& [name, before] : last_) {
    const auto after = current.find(name);
    if (after != current.end()) {
      if (after->second == before) continue;
      for (v1::Happening& happening :
           HappeningsBetween(machine_, *before, *after->second)) {
        publish(name, std::move(happening));
      }
    } else if (!led.contains(name)) {
      v1::Happening removed;
      removed.set_removed("no longer in etcd");
      publish(name, std::move(removed));
    }
  }
  last_ = std::move(current);
}

}  // namespace coolspan
