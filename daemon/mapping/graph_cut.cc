// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/graph_cut.h"

#include <metis.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

namespace coolspan {
namespace {

// METIS takes about a second for so many vertices or edges.
constexpr std::size_t kMaxCut = std::size_t{1} << 18;
constexpr std::size_t kMaxCutEdges = 1'000'000;
// Edges of a rank that METIS sees.
constexpr std::size_t kMaxEdgesOfRank = 48;
constexpr std::size_t kMinEdgesOfRank = 4;

struct MetisGraph {
  std::vector<idx_t> first{0};
  std::vector<idx_t> to;
  std::vector<idx_t> weights;
};

// The edges within the ranks, by index, each once with from < to: the heaviest
// of each rank.
std::vector<RankVolume> EdgesWithin(const RankGraph& graph,
                                    std::span<const TaskRank> ranks,
                                    std::span<const std::uint32_t> index_of) {
  const std::size_t kept =
      std::clamp(kMaxCutEdges / ranks.size(), kMinEdgesOfRank, kMaxEdgesOfRank);
  std::vector<RankVolume> edges;
  std::vector<RankGraph::Edge> of_rank;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    of_rank.clear();
    for (const RankGraph::Edge& edge : graph.EdgesOf(ranks[rank])) {
      const std::uint32_t to = index_of[edge.to];
      if (to >= ranks.size() || ranks[to] != edge.to) continue;
      of_rank.push_back({to, edge.bytes});
    }
    KeepHeaviest(of_rank, kept);
    for (const RankGraph::Edge& edge : of_rank) {
      edges.push_back(
          {std::min(rank, edge.to), std::max(rank, edge.to), edge.bytes});
    }
  }
  KeepEachOnce(edges);
  return edges;
}

// Weights are whole numbers of which the sum must fit idx_t.
MetisGraph GraphOf(std::span<const RankVolume> edges, std::size_t ranks) {
  constexpr double kMaxSum = 1 << 29;
  double total = 0;
  MetisGraph metis;
  metis.first.assign(ranks + 1, 0);
  for (const RankVolume& edge : edges) {
    total += edge.bytes;
    ++metis.first[edge.from + 1];
    ++metis.first[edge.to + 1];
  }
  for (std::size_t i = 0; i < ranks; ++i) metis.first[i + 1] += metis.first[i];
  metis.to.resize(2 * edges.size());
  metis.weights.resize(2 * edges.size());
  std::vector<idx_t> next(metis.first.begin(), metis.first.end() - 1);
  for (const RankVolume& edge : edges) {
    const auto weight =
        std::max(idx_t{1},
                 static_cast<idx_t>(std::lround(edge.bytes / total * kMaxSum)));
    const auto put = [&](std::uint32_t from, std::uint32_t to) {
      const auto place = static_cast<std::size_t>(next[from]++);
      metis.to[place] = static_cast<idx_t>(to);
      metis.weights[place] = weight;
    };
    put(edge.from, edge.to);
    put(edge.to, edge.from);
  }
  return metis;
}

// METIS 5.1 draws from rand(), one sequence for the process: concurrent calls
// would make the answers depend on each other.
std::mutex& MetisMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

// Locked, or not if the budget's time ends before: whoever has it may run at
// idle priority.
std::unique_lock<std::mutex> WaitForMetis(const Budget& budget) {
  constexpr std::chrono::milliseconds kBetweenLooks{1};
  std::unique_lock lock(MetisMutex(), std::defer_lock);
  while (budget.HasTime() && !lock.try_lock()) {
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return lock;
}

// METIS handles SIGTERM and SIGABRT itself while it runs, as errors of its own,
// and sets handlers back with other flags (SA_RESETHAND). So SIGTERM is
// delivered afterwards, and handlers are set back as they were.
class SignalsOfMetis {
 public:
  SignalsOfMetis() {
    sigset_t sigterm;
    sigemptyset(&sigterm);
    sigaddset(&sigterm, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &sigterm, &mask_);
    sigaction(SIGTERM, nullptr, &on_term_);
    sigaction(SIGABRT, nullptr, &on_abort_);
  }
  ~SignalsOfMetis() {
    sigaction(SIGTERM, &on_term_, nullptr);
    sigaction(SIGABRT, &on_abort_, nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  SignalsOfMetis(const SignalsOfMetis&) = delete;
  SignalsOfMetis& operator=(const SignalsOfMetis&) = delete;

 private:
  sigset_t mask_{};
  struct sigaction on_term_ = {};
  struct sigaction on_abort_ = {};
};

// The part of each vertex; empty: none, as METIS failed or had no turn.
std::vector<idx_t> Partition(MetisGraph& metis, double first_share,
                             std::uint64_t seed, const Budget& budget) {
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
  const auto lock = WaitForMetis(budget);
  if (!lock.owns_lock()) return {};
  const SignalsOfMetis signals;
  const int done = METIS_PartGraphRecursive(
      &ranks, &constraints, metis.first.data(), metis.to.data(), nullptr,
      nullptr, metis.weights.data(), &parts, shares.data(), nullptr,
      options.data(), &cut, part.data());
  if (done != METIS_OK) part.clear();
  return part;
}

// Ranks as METIS sees them: those with edges, and as many of the others as
// leave a cut free to put all ranks with edges into one part.
class Vertices {
 public:
  static constexpr idx_t kNone = -1;

  Vertices(std::span<const RankVolume> edges, std::size_t ranks)
      : vertex_of_(ranks, kNone) {
    for (const RankVolume& edge : edges) {
      vertex_of_[edge.from] = 0;
      // The two that stand for the parts are no ranks.
      if (edge.to < ranks) vertex_of_[edge.to] = 0;
    }
    const auto connected = static_cast<std::size_t>(
        std::count(vertex_of_.begin(), vertex_of_.end(), 0));
    std::size_t others = 2 * connected;
    for (idx_t& vertex : vertex_of_) {
      if (vertex == kNone) {
        if (others == 0) continue;
        --others;
      }
      vertex = static_cast<idx_t>(count_++);
    }
  }

  std::size_t count() const { return count_; }
  // kNone: METIS does not see it.
  idx_t Of(std::size_t rank) const { return vertex_of_[rank]; }
  void Renumber(std::vector<RankVolume>& edges) const {
    const std::size_t ranks = vertex_of_.size();
    const auto renumbered = [&](std::uint32_t end) {
      return static_cast<std::uint32_t>(
          end < ranks ? static_cast<std::size_t>(vertex_of_[end])
                      : count_ + (end - ranks));
    };
    for (RankVolume& edge : edges) {
      edge.from = renumbered(edge.from);
      edge.to = renumbered(edge.to);
    }
  }

 private:
  std::vector<idx_t> vertex_of_;
  std::size_t count_ = 0;
};

std::vector<bool> CutInOrder(std::size_t count, std::size_t first_count) {
  std::vector<bool> is_second(count, true);
  std::fill_n(is_second.begin(), first_count, false);
  return is_second;
}

// Appends the edges to the vertices that stand for the two parts.
void AppendPull(std::span<const double> pull, std::vector<RankVolume>& edges) {
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
                           std::size_t first_count, std::uint64_t seed,
                           Budget& budget) {
  const std::size_t count = ranks.size();
  std::vector<RankVolume> edges = EdgesWithin(graph, ranks, index_of);
  const std::size_t within = edges.size();
  AppendPull(pull, edges);
  const bool is_pulled = edges.size() > within;
  const Vertices vertices(edges, count);
  // METIS may not be given a graph without edges.
  if (edges.empty() || vertices.count() > kMaxCut)
    return CutInOrder(count, first_count);
  vertices.Renumber(edges);
  MetisGraph metis = GraphOf(edges, vertices.count() + (is_pulled ? 2 : 0));
  const double share =
      static_cast<double>(first_count) / static_cast<double>(count);
  const std::vector<idx_t> part = Partition(metis, share, seed, budget);
  if (part.empty()) return CutInOrder(count, first_count);
  const idx_t second = is_pulled && part[vertices.count()] == 1 ? 0 : 1;
  std::vector<bool> is_second(count, false);
  std::size_t seconds = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const idx_t vertex = vertices.Of(i);
    if (vertex == Vertices::kNone) continue;
    is_second[i] = part[static_cast<std::size_t>(vertex)] == second;
    if (is_second[i]) ++seconds;
  }
  // The others fill the second part.
  for (std::size_t i = 0; i < count; ++i) {
    if (vertices.Of(i) != Vertices::kNone || seconds >= count - first_count)
      continue;
    is_second[i] = true;
    ++seconds;
  }
  return is_second;
}

}  // namespace coolspan
