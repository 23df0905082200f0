// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>
#include <random>

#include "mapping/rank_swaps.h"

namespace coolspan {
namespace {

class TabuSearch {
 public:
  TabuSearch(const RankGraph& graph, const Sites& sites, std::uint64_t seed,
             std::vector<SiteId>& places)
      : count_(graph.size()),
        sites_(sites),
        random_(seed),
        places_(places),
        best_places_(places),
        bytes_(std::size_t{count_} * count_, 0),
        change_(std::size_t{count_} * count_, 0),
        tabu_until_(std::size_t{count_} * sites.size(), 0),
        bytes_to_a_(count_),
        hops_to_a_(count_) {
    for (TaskRank a = 0; a < count_; ++a) {
      total_ += graph.Traffic(a);
      talks_.push_back(graph.Traffic(a) > 0 ? 1 : 0);
      for (const RankGraph::Edge& edge : graph.EdgesOf(a)) {
        bytes_[At(a, edge.to)] = edge.bytes;
      }
    }
    for (TaskRank a = 0; a < count_; ++a) {
      for (TaskRank b = a + 1; b < count_; ++b) {
        change_[At(a, b)] = ChangeBySwap(a, b);
      }
    }
  }

  void Run(Budget& budget) {
    // This many find the optimum of nearly all problems that can be enumerated.
    const std::uint64_t max_steps = 300 + std::uint64_t{50} * count_;
    const std::uint64_t patience = 200 + std::uint64_t{20} * count_;
    const std::uint64_t step_work = std::uint64_t{count_} * count_ / 2;
    for (step_ = 1; step_ <= max_steps; ++step_) {
      if (step_ - best_step_ > patience) break;
      if (!Step() || !budget.Spend(step_work)) break;
    }
    places_ = best_places_;
  }

 private:
  struct Swap {
    TaskRank a = 0;
    TaskRank b = 0;
    double change = std::numeric_limits<double>::infinity();
  };

  std::size_t At(std::size_t a, std::size_t b) const { return a * count_ + b; }
  double Hops(SiteId a, SiteId b) const { return sites_.Distance(a, b); }

  double ChangeBySwap(TaskRank a, TaskRank b) const {
    const SiteId at_a = places_[a];
    const SiteId at_b = places_[b];
    double change = 0;
    for (TaskRank c = 0; c < count_; ++c) {
      if (c == a || c == b) continue;
      change += (bytes_[At(a, c)] - bytes_[At(b, c)]) *
                (Hops(at_b, places_[c]) - Hops(at_a, places_[c]));
    }
    return change;
  }

  // The best swap that is not tabu, or leads to a cost below all before.
  Swap Best() const {
    Swap best;
    const double noise = -1e-12 * total_;
    for (TaskRank a = 0; a < count_; ++a) {
      const double* const row = &change_[At(a, 0)];
      for (TaskRank b = a + 1; b < count_; ++b) {
        const double change = row[b];
        if (change >= best.change) continue;
        if (places_[a] == places_[b] || talks_[a] + talks_[b] == 0) continue;
        const bool tabu = IsTabu(a, places_[b]) && IsTabu(b, places_[a]);
        if (tabu && cost_ + change >= best_cost_ + noise) continue;
        best = {a, b, change};
      }
    }
    return best;
  }

  bool IsTabu(TaskRank rank, SiteId site) const {
    return tabu_until_[std::size_t{rank} * sites_.size() + site] > step_;
  }

  void Forbid(TaskRank rank, SiteId site) {
    // Taillard: 0.9 to 1.1 times the number of ranks; a wider range here for
    // few ranks.
    const std::uint64_t shortest = 1 + count_ * 3 / 4;
    const std::uint64_t range = 2 + count_ / 2;
    tabu_until_[std::size_t{rank} * sites_.size() + site] =
        step_ + shortest + random_() % range;
  }

  bool Step() {
    const Swap swap = Best();
    // All swaps are tabu, or no two sites differ.
    if (swap.a == swap.b) return count_ > 2 && HasTwoSites();
    const auto [a, b, change] = swap;
    Forbid(a, places_[a]);
    Forbid(b, places_[b]);
    const SiteId at_a = places_[a];
    const SiteId at_b = places_[b];
    std::swap(places_[a], places_[b]);
    cost_ += change;
    Update(a, b, at_a, at_b);
    if (cost_ < best_cost_ - 1e-12 * total_) {
      best_cost_ = cost_;
      best_places_ = places_;
      best_step_ = step_;
    }
    return true;
  }

  bool HasTwoSites() const {
    return std::any_of(places_.begin(), places_.end(),
                       [&](SiteId site) { return site != places_.front(); });
  }

  // After a swap of a and b, the swap of u and v changes the cost by
  // (bytes_ua - bytes_ub - bytes_va + bytes_vb) x (hops to the old site of a,
  // less those to that of b, from the site of u, less the same of v) more.
  void Update(TaskRank a, TaskRank b, SiteId old_a, SiteId old_b) {
    for (TaskRank u = 0; u < count_; ++u) {
      bytes_to_a_[u] = bytes_[At(a, u)] - bytes_[At(b, u)];
      hops_to_a_[u] = Hops(old_a, places_[u]) - Hops(old_b, places_[u]);
    }
    for (TaskRank u = 0; u < count_; ++u) {
      double* const row = &change_[At(u, 0)];
      const double bytes = bytes_to_a_[u];
      const double hops = hops_to_a_[u];
      for (TaskRank v = u + 1; v < count_; ++v) {
        row[v] += (bytes - bytes_to_a_[v]) * (hops - hops_to_a_[v]);
      }
    }
    for (TaskRank u = 0; u < count_; ++u) {
      for (const TaskRank moved : {a, b}) {
        if (u == moved) continue;
        change_[At(std::min(u, moved), std::max(u, moved))] =
            ChangeBySwap(std::min(u, moved), std::max(u, moved));
      }
    }
  }

  std::uint32_t count_;
  const Sites& sites_;
  std::mt19937_64 random_;
  std::vector<SiteId>& places_;
  std::vector<SiteId> best_places_;
  std::vector<double> bytes_;              // count x count, symmetric
  std::vector<double> change_;             // of a swap, a < b
  std::vector<std::uint64_t> tabu_until_;  // by rank and site
  std::vector<char> talks_;
  std::vector<double> bytes_to_a_;  // of Update
  std::vector<double> hops_to_a_;
  double total_ = 0;
  double cost_ = 0;  // relative to the start
  double best_cost_ = 0;
  std::uint64_t step_ = 0;
  std::uint64_t best_step_ = 0;
};

}  // namespace

void ImproveByTabuSearch(const RankGraph& graph, const Sites& sites,
                         std::uint64_t seed, std::vector<SiteId>& places,
                         Budget& budget) {
  TabuSearch(graph, sites, seed, places).Run(budget);
}

}  // namespace coolspan
