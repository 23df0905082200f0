// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/rank_swaps.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace coolspan {
namespace {

// Partners of a rank that attract it, and sites near to each of these.
constexpr std::size_t kMaxPartners = 6;
constexpr std::size_t kNearSites = 12;
// Ranks of a site that are tried.
constexpr std::size_t kMaxTried = 256;
// Edges read in a search: a quarter of a second.
constexpr std::uint64_t kMaxWork = 20'000'000;
// Edges read between looks at the budget, apart from those of one swap.
constexpr std::uint64_t kPortion = 100'000;

class Swaps {
 public:
  Swaps(const RankGraph& graph, const Sites& sites, std::vector<SiteId>& places,
        Budget& budget)
      : graph_(graph),
        sites_(sites),
        places_(places),
        budget_(budget),
        ranks_on_(sites.size()),
        near_(sites.size()),
        partners_(graph.size()),
        is_queued_(graph.size(), false) {
    for (TaskRank rank = 0; rank < graph.size(); ++rank) {
      ranks_on_[places[rank]].push_back(rank);
    }
  }

  void Run() {
    for (TaskRank rank = 0; rank < graph_.size(); ++rank) Enqueue(rank);
    while (!queue_.empty() && HasWorkLeft()) {
      const TaskRank rank = queue_.front();
      queue_.pop();
      is_queued_[rank] = false;
      Improve(rank);
    }
    budget_.Spend(work_);
  }

 private:
  // A rank is queued again when a swap moves it or one of its partners.
  void Enqueue(TaskRank rank) {
    if (is_queued_[rank] || graph_.EdgesOf(rank).empty()) return;
    is_queued_[rank] = true;
    queue_.push(rank);
  }

  void EnqueueWithPartners(TaskRank rank) {
    Enqueue(rank);
    for (const TaskRank partner : HeaviestPartners(rank)) Enqueue(partner);
  }

  void Improve(TaskRank rank) {
    const std::vector<TaskRank> partners = HeaviestPartners(rank);
    for (const TaskRank partner : partners) {
      for (const SiteId site : Near(places_[partner])) {
        if (!HasWorkLeft()) return;
        if (site != places_[rank] && SwapWithBestOn(site, rank)) break;
      }
    }
  }

  bool HasWorkLeft() {
    if (work_ < kPortion) return !is_over_;
    const std::uint64_t work = std::exchange(work_, 0);
    total_ += work;
    is_over_ = is_over_ || !budget_.Spend(work) || total_ >= kMaxWork;
    return !is_over_;
  }

  bool SwapWithBestOn(SiteId site, TaskRank rank) {
    TaskRank best = rank;
    // Less than rounding does not count.
    double min_change = -1e-9 * graph_.Traffic(rank);
    const std::vector<TaskRank>& ranks = ranks_on_[site];
    for (std::size_t i = 0; i < std::min(ranks.size(), kMaxTried); ++i) {
      if (!HasWorkLeft()) break;
      const TaskRank other = ranks[i];
      const double change = ChangeBySwap(rank, other);
      if (change < min_change) {
        min_change = change;
        best = other;
      }
    }
    if (best == rank) return false;
    std::vector<TaskRank>& here = ranks_on_[places_[rank]];
    std::replace(here.begin(), here.end(), rank, best);
    std::vector<TaskRank>& there = ranks_on_[site];
    std::replace(there.begin(), there.end(), best, rank);
    std::swap(places_[rank], places_[best]);
    EnqueueWithPartners(rank);
    EnqueueWithPartners(best);
    return true;
  }

  double ChangeBySwap(TaskRank a, TaskRank b) {
    const SiteId at_a = places_[a];
    const SiteId at_b = places_[b];
    double change = 0;
    for (const RankGraph::Edge& edge : graph_.EdgesOf(a)) {
      if (edge.to == b) continue;
      const SiteId to = places_[edge.to];
      change += edge.bytes * (static_cast<double>(sites_.Distance(at_b, to)) -
                              static_cast<double>(sites_.Distance(at_a, to)));
    }
    for (const RankGraph::Edge& edge : graph_.EdgesOf(b)) {
      if (edge.to == a) continue;
      const SiteId to = places_[edge.to];
      change += edge.bytes * (static_cast<double>(sites_.Distance(at_a, to)) -
                              static_cast<double>(sites_.Distance(at_b, to)));
    }
    work_ += graph_.EdgesOf(a).size() + graph_.EdgesOf(b).size() + 1;
    return change;
  }

  const std::vector<TaskRank>& HeaviestPartners(TaskRank rank) {
    std::vector<TaskRank>& partners = partners_[rank];
    const std::span<const RankGraph::Edge> edges = graph_.EdgesOf(rank);
    if (!partners.empty() || edges.empty()) return partners;
    heaviest_.assign(edges.begin(), edges.end());
    KeepHeaviest(heaviest_, kMaxPartners);
    for (const RankGraph::Edge& edge : heaviest_) partners.push_back(edge.to);
    work_ += edges.size();
    return partners;
  }

  // The site itself and the nearest ones. Without a table of distances, those
  // with the nearest ids.
  const std::vector<SiteId>& Near(SiteId site) {
    std::vector<SiteId>& near = near_[site];
    if (!near.empty()) return near;
    const SiteId count = sites_.size();
    if (count > Sites::kMaxInTable) {
      constexpr SiteId kBefore = kNearSites / 2;
      const SiteId first = site > kBefore ? site - kBefore : 0;
      for (SiteId id = first; id < count && near.size() <= kNearSites; ++id) {
        near.push_back(id);
      }
      return near;
    }
    std::vector<std::pair<Hops, SiteId>> all(count);
    for (SiteId id = 0; id < count; ++id) {
      all[id] = {sites_.Distance(site, id), id};
    }
    std::swap(all[0], all[site]);
    const std::size_t kept = std::min<std::size_t>(kNearSites + 1, count);
    std::partial_sort(all.begin() + 1,
                      all.begin() + static_cast<std::ptrdiff_t>(kept),
                      all.end());
    for (std::size_t i = 0; i < kept; ++i) near.push_back(all[i].second);
    work_ += count;
    return near;
  }

  const RankGraph& graph_;
  const Sites& sites_;
  std::vector<SiteId>& places_;
  Budget& budget_;
  std::vector<std::vector<TaskRank>> ranks_on_;
  std::vector<std::vector<SiteId>> near_;  // empty: not computed yet
  std::vector<RankGraph::Edge> heaviest_;
  std::vector<std::vector<TaskRank>> partners_;  // empty: not known yet
  std::queue<TaskRank> queue_;
  std::vector<bool> is_queued_;
  std::uint64_t work_ = 0;  // not spent yet
  std::uint64_t total_ = 0;
  bool is_over_ = false;
};

}  // namespace

double CostOfPlaces(const RankGraph& graph, const Sites& sites,
                    std::span<const SiteId> places) {
  double cost = 0;
  for (TaskRank rank = 0; rank < graph.size(); ++rank) {
    for (const RankGraph::Edge& edge : graph.EdgesOf(rank)) {
      if (edge.to < rank) continue;
      cost += edge.bytes * sites.Distance(places[rank], places[edge.to]);
    }
  }
  return cost;
}

void ImproveBySwaps(const RankGraph& graph, const Sites& sites,
                    std::vector<SiteId>& places, Budget& budget) {
  Swaps(graph, sites, places, budget).Run();
}

}  // namespace coolspan
