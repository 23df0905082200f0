// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/bisection.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mapping/exhaustive.h"
#include "mapping/graph_cut.h"
#include "mapping/rank_halves.h"
#include "mapping/site_halves.h"

namespace coolspan {
namespace {

// Sites and the ranks that will be placed on them.
struct Region {
  std::span<SiteId> sites;  // of Bisection::order_
  std::vector<TaskRank> ranks;
};

class Bisection {
 public:
  Bisection(const RankGraph& graph, const Sites& sites,
            std::span<const std::uint32_t> slots,
            const BisectionOptions& options, Budget& budget)
      : graph_(graph),
        sites_(sites),
        slots_(slots),
        options_(options),
        budget_(budget),
        order_(sites.size()),
        index_of_(graph.size(), 0),
        place_(graph.size(), 0) {
    std::iota(order_.begin(), order_.end(), SiteId{0});
  }

  std::vector<SiteId> Run() {
    Region all{order_, std::vector<TaskRank>(graph_.size())};
    std::iota(all.ranks.begin(), all.ranks.end(), TaskRank{0});
    std::vector<Region> level;
    level.push_back(std::move(all));
    // One level after the other: a cut knows about where all other ranks are.
    while (!level.empty()) {
      std::vector<Region> next;
      for (Region& region : level) {
        if (IsSmall(region)) {
          small_.push_back(std::move(region));
        } else {
          Divide(std::move(region), next);
        }
      }
      level = std::move(next);
    }
    PlaceInOrder();
    PlaceSmallRegions();
    return std::move(place_);
  }

 private:
  bool IsSmall(const Region& region) const {
    return region.sites.size() == 1 || region.ranks.size() <= kMaxExhaustive;
  }

  bool IsIn(const Region& region, TaskRank rank) const {
    const std::uint32_t index = index_of_[rank];
    return index < region.ranks.size() && region.ranks[index] == rank;
  }

  // Cost of the traffic of a rank on a site with the ranks outside a region.
  double CostElsewhere(const Region& region, TaskRank rank, SiteId site) const {
    double cost = 0;
    for (const RankGraph::Edge& edge : graph_.EdgesOf(rank)) {
      if (IsIn(region, edge.to)) continue;
      cost += edge.bytes * sites_.Distance(site, place_[edge.to]);
    }
    return cost;
  }

  void Divide(Region region, std::vector<Region>& parts) {
    const std::size_t cut = HalveSites(sites_, slots_, region.sites);
    Region first{region.sites.first(cut), {}};
    Region second{region.sites.subspan(cut), {}};
    std::size_t first_slots = 0;
    for (const SiteId site : first.sites) first_slots += slots_[site];
    const SiteId first_middle = MiddleOf(sites_, first.sites);
    const SiteId second_middle = MiddleOf(sites_, second.sites);
    const std::vector<bool> is_second =
        DivideRanks(region, first_slots, first_middle, second_middle);
    for (std::size_t i = 0; i < region.ranks.size(); ++i) {
      const TaskRank rank = region.ranks[i];
      (is_second[i] ? second : first).ranks.push_back(rank);
      place_[rank] = is_second[i] ? second_middle : first_middle;
    }
    parts.push_back(std::move(first));
    parts.push_back(std::move(second));
  }

