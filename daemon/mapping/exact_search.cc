// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/exact_search.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "mapping/rank_swaps.h"

namespace coolspan {
namespace {

// More have far more than kMaxMappings mappings, or all ranks on one vertex.
constexpr std::size_t kMaxRanks = 32;
// Vertices with a table of their distances: 32 MB.
constexpr std::size_t kMaxSpots = 2048;
// Vertices that are compared with each other.
constexpr std::size_t kMaxCompared = 64;

// Sites of one vertex, whose slots are alike.
struct Spot {
  SiteId site = 0;  // the first one
  std::uint32_t slots = 0;
};

std::vector<Spot> SpotsOf(const Sites& sites,
                          std::span<const std::uint32_t> slots) {
  std::vector<Spot> spots;
  std::unordered_map<VertexId, std::size_t> spot_of;
  for (SiteId site = 0; site < sites.size(); ++site) {
    const auto [entry, is_new] =
        spot_of.try_emplace(sites.VertexOf(site), spots.size());
    if (is_new) spots.push_back({site, 0});
    spots[entry->second].slots += slots[site];
  }
  return spots;
}

// Those that communicate, but no more than one more than kMaxRanks.
std::vector<TaskRank> TalkingRanks(const RankGraph& graph) {
  std::vector<TaskRank> ranks;
  for (TaskRank rank = 0; rank < graph.size(); ++rank) {
    if (graph.EdgesOf(rank).empty()) continue;
    ranks.push_back(rank);
    if (ranks.size() > kMaxRanks) break;
  }
  return ranks;
}

// Of a number of ranks; infinity for very many. The coefficient of x^ranks in
// the product of the exponential generating functions of the spots.
double CountPlacements(std::size_t ranks, const std::vector<Spot>& spots) {
  if (spots.size() == 1) return 1;
  if (ranks > kMaxRanks) return std::numeric_limits<double>::infinity();
  std::vector<double> ways(ranks + 1, 0);
  ways[0] = 1;
  for (const Spot& spot : spots) {
    for (std::size_t placed = ranks; placed > 0; --placed) {
      double choices = 1;  // of the ranks on this spot
      double sum = ways[placed];
      for (std::size_t here = 1;
           here <= std::min<std::size_t>(spot.slots, placed); ++here) {
        choices *=
            static_cast<double>(placed - here + 1) / static_cast<double>(here);
        sum += ways[placed - here] * choices;
      }
      ways[placed] = sum;
    }
  }
  return ways[ranks];
}

class ExactSearch {
 public:
  ExactSearch(const RankGraph& graph, const Sites& sites,
              std::vector<TaskRank> ranks, std::vector<Spot> spots,
              double known_cost, Budget& budget)
      : ranks_(std::move(ranks)),
        spots_(std::move(spots)),
        budget_(budget),
        count_(ranks_.size()),
        width_(spots_.size()),
        hops_(width_ * width_, 0),
        bytes_(count_ * count_, 0),
        costs_((count_ + 1) * count_ * width_, 0),
        rest_(count_ + 1, 0),
        used_(width_, 0),
        place_(count_, 0),
        best_cost_(known_cost) {
    SortByTraffic(graph);
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = 0; j < count_; ++j) {
        bytes_[i * count_ + j] = graph.Between(ranks_[i], ranks_[j]);
      }
    }
    for (std::size_t a = 0; a < width_; ++a) {
      for (std::size_t b = 0; b < width_; ++b) {
        hops_[a * width_ + b] = sites.Distance(spots_[a].site, spots_[b].site);
      }
    }
    BoundTheRest();
    FindTwins();
  }

  // False if the budget or the search's own limit ended it.
  bool Run() {
    Place(0, 0);
    if (budget_.Spend(work_)) total_ += work_;
    return !is_over_;
  }
  // Spent on the budget.
  std::uint64_t work() const { return total_; }

  // Whether a mapping of less than the known cost was found.
  bool found() const { return !best_.empty(); }
  const std::vector<TaskRank>& ranks() const { return ranks_; }
  // A site of the vertex of ranks()[i] in the best mapping.
  SiteId SiteOf(std::size_t i) const { return spots_[best_[i]].site; }

 private:
  // Costs computed in a search: a third of a second.
  static constexpr std::uint64_t kMaxWork = 200'000'000;
  // Costs computed between looks at the budget.
  static constexpr std::uint64_t kPortion = 10'000;

