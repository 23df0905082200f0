// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/greedy.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "mapping/mappers.h"
#include "mapping/site_halves.h"
#include "mapping/slot_problem.h"

namespace coolspan {
namespace {

class GreedyPlacing {
 public:
  GreedyPlacing(const RankGraph& graph, const Sites& sites,
                std::span<const std::uint32_t> slots)
      : graph_(graph),
        sites_(sites),
        free_(slots.begin(), slots.end()),
        open_(sites.size()),
        attraction_(graph.size(), 0),
        is_placed_(graph.size(), false),
        places_(graph.size(), 0) {
    std::iota(open_.begin(), open_.end(), SiteId{0});
    std::erase_if(open_, [&](SiteId site) { return free_[site] == 0; });
    for (TaskRank rank = 0; rank < graph.size(); ++rank) {
      by_traffic_.push_back(rank);
      next_.emplace(0, 0, rank);
    }
    std::stable_sort(by_traffic_.begin(), by_traffic_.end(),
                     [&](TaskRank a, TaskRank b) {
                       return graph.Traffic(a) > graph.Traffic(b);
                     });
  }

  std::vector<SiteId> Run(Budget& budget) {
    bool has_budget = true;
    for (std::uint32_t placed = 0; placed < graph_.size(); ++placed) {
      const TaskRank rank = Next();
      if (has_budget) has_budget = budget.Spend(open_.size());
      Put(rank, has_budget ? BestSiteFor(rank) : open_.front());
    }
    return std::move(places_);
  }

 private:
  // More traffic to placed ranks first, then more traffic, then smaller ranks.
  TaskRank Next() {
    while (!next_.empty()) {
      const auto [attraction, unused, rank] = next_.top();
      if (!is_placed_[rank] && attraction > 0 &&
          attraction == attraction_[rank]) {
        return rank;
      }
      if (attraction == 0) break;
      next_.pop();
    }
    while (is_placed_[by_traffic_[first_unplaced_]]) ++first_unplaced_;
    return by_traffic_[first_unplaced_];
  }

  SiteId BestSiteFor(TaskRank rank) {
    partners_.clear();
    for (const RankGraph::Edge& edge : graph_.EdgesOf(rank)) {
      if (is_placed_[edge.to]) partners_.push_back(edge);
    }
    if (partners_.empty()) return MiddleOf(sites_, open_);
    // Those of a dense pattern with most bytes: all would take minutes.
    constexpr std::size_t kMaxPartners = 32;
    KeepHeaviest(partners_, kMaxPartners);
    SiteId best = open_.front();
    double min_cost = std::numeric_limits<double>::infinity();
    for (const SiteId site : open_) {
      double cost = 0;
      for (const RankGraph::Edge& edge : partners_) {
        cost += edge.bytes * sites_.Distance(places_[edge.to], site);
      }
      if (cost < min_cost) {
        min_cost = cost;
        best = site;
      }
    }
    return best;
  }

  void Put(TaskRank rank, SiteId site) {
    places_[rank] = site;
    is_placed_[rank] = true;
    if (--free_[site] == 0) {
      open_.erase(std::lower_bound(open_.begin(), open_.end(), site));
    }
    for (const RankGraph::Edge& edge : graph_.EdgesOf(rank)) {
      if (is_placed_[edge.to]) continue;
      attraction_[edge.to] += edge.bytes;
      next_.emplace(attraction_[edge.to], -static_cast<std::int64_t>(edge.to),
                    edge.to);
    }
  }

  const RankGraph& graph_;
  const Sites& sites_;
  std::vector<std::uint32_t> free_;
  std::vector<SiteId> open_;  // ascending: sites with free slots
  std::vector<double> attraction_;
  std::vector<bool> is_placed_;
  std::vector<TaskRank> by_traffic_;
  std::size_t first_unplaced_ = 0;
  // Entries stay when the attraction of their rank has grown.
  std::priority_queue<std::tuple<double, std::int64_t, TaskRank>> next_;
  std::vector<RankGraph::Edge> partners_;
  std::vector<SiteId> places_;
};

class Greedy final : public Mapper {
 public:
  RankToNode Map(const Topology& topology, const MappingProblem& problem,
                 Budget& budget) const override {
    const SlotProblem slots(topology, problem);
    return slots.NodesOf(
        PlaceGreedily(slots.graph(), slots.sites(), slots.slots(), budget));
  }
};

}  // namespace

std::vector<SiteId> PlaceGreedily(const RankGraph& graph, const Sites& sites,
                                  std::span<const std::uint32_t> slots,
                                  Budget& budget) {
  return GreedyPlacing(graph, sites, slots).Run(budget);
}

std::unique_ptr<Mapper> MakeGreedy(const SpecValues& /*values*/) {
  return std::make_unique<Greedy>();
}

}  // namespace coolspan
