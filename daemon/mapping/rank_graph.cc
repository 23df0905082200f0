// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/rank_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace coolspan {

namespace {

// The senders to each rank, ascending, as a CSR matrix.
struct Received {
  std::vector<std::size_t> first;
  std::vector<RankGraph::Edge> from;
};

Received ReceivedIn(const CommPattern& pattern) {
  Received received;
  received.first.assign(pattern.ranks() + std::size_t{1}, 0);
  received.from.resize(pattern.pairs());
  for (TaskRank from = 0; from < pattern.ranks(); ++from) {
    for (const TaskRank to : pattern.ReceiversOf(from)) {
      ++received.first[to + 1];
    }
  }
  std::partial_sum(received.first.begin(), received.first.end(),
                   received.first.begin());
  std::vector<std::size_t> next(received.first.begin(),
                                received.first.end() - 1);
  for (TaskRank from = 0; from < pattern.ranks(); ++from) {
    const std::span<const TaskRank> receivers = pattern.ReceiversOf(from);
    const std::span<const double> bytes = pattern.BytesFrom(from);
    for (std::size_t i = 0; i < receivers.size(); ++i) {
      received.from[next[receivers[i]]++] = {from, bytes[i]};
    }
  }
  return received;
}

}  // namespace

RankGraph::RankGraph(const CommPattern& pattern, std::uint32_t size)
    : traffic_(size, 0) {
  const Received received = ReceivedIn(pattern);
  first_.reserve(size + std::size_t{1});
  first_.push_back(0);
  edges_.reserve(2 * pattern.pairs());
  for (TaskRank rank = 0; rank < pattern.ranks(); ++rank) {
    const std::span<const TaskRank> receivers = pattern.ReceiversOf(rank);
    const std::span<const double> bytes = pattern.BytesFrom(rank);
    std::size_t out = 0;
    std::size_t in = received.first[rank];
    const std::size_t in_end = received.first[rank + 1];
    while (out < receivers.size() || in < in_end) {
      const bool sends =
          out < receivers.size() &&
          (in == in_end || receivers[out] <= received.from[in].to);
      const bool receives =
          in < in_end && (!sends || received.from[in].to == receivers[out]);
      Edge edge{sends ? receivers[out] : received.from[in].to, 0};
      if (sends) edge.bytes += bytes[out++];
      if (receives) edge.bytes += received.from[in++].bytes;
      edges_.push_back(edge);
      traffic_[rank] += edge.bytes;
    }
    first_.push_back(edges_.size());
  }
  first_.resize(size + std::size_t{1}, edges_.size());
}

bool RankGraph::IsUniform() const {
  const std::size_t all = std::size_t{size()} * (size() - std::size_t{1});
  return edges_.size() == all &&
         std::all_of(edges_.begin(), edges_.end(), [&](const Edge& edge) {
           return edge.bytes == edges_.front().bytes;
         });
}

RankGraph RankGraph::Heaviest(std::size_t per_rank) const {
  std::vector<RankVolume> kept;
  std::vector<Edge> of_rank;
  for (TaskRank rank = 0; rank < size(); ++rank) {
    of_rank.assign(EdgesOf(rank).begin(), EdgesOf(rank).end());
    KeepHeaviest(of_rank, per_rank);
    for (const Edge& edge : of_rank) {
      kept.push_back(
          {std::min(rank, edge.to), std::max(rank, edge.to), edge.bytes});
    }
  }
  KeepEachOnce(kept);
  return RankGraph(kept, size());
}

RankGraph::RankGraph(std::span<const RankVolume> edges, std::uint32_t size)
    : first_(size + std::size_t{1}, 0), traffic_(size, 0) {
  for (const RankVolume& edge : edges) {
    ++first_[edge.from + 1];
    ++first_[edge.to + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  edges_.resize(2 * edges.size());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  // Smaller partners of a rank come first in the sorted edges.
  for (const RankVolume& edge : edges) {
    edges_[next[edge.to]++] = {edge.from, edge.bytes};
    traffic_[edge.to] += edge.bytes;
  }
  for (const RankVolume& edge : edges) {
    edges_[next[edge.from]++] = {edge.to, edge.bytes};
    traffic_[edge.from] += edge.bytes;
  }
}

double RankGraph::Between(TaskRank a, TaskRank b) const {
  const std::span<const Edge> edges = EdgesOf(a);
  const auto edge = std::lower_bound(
      edges.begin(), edges.end(), b,
      [](const Edge& one, TaskRank rank) { return one.to < rank; });
  return edge == edges.end() || edge->to != b ? 0 : edge->bytes;
}

void KeepHeaviest(std::vector<RankGraph::Edge>& edges, std::size_t count) {
  count = std::min(count, edges.size());
  std::partial_sort(edges.begin(),
                    edges.begin() + static_cast<std::ptrdiff_t>(count),
                    edges.end(), [](const auto& a, const auto& b) {
                      if (a.bytes != b.bytes) return a.bytes > b.bytes;
                      return a.to < b.to;
                    });
  edges.resize(count);
}

void KeepEachOnce(std::vector<RankVolume>& edges) {
  const auto pair = [](const RankVolume& edge) {
    return std::pair(edge.from, edge.to);
  };
  std::sort(edges.begin(), edges.end(),
            [pair](const auto& a, const auto& b) { return pair(a) < pair(b); });
  edges.erase(std::unique(edges.begin(), edges.end(),
                          [pair](const auto& a, const auto& b) {
                            return pair(a) == pair(b);
                          }),
              edges.end());
}

}  // namespace coolspan