  // The rank with most traffic first, then always the one with most traffic to
  // those before.
  void SortByTraffic(const RankGraph& graph) {
    std::vector<std::pair<double, double>> keys(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      keys[i] = {0, graph.Traffic(ranks_[i])};
    }
    for (std::size_t i = 0; i < count_; ++i) {
      const auto next = std::max_element(
          keys.begin() + static_cast<std::ptrdiff_t>(i), keys.end());
      const auto at = static_cast<std::size_t>(next - keys.begin());
      std::swap(keys[i], keys[at]);
      std::swap(ranks_[i], ranks_[at]);
      for (std::size_t j = i + 1; j < count_; ++j) {
        keys[j].first += graph.Between(ranks_[i], ranks_[j]);
      }
    }
  }

  // rest_[i]: a lower bound of the cost of rank i and later ones among each
  // other, wherever they are placed: the most bytes over the fewest hops.
  void BoundTheRest() {
    const std::size_t max_pairs = count_ * (count_ - 1) / 2;
    std::vector<double> hops;  // of the pairs of slots, the shortest
    for (std::size_t a = 0; a < width_; ++a) {
      const std::size_t slots = std::min<std::size_t>(spots_[a].slots, count_);
      hops.insert(hops.end(), slots * (slots - 1) / 2, 0);
      for (std::size_t b = 0; b < a; ++b) {
        hops.insert(hops.end(),
                    slots * std::min<std::size_t>(spots_[b].slots, count_),
                    hops_[a * width_ + b]);
      }
      if (hops.size() > 4 * max_pairs) KeepShortest(max_pairs, hops);
    }
    KeepShortest(max_pairs, hops);
    std::vector<double> bytes;
    for (std::size_t i = count_; i-- > 0;) {
      for (std::size_t j = i + 1; j < count_; ++j) {
        bytes.push_back(bytes_[i * count_ + j]);
      }
      std::sort(bytes.begin(), bytes.end(), std::greater<>());
      rest_[i] =
          std::inner_product(bytes.begin(), bytes.end(), hops.begin(), 0.0);
    }
  }

  static void KeepShortest(std::size_t count, std::vector<double>& hops) {
    std::sort(hops.begin(), hops.end());
    hops.resize(std::min(count, hops.size()));
  }

  // Spots that can be exchanged without a change of any cost: as long as both
  // are empty, only the first is tried.
  void FindTwins() {
    twin_.resize(width_);
    std::iota(twin_.begin(), twin_.end(), std::size_t{0});
    if (width_ > kMaxCompared) return;
    for (std::size_t b = 0; b < width_; ++b) {
      for (std::size_t a = b; a-- > 0;) {
        if (!AreTwins(a, b)) continue;
        twin_[b] = a;
        break;
      }
    }
  }

  bool AreTwins(std::size_t a, std::size_t b) const {
    if (spots_[a].slots != spots_[b].slots) return false;
    for (std::size_t c = 0; c < width_; ++c) {
      if (c == a || c == b) continue;
      if (hops_[a * width_ + c] != hops_[b * width_ + c]) return false;
    }
    return true;
  }

  bool HasWorkLeft() {
    if (work_ < kPortion) return !is_over_;
    const std::uint64_t work = std::exchange(work_, 0);
    is_over_ = is_over_ || total_ >= kMaxWork || !budget_.Spend(work);
    if (!is_over_) total_ += work;
    return !is_over_;
  }

  bool IsOpen(std::size_t spot) const {
    const std::size_t twin = twin_[spot];
    if (used_[spot] == 0 && twin != spot && used_[twin] == 0) return false;
    return used_[spot] < spots_[spot].slots;
  }

  // cost: of the ranks before among each other. costs_ has, for each number of
  // ranks placed, the cost of each later rank on each spot with those.
  void Place(std::size_t rank, double cost) {
    // Equal costs are no improvement, whatever the rounding.
    constexpr double kLeast = 1e-12;
    if (!HasWorkLeft()) return;
    const double* const costs = &costs_[rank * count_ * width_];
    double bound = cost + rest_[rank];
    for (std::size_t later = rank; later < count_; ++later) {
      double min_cost = std::numeric_limits<double>::infinity();
      for (std::size_t spot = 0; spot < width_; ++spot) {
        if (used_[spot] < spots_[spot].slots) {
          min_cost = std::min(min_cost, costs[later * width_ + spot]);
        }
      }
      bound += min_cost;
    }
    if (bound >= best_cost_ * (1 - kLeast)) return;
    if (rank == count_) {
      best_cost_ = cost;
      best_ = place_;
      return;
    }
    std::vector<std::pair<double, std::size_t>> choices;
    for (std::size_t spot = 0; spot < width_; ++spot) {
      if (IsOpen(spot)) choices.emplace_back(costs[rank * width_ + spot], spot);
    }
    std::sort(choices.begin(), choices.end());
    for (const auto& [added, spot] : choices) {
      ++used_[spot];
      place_[rank] = spot;
      AddCosts(rank, spot);
      Place(rank + 1, cost + added);
      --used_[spot];
    }
  }