  std::vector<bool> DivideRanks(const Region& region, std::size_t first_slots,
                                SiteId first_middle, SiteId second_middle) {
    std::vector<bool> is_second(region.ranks.size(), false);
    std::uint64_t work = region.ranks.size() + region.sites.size();
    for (const TaskRank rank : region.ranks) {
      work += graph_.EdgesOf(rank).size();
    }
    if (!budget_.Spend(work)) {
      std::fill(is_second.begin() + static_cast<std::ptrdiff_t>(first_slots),
                is_second.end(), true);
      return is_second;
    }
    for (std::uint32_t i = 0; i < region.ranks.size(); ++i) {
      index_of_[region.ranks[i]] = i;
    }
    // Middles of one vertex: the cut still matters.
    const double hops =
        std::max<double>(1, sites_.Distance(first_middle, second_middle));
    std::vector<double> pull(region.ranks.size(), 0);
    if (options_.sees_other_regions) {
      for (std::size_t i = 0; i < region.ranks.size(); ++i) {
        pull[i] = CostElsewhere(region, region.ranks[i], second_middle) -
                  CostElsewhere(region, region.ranks[i], first_middle);
        pull[i] /= hops;
      }
    }
    is_second = CutRanks(graph_, region.ranks, index_of_, pull, first_slots,
                         options_.seed + parts_divided_++, budget_);
    Turn(first_slots, pull, is_second);
    RankHalves halves(graph_, region.ranks, index_of_, pull,
                      std::move(is_second));
    halves.Balance(first_slots);
    if (options_.sees_other_regions && work < kMaxImproved) {
      halves.Improve(budget_);
    }
    return halves.is_second();
  }

  // Exchanges the parts if the ranks elsewhere are nearer then.
  static void Turn(std::size_t first_slots, const std::vector<double>& pull,
                   std::vector<bool>& is_second) {
    if (2 * first_slots != pull.size()) return;
    double as_is = 0;
    double turned = 0;
    for (std::size_t i = 0; i < pull.size(); ++i) {
      (is_second[i] ? as_is : turned) += pull[i];
    }
    if (turned < as_is) is_second.flip();
  }

  // The slots of a region, those of a site consecutive.
  std::vector<SiteId> SlotsOf(const Region& region) const {
    std::vector<SiteId> slots;
    slots.reserve(region.ranks.size());
    for (const SiteId site : region.sites) {
      slots.insert(slots.end(), slots_[site], site);
    }
    return slots;
  }

  void PlaceInOrder() {
    for (const Region& region : small_) {
      const std::vector<SiteId> slots = SlotsOf(region);
      for (std::size_t i = 0; i < region.ranks.size(); ++i) {
        place_[region.ranks[i]] = slots[i];
      }
    }
  }

  void PlaceSmallRegions() {
    const int sweeps = options_.sees_other_regions && small_.size() > 1 ? 2 : 1;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (const Region& region : small_) {
        if (region.sites.size() == 1) continue;
        constexpr std::uint64_t kWork = 500;
        if (!budget_.Spend(kWork)) return;
        PlaceSmall(region);
      }
    }
  }

  void PlaceSmall(const Region& region) {
    for (std::uint32_t i = 0; i < region.ranks.size(); ++i) {
      index_of_[region.ranks[i]] = i;
    }
    const std::vector<SiteId> places = PlaceExhaustively(
        graph_, sites_, region.ranks, SlotsOf(region),
        [&](TaskRank rank, SiteId site) {
          return options_.sees_other_regions ? CostElsewhere(region, rank, site)
                                             : 0;
        });
    for (std::size_t i = 0; i < places.size(); ++i) {
      place_[region.ranks[i]] = places[i];
    }
  }

  // Edges of a region, in both directions, whose cut is improved.
  static constexpr std::uint64_t kMaxImproved = 1'000'000;

  const RankGraph& graph_;
  const Sites& sites_;
  std::span<const std::uint32_t> slots_;
  const BisectionOptions& options_;
  Budget& budget_;
  std::vector<SiteId> order_;
  std::vector<std::uint32_t> index_of_;  // of a rank in the current region
  // By rank: its site, and until that is known the middle of its region.
  std::vector<SiteId> place_;
  std::vector<Region> small_;
  std::uint64_t parts_divided_ = 0;
};

}  // namespace

std::vector<SiteId> BisectRecursively(const RankGraph& graph,
                                      const Sites& sites,
                                      std::span<const std::uint32_t> slots,
                                      const BisectionOptions& options,
                                      Budget& budget) {
  return Bisection(graph, sites, slots, options, budget).Run();
}

}  // namespace coolspan
