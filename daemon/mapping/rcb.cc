// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "mapping/bisection.h"
#include "mapping/exact_search.h"
#include "mapping/exhaustive.h"
#include "mapping/greedy.h"
#include "mapping/mappers.h"
#include "mapping/rank_swaps.h"
#include "mapping/slot_problem.h"

namespace coolspan {
namespace {

// Keeps the best of several places.
class BestPlaces {
 public:
  explicit BestPlaces(const SlotProblem& problem) : problem_(problem) {}

  void Offer(std::vector<SiteId> places) {
    const double cost =
        CostOfPlaces(problem_.graph(), problem_.sites(), places);
    if (!places_.empty() && cost >= cost_) return;
    cost_ = cost;
    places_ = std::move(places);
  }
  std::vector<SiteId>& places() { return places_; }

 private:
  const SlotProblem& problem_;
  double cost_ = 0;
  std::vector<SiteId> places_;
};

class Rcb final : public Mapper {
 public:
  explicit Rcb(bool swaps) : swaps_(swaps) {}

  RankToNode Map(const Topology& topology, const MappingProblem& problem,
                 Budget& budget) const override {
    const SlotProblem slots(topology, problem);
    if (swaps_) return slots.NodesOf(Search(slots, problem.seed, budget));
    return slots.NodesOf(BisectRecursively(slots.graph(), slots.sites(),
                                           slots.slots(), {false, problem.seed},
                                           budget));
  }

 private:
  // Bisection, and what in-order and greedy give, improved by swaps: so no
  // answer is worse than in-order's, nor than greedy's if it takes part. From
  // the cost of that, an exact search if there are few mappings.
  static std::vector<SiteId> Search(const SlotProblem& slots,
                                    std::uint64_t seed, Budget& budget) {
    BestPlaces best(slots);
    best.Offer(slots.InOrder());
    if (slots.graph().IsUniform()) return std::move(best.places());
    if (slots.graph().edges() <= kMaxEdges) {
      SearchOn(slots.graph(), slots, seed, best, budget);
    } else {
      SearchOn(slots.graph().Heaviest(kHeaviest), slots, seed, best, budget);
    }
    ImproveExactly(slots.graph(), slots.sites(), slots.slots(), best.places(),
                   budget);
    return std::move(best.places());
  }

  static void SearchOn(const RankGraph& graph, const SlotProblem& slots,
                       std::uint64_t seed, BestPlaces& best, Budget& budget) {
    const Sites& sites = slots.sites();
    const std::uint32_t ranks = graph.size();
    const bool few = ranks <= kFewRanks && ranks > kMaxExhaustive;
    std::vector<std::vector<SiteId>> starts = {slots.InOrder()};
    for (int start = 0; start < (few ? kStartsOfFew : 1); ++start) {
      const std::uint64_t turn = seed + static_cast<std::uint64_t>(start);
      starts.push_back(
          BisectRecursively(graph, sites, slots.slots(), {true, turn}, budget));
      best.Offer(starts.back());
    }
    // One region: that was an exhaustive search.
    if (ranks <= kMaxExhaustive) return;
    if (ranks <= kMaxGreedy) {
      starts.push_back(PlaceGreedily(graph, sites, slots.slots(), budget));
      best.Offer(starts.back());
    }
    if (!few) starts = {best.places()};
    for (std::vector<SiteId>& places : starts) {
      ImproveBySwaps(graph, sites, places, budget);
      best.Offer(places);
    }
    if (ranks > kMaxTabu) return;
    std::stable_sort(
        starts.begin(), starts.end(), [&](const auto& a, const auto& b) {
          return CostOfPlaces(graph, sites, a) < CostOfPlaces(graph, sites, b);
        });
    if (ranks <= kVeryFewRanks) {
      AddRandomStarts(ranks <= kFewestRanks ? kStartsOfFewest : kRandomStarts,
                      seed, starts);
    }
    for (std::vector<SiteId>& places : starts) {
      ImproveByTabuSearch(graph, sites, seed++, places, budget);
      best.Offer(std::move(places));
    }
  }

  // Shuffled copies of the best start: the searches of few ranks take little
  // time and may all end in one local optimum.
  static void AddRandomStarts(int count, std::uint64_t seed,
                              std::vector<std::vector<SiteId>>& starts) {
    std::mt19937_64 random(seed);
    std::vector<SiteId> places = starts.front();
    for (int start = 0; start < count; ++start) {
      // std::shuffle depends on the standard library.
      for (std::size_t i = places.size() - 1; i > 0; --i) {
        std::swap(places[i], places[random() % (i + 1)]);
      }
      starts.push_back(places);
    }
  }

  // A dense pattern of many ranks is searched by its heaviest edges.
  static constexpr std::size_t kMaxEdges = 1'000'000;
  static constexpr std::size_t kHeaviest = 64;
  // Its time grows with the square of the ranks.
  static constexpr std::uint32_t kMaxGreedy = 8192;
  static constexpr std::uint32_t kFewRanks = 512;
  static constexpr int kStartsOfFew = 4;
  static constexpr std::uint32_t kVeryFewRanks = 32;
  static constexpr int kRandomStarts = 10;
  static constexpr std::uint32_t kFewestRanks = 16;
  static constexpr int kStartsOfFewest = 30;

  bool swaps_;
};

}  // namespace

std::unique_ptr<Mapper> MakeRcb(const SpecValues& values) {
  return std::make_unique<Rcb>(values.find("swaps")->second > 0);
}

}  // namespace coolspan
