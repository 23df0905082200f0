// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/swap_search.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace coolspan {
namespace {

constexpr std::size_t kMaxCandidates = 48;  // nodes to remove, and to add
constexpr std::uint64_t kMaxSwaps = 2000;
constexpr double kMinGainK = 1e-9;

struct Swap {
  std::size_t out;
  std::size_t in;
};

class SwapSearch {
 public:
  SwapSearch(InletConstraints& constraints, std::span<const double> prices,
             GroupPlacement& placement)
      : constraints_(constraints), prices_(prices), placement_(placement) {
    if (!constraints.Has(placement.peak_zone())) {
      constraints.Add(placement.peak_zone());
    }
  }

  // Budget units of one call of Best.
  std::uint64_t WorkPerSwap() const {
    return kMaxCandidates * kMaxCandidates * 4 + prices_.size();
  }
  std::optional<Swap> Best();

 private:
  void ListCandidates();
  void SortConstraints();
  double PeakAfter(std::size_t out, std::size_t in, double limit) const;

  InletConstraints& constraints_;
  std::span<const double> prices_;
  GroupPlacement& placement_;
  std::vector<std::size_t> removable_;
  std::vector<std::size_t> addable_;
  std::vector<std::size_t> warmest_;  // rows of constraints_, warmest first
};

void SwapSearch::ListCandidates() {
  removable_.clear();
  addable_.clear();
  const auto groups = placement_.problem().groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const NodeCount count = placement_.counts()[g];
    if (count > 0) removable_.push_back(g);
    if (count < groups[g].capacity) addable_.push_back(g);
  }
  const auto keep = [](std::vector<std::size_t>& list, auto&& rank) {
    if (list.size() <= kMaxCandidates) return;
    std::nth_element(list.begin(), list.begin() + kMaxCandidates, list.end(),
                     [&](std::size_t a, std::size_t b) {
                       const double rank_a = rank(a);
                       const double rank_b = rank(b);
                       return rank_a != rank_b ? rank_a < rank_b : a < b;
                     });
    list.resize(kMaxCandidates);
    std::sort(list.begin(), list.end());
  };
  // Prefer to remove nodes that heat the warmest inlet more than their price.
  const auto k_per_watt = constraints_.KPerWatt(warmest_.front());
  keep(removable_, [&](std::size_t g) {
    return prices_[g] - groups[g].watts * k_per_watt[g];
  });
  keep(addable_, [this](std::size_t g) { return prices_[g]; });
}

void SwapSearch::SortConstraints() {
  warmest_.resize(constraints_.size());
  for (std::size_t row = 0; row < warmest_.size(); ++row) warmest_[row] = row;
  const auto inlet_c = placement_.inlet_c();
  std::sort(warmest_.begin(), warmest_.end(),
            [&](std::size_t a, std::size_t b) {
              const double inlet_a = inlet_c[constraints_.InletOf(a)];
              const double inlet_b = inlet_c[constraints_.InletOf(b)];
              return inlet_a != inlet_b ? inlet_a > inlet_b : a < b;
            });
}

// The maximum over the inlets of constraints_ after the swap; limit if it is
// not below that.
double SwapSearch::PeakAfter(std::size_t out, std::size_t in,
                             double limit) const {
  const auto groups = placement_.problem().groups();
  double removed_w = placement_.RemovalWatts(out);
  double added_w = placement_.AdditionWatts(in);
  if (groups[out].zone == groups[in].zone) {  // the zone stays on
    removed_w = groups[out].watts;
    added_w = groups[in].watts;
  }
  double peak = -std::numeric_limits<double>::infinity();
  for (const std::size_t row : warmest_) {
    const auto k_per_watt = constraints_.KPerWatt(row);
    const double after = placement_.inlet_c()[constraints_.InletOf(row)] +
                         added_w * k_per_watt[in] - removed_w * k_per_watt[out];
    if (after >= limit) return limit;
    peak = std::max(peak, after);
  }
  return peak;
}

std::optional<Swap> SwapSearch::Best() {
  SortConstraints();
  ListCandidates();
  std::optional<Swap> best;
  double min_peak = placement_.peak_c() - kMinGainK;
  for (const std::size_t out : removable_) {
    for (const std::size_t in : addable_) {
      if (in == out) continue;
      const double peak = PeakAfter(out, in, min_peak);
      if (peak < min_peak) {
        min_peak = peak;
        best = {out, in};
      }
    }
  }
  return best;
}

}  // namespace

std::uint64_t LowerPeakBySwaps(InletConstraints& constraints,
                               std::span<const double> prices, double target_c,
                               Budget& budget, GroupPlacement& placement) {
  SwapSearch search(constraints, prices, placement);
  std::uint64_t swaps = 0;
  while (swaps < kMaxSwaps && placement.peak_c() > target_c &&
         budget.Spend(search.WorkPerSwap())) {
    const std::optional<Swap> swap = search.Best();
    if (!swap) break;
    const double before_c = placement.peak_c();
    placement.Swap(swap->out, swap->in);
    const bool has_constraint = constraints.Has(placement.peak_zone());
    if (!has_constraint) constraints.Add(placement.peak_zone());
    if (placement.peak_c() < before_c) {
      ++swaps;
      continue;
    }
    placement.Swap(swap->in, swap->out);
    if (has_constraint) break;
  }
  return swaps;
}

}  // namespace coolspan
