// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/graph_cut.h"

#include <metis.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

namespace coolspan {
namespace {

// Edges of a rank that METIS sees: it takes seconds for millions.
constexpr std::size_t kMaxEdges = 48;

struct MetisGraph {
  std::vector<idx_t> first{0};
  std::vector<idx_t> to;
  std::vector<idx_t> weights;
};

struct LocalEdge {
  std::uint32_t a;
  std::uint32_t b;
  double bytes;
};

// The edges within the ranks, each once with a < b: the heaviest of each rank.
std::vector<LocalEdge> EdgesWithin(const RankGraph& graph,
                                   std::span<const TaskRank> ranks,
                                   std::span<const std::uint32_t> index_of) {
  std::vector<LocalEdge> edges;
  std::vector<LocalEdge> of_rank;
  for (std::uint32_t a = 0; a < ranks.size(); ++a) {
    of_rank.clear();
    for (const RankGraph::Edge& edge : graph.EdgesOf(ranks[a])) {
      const std::uint32_t b = index_of[edge.to];
      if (b >= ranks.size() || ranks[b] != edge.to) continue;
      of_rank.push_back({std::min(a, b), std::max(a, b), edge.bytes});
    }
    if (of_rank.size() > kMaxEdges) {
      std::nth_element(of_rank.begin(), of_rank.begin() + kMaxEdges,
                       of_rank.end(),
                       [](const LocalEdge& x, const LocalEdge& y) {
                         if (x.bytes != y.bytes) return x.bytes > y.bytes;
                         return std::pair(x.a, x.b) < std::pair(y.a, y.b);
                       });
      of_rank.resize(kMaxEdges);
    }
    edges.insert(edges.end(), of_rank.begin(), of_rank.end());
  }
  const auto key = [](const LocalEdge& edge) {
    return std::pair(edge.a, edge.b);
  };
  std::sort(edges.begin(), edges.end(),
            [key](const auto& x, const auto& y) { return key(x) < key(y); });
  edges.erase(std::unique(edges.begin(), edges.end(),
                          [key](const auto& x, const auto& y) {
                            return key(x) == key(y);
                          }),
              edges.end());
  return edges;
}

// Weights are whole numbers of which the sum must fit idx_t.
MetisGraph GraphOf(std::span<const LocalEdge> edges, std::size_t ranks) {
  constexpr double kMaxSum = 1 << 29;
  double total = 0;
  MetisGraph metis;
  metis.first.assign(ranks + 1, 0);
  for (const LocalEdge& edge : edges) {
    total += edge.bytes;
    ++metis.first[edge.a + 1];
    ++metis.first[edge.b + 1];
  }
  for (std::size_t i = 0; i < ranks; ++i) metis.first[i + 1] += metis.first[i];
  metis.to.resize(2 * edges.size());
  metis.weights.resize(2 * edges.size());
  std::vector<idx_t> next(metis.first.begin(), metis.first.end() - 1);
  for (const LocalEdge& edge : edges) {
    const auto weight =
        std::max(idx_t{1},
                 static_cast<idx_t>(std::lround(edge.bytes / total * kMaxSum)));
    const auto put = [&](std::uint32_t from, std::uint32_t to) {
      const auto place = static_cast<std::size_t>(next[from]++);
      metis.to[place] = static_cast<idx_t>(to);
      metis.weights[place] = weight;
    };
    put(edge.a, edge.b);
    put(edge.b, edge.a);
  }
  return metis;
}

// METIS 5.1 draws from rand(), one sequence for the process: concurrent calls
// would make the answers depend on each other.
std::mutex& MetisMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

std::vector<idx_t> Partition(MetisGraph& metis, double first_share,
                             std::uint64_t seed) {
  auto ranks = static_cast<idx_t>(metis.first.size() - 1);
  std::vector<idx_t> part(static_cast<std::size_t>(ranks), 0);
  idx_t constraints = 1;
  idx_t parts = 2;
  std::array<real_t, 2> shares = {static_cast<real_t>(first_share),
                                  static_cast<real_t>(1 - first_share)};
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  constexpr std::uint64_t kSeeds = 1U << 30;
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed % kSeeds);
  options[METIS_OPTION_UFACTOR] = 1;
  constexpr idx_t kManyRanks = 1000;
  constexpr idx_t kCutsOfFew = 4;
  options[METIS_OPTION_NCUTS] = ranks > kManyRanks ? 1 : kCutsOfFew;
  idx_t cut = 0;
  const std::scoped_lock lock(MetisMutex());
  const int done = METIS_PartGraphRecursive(
      &ranks, &constraints, metis.first.data(), metis.to.data(), nullptr,
      nullptr, metis.weights.data(), &parts, shares.data(), nullptr,
      options.data(), &cut, part.data());
  if (done != METIS_OK) std::fill(part.begin(), part.end(), 0);
  return part;
}

// Appends the edges to the vertices that stand for the two parts.
void AppendPull(std::span<const double> pull, std::vector<LocalEdge>& edges) {
  const auto first = static_cast<std::uint32_t>(pull.size());
  for (std::uint32_t i = 0; i < first; ++i) {
    if (pull[i] > 0) edges.push_back({i, first, pull[i]});
    if (pull[i] < 0) edges.push_back({i, first + 1, -pull[i]});
  }
}

}  // namespace

std::vector<bool> CutRanks(const RankGraph& graph,
                           std::span<const TaskRank> ranks,
                           std::span<const std::uint32_t> index_of,
                           std::span<const double> pull,
                           std::size_t first_count, std::uint64_t seed) {
  const std::size_t count = ranks.size();
  std::vector<LocalEdge> edges = EdgesWithin(graph, ranks, index_of);
  const std::size_t within = edges.size();
  AppendPull(pull, edges);
  const std::size_t vertices = edges.size() > within ? count + 2 : count;
  std::vector<bool> is_second(count, false);
  // METIS may not be given a graph without edges.
  if (edges.empty()) {
    std::fill(is_second.begin() + static_cast<std::ptrdiff_t>(first_count),
              is_second.end(), true);
    return is_second;
  }
  MetisGraph metis = GraphOf(edges, vertices);
  const double share =
      static_cast<double>(first_count) / static_cast<double>(count);
  const std::vector<idx_t> part = Partition(metis, share, seed);
  const idx_t second = vertices > count && part[count] == 1 ? 0 : 1;
  for (std::size_t i = 0; i < count; ++i) is_second[i] = part[i] == second;
  return is_second;
}

}  // namespace coolspan