  void AddCosts(std::size_t rank, std::size_t spot) {
    const double* const hops = &hops_[spot * width_];
    const double* const before = &costs_[rank * count_ * width_];
    double* const after = &costs_[(rank + 1) * count_ * width_];
    for (std::size_t later = rank + 1; later < count_; ++later) {
      const double bytes = bytes_[rank * count_ + later];
      for (std::size_t to = 0; to < width_; ++to) {
        after[later * width_ + to] =
            before[later * width_ + to] + bytes * hops[to];
      }
    }
    work_ += (count_ - rank) * width_;
  }

  std::vector<TaskRank> ranks_;  // in the order of the search
  std::vector<Spot> spots_;
  Budget& budget_;
  std::size_t count_;
  std::size_t width_;
  std::vector<double> hops_;         // width x width
  std::vector<double> bytes_;        // count x count
  std::vector<double> costs_;        // ranks placed x count x width
  std::vector<double> rest_;         // by ranks placed
  std::vector<std::uint32_t> used_;  // slots of each spot
  std::vector<std::size_t> twin_;    // of each spot: an earlier one, or itself
  std::vector<std::size_t> place_;   // spot of each rank
  std::vector<std::size_t> best_;
  double best_cost_;
  std::uint64_t work_ = 0;
  std::uint64_t total_ = 0;
  bool is_over_ = false;
};

// Ranks that do not communicate take the slots that are left, in order.
std::vector<SiteId> PlacesOf(const ExactSearch& search, const Sites& sites,
                             std::span<const std::uint32_t> slots) {
  std::unordered_map<VertexId, std::vector<SiteId>> free;
  for (SiteId site = sites.size(); site-- > 0;) {
    std::vector<SiteId>& here = free[sites.VertexOf(site)];
    here.insert(here.end(), slots[site], site);
  }
  const std::size_t all =
      std::accumulate(slots.begin(), slots.end(), std::size_t{0});
  std::vector<SiteId> places(all, sites.size());
  for (std::size_t i = 0; i < search.ranks().size(); ++i) {
    std::vector<SiteId>& here = free[sites.VertexOf(search.SiteOf(i))];
    places[search.ranks()[i]] = here.back();
    here.pop_back();
  }
  TaskRank rank = 0;
  for (SiteId site = 0; site < sites.size(); ++site) {
    std::vector<SiteId>& here = free[sites.VertexOf(site)];
    for (; !here.empty(); here.pop_back()) {
      while (places[rank] < sites.size()) ++rank;
      places[rank] = here.back();
    }
  }
  return places;
}

}  // namespace

double CountMappings(const RankGraph& graph, const Sites& sites,
                     std::span<const std::uint32_t> slots) {
  return CountPlacements(TalkingRanks(graph).size(), SpotsOf(sites, slots));
}

bool ImproveExactly(const RankGraph& graph, const Sites& sites,
                    std::span<const std::uint32_t> slots,
                    std::vector<SiteId>& places, Budget& budget) {
  std::vector<TaskRank> ranks = TalkingRanks(graph);
  std::vector<Spot> spots = SpotsOf(sites, slots);
  // All slots are alike.
  if (spots.size() == 1 || ranks.empty()) return true;
  if (spots.size() > kMaxSpots ||
      CountPlacements(ranks.size(), spots) > kMaxMappings) {
    return false;
  }
  constexpr double kShare = 0.5;
  Budget part = budget.Part(kShare);
  ExactSearch search(graph, sites, std::move(ranks), std::move(spots),
                     CostOfPlaces(graph, sites, places), part);
  const bool is_optimal = search.Run();
  budget.Spend(search.work());
  if (search.found()) places = PlacesOf(search, sites, slots);
  return is_optimal;
}

}  // namespace coolspan
