// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/exhaustive.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace coolspan {
namespace {

template <typename T>
using Few = std::array<T, kMaxExhaustive>;

class Exhaustive {
 public:
  Exhaustive(const RankGraph& graph, const Sites& sites,
             std::span<const TaskRank> ranks, std::span<const SiteId> slots,
             const std::function<double(TaskRank, SiteId)>& cost_elsewhere)
      : count_(ranks.size()), slots_(slots) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    // Ranks with most traffic first: their places decide the cost.
    std::stable_sort(order_.begin(),
                     order_.begin() + static_cast<std::ptrdiff_t>(count_),
                     [&](std::size_t a, std::size_t b) {
                       return graph.Traffic(ranks[a]) > graph.Traffic(ranks[b]);
                     });
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = 0; j < count_; ++j) {
        hops_[i][j] = sites.Distance(slots[i], slots[j]);
        bytes_[i][j] = graph.Between(ranks[order_[i]], ranks[order_[j]]);
        elsewhere_[i][j] = cost_elsewhere(ranks[order_[i]], slots[j]);
      }
    }
    BoundTheRest();
  }

  std::vector<SiteId> Search() {
    Place(0, 0);
    std::vector<SiteId> places(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      places[order_[i]] = slots_[best_[i]];
    }
    return places;
  }

 private:
  // rest_[i]: a lower bound of the cost of rank i and later ones among each
  // other and with ranks elsewhere, wherever they are placed.
  void BoundTheRest() {
    double shortest = count_ > 1 ? std::numeric_limits<double>::max() : 0;
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        shortest = std::min(shortest, hops_[i][j]);
      }
    }
    for (std::size_t i = count_; i-- > 0;) {
      const auto& costs = elsewhere_[i];
      double min_cost = *std::min_element(
          costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(count_));
      for (std::size_t j = i + 1; j < count_; ++j) {
        min_cost += bytes_[i][j] * shortest;
      }
      rest_[i] = min_cost + rest_[i + 1];
    }
  }

  double CostOf(std::size_t rank, std::size_t slot) const {
    double cost = elsewhere_[rank][slot];
    for (std::size_t other = 0; other < rank; ++other) {
      cost += bytes_[rank][other] * hops_[slot][place_[other]];
    }
    return cost;
  }

  void Place(std::size_t rank, double cost) {
    // Equal costs are no improvement, whatever the rounding.
    constexpr double kLeast = 1e-12;
    if (cost + rest_[rank] >= best_cost_ * (1 - kLeast)) return;
    // g++ 14 does not see that count_ is at most kMaxExhaustive.
    if (rank >= std::min(count_, kMaxExhaustive)) {
      best_cost_ = cost;
      best_ = place_;
      return;
    }
    Few<std::pair<double, std::size_t>> choices{};
    std::size_t choice_count = 0;
    for (std::size_t slot = 0; slot < count_; ++slot) {
      if (used_[slot]) continue;
      // The free slots of a site are alike.
      const bool seen =
          slot > 0 && slots_[slot - 1] == slots_[slot] && !used_[slot - 1];
      if (!seen) choices[choice_count++] = {CostOf(rank, slot), slot};
    }
    std::sort(choices.begin(),
              choices.begin() + static_cast<std::ptrdiff_t>(choice_count));
    for (std::size_t i = 0; i < choice_count; ++i) {
      const auto [added, slot] = choices[i];
      used_[slot] = true;
      place_[rank] = slot;
      Place(rank + 1, cost + added);
      used_[slot] = false;
    }
  }

  std::size_t count_;
  std::span<const SiteId> slots_;
  Few<std::size_t> order_{};  // ranks, in the order of the search
  Few<Few<double>> hops_{};
  Few<Few<double>> bytes_{};
  Few<Few<double>> elsewhere_{};
  std::array<double, kMaxExhaustive + 1> rest_{};
  Few<std::size_t> place_{};  // slot of each rank
  Few<bool> used_{};
  Few<std::size_t> best_{};
  double best_cost_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<SiteId> PlaceExhaustively(
    const RankGraph& graph, const Sites& sites, std::span<const TaskRank> ranks,
    std::span<const SiteId> slots,
    const std::function<double(TaskRank, SiteId)>& cost_elsewhere) {
  return Exhaustive(graph, sites, ranks, slots, cost_elsewhere).Search();
}

}  // namespace coolspan
