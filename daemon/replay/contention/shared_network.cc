// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/contention/shared_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace coolspan {
namespace {

std::vector<double> CapacitiesOf(const Routes& routes, double gb_per_s) {
  std::vector<double> capacities(routes.link_count());
  for (LinkId link = 0; link < capacities.size(); ++link) {
    capacities[link] = routes.CapacityOf(link) * gb_per_s;
  }
  return capacities;
}

// The end of what takes that long from now on.
TimeMs EndAfter(TimeMs now_ms, double run_ms) {
  constexpr TimeMs kLatestMs = std::numeric_limits<TimeMs>::max();
  constexpr double kMaxMs = 9.2e18;  // fits TimeMs
  if (run_ms >= kMaxMs) return kLatestMs;
  const TimeMs rounded = std::llround(run_ms);
  return rounded > kLatestMs - std::max<TimeMs>(now_ms, 0) ? kLatestMs
                                                           : now_ms + rounded;
}

}  // namespace

SharedNetwork::SharedNetwork(Setup setup)
    : setup_(std::move(setup)),
      loads_(setup_.routes->link_count()),
      shares_(CapacitiesOf(*setup_.routes, setup_.link_gb_per_s)) {}

// The node that sends most sends at the full rate, the others in proportion.
void SharedNetwork::AddRankTraffic(const RankTraffic& traffic,
                                   const Topology& topology) {
  const CommPattern& pattern = traffic.pattern;
  const std::vector<NodeId>& rank_to_node = traffic.rank_to_node;
  absl::flat_hash_map<NodeId, double> bytes_from;
  double max_bytes = 0;
  const auto for_each_message = [&](auto visit) {
    for (TaskRank from = 0; from < pattern.ranks(); ++from) {
      const auto receivers = pattern.ReceiversOf(from);
      const auto bytes = pattern.BytesFrom(from);
      for (std::size_t i = 0; i < receivers.size(); ++i) {
        const NodeId target = rank_to_node[receivers[i]];
        if (target == rank_to_node[from]) continue;
        visit(rank_to_node[from], target, bytes[i]);
      }
    }
  };
  for_each_message([&](NodeId from, NodeId, double bytes) {
    double& sum = bytes_from[from];
    sum += bytes;
    max_bytes = std::max(max_bytes, sum);
  });
  for_each_message([&](NodeId from, NodeId to, double bytes) {
    setup_.routes->AddRoute(topology.VertexOf(from), topology.VertexOf(to),
                            bytes / max_bytes * setup_.send_gb_per_s, loads_);
  });
}

void SharedNetwork::Started(const Start& start, const Topology& topology) {
  if (start.traffic != nullptr) {
    AddRankTraffic(*start.traffic, topology);
  } else if (start.nodes.size() > 1) {
    setup_.routes->AddAllToAll(
        start.nodes,
        setup_.send_gb_per_s / static_cast<double>(start.nodes.size() - 1),
        loads_);
  }
  const LinkShares::User user = shares_.Add(loads_.Take());
  users_.emplace(start.job, user);
  if (user >= running_.size()) running_.resize(user + std::size_t{1});
  running_[user] = {
      .job = start.job,
      .logged_ms = start.logged_ms,
      .left_ms = static_cast<double>(start.logged_ms),
      .since_ms = start.now_ms,
      .end_ms = EndAfter(start.now_ms, static_cast<double>(start.logged_ms))};
}

void SharedNetwork::Ended(JobIndex job) {
  shares_.Remove(users_.extract(job).mapped());
}

double SharedNetwork::LeftOf(const Running& running, TimeMs now_ms) const {
  const auto passed_ms = static_cast<double>(now_ms - running.since_ms);
  return std::max(0.0, running.left_ms - passed_ms / running.stretch);
}

void SharedNetwork::Update(
    TimeMs now_ms,
    absl::FunctionRef<void(JobIndex job, TimeMs end_ms)> move_end) {
  const double share = setup_.communication_share;
  for (const LinkShares::User user : shares_.Update()) {
    Running& running = running_[user];
    running.left_ms = LeftOf(running, now_ms);
    running.since_ms = now_ms;
    running.stretch = 1 - share + share / shares_.ShareOf(user);
    const TimeMs end_ms = EndAfter(now_ms, running.left_ms * running.stretch);
    if (end_ms == running.end_ms) continue;
    running.end_ms = end_ms;
    move_end(running.job, end_ms);
  }
}

SharedNetwork::Sent SharedNetwork::SentBy(JobIndex job, TimeMs now_ms) const {
  const LinkShares::User user = users_.find(job)->second;
  const Running& running = running_[user];
  const double done_ms =
      static_cast<double>(running.logged_ms) - LeftOf(running, now_ms);
  return {shares_.LoadsOf(user),
          setup_.communication_share * done_ms / kMsPerSecond};
}

NetworkUse SharedNetwork::Now() const {
  constexpr double kFull = 1 - 1e-6;
  NetworkUse now;
  double links = 0;
  for (LinkId link = 0; link < setup_.routes->link_count(); ++link) {
    const Routes::Ends ends = setup_.routes->EndsOf(link);
    if (ends.from == ends.to) continue;
    const double use = shares_.UseOf(link);
    ++links;
    now.mean += use;
    now.max = std::max(now.max, use);
    if (use >= kFull) ++now.full_links;
  }
  if (links > 0) now.mean /= links;
  return now;
}

}  // namespace coolspan
