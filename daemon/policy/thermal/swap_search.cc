// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/swap_search.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace coolspan {
namespace {

constexpr std::size_t kCandidates = 48;  // on either side
constexpr std::uint64_t kMaxSwaps = 2000;
constexpr double kMinGainK = 1e-9;

struct OneSwap {
  std::size_t out;
  std::size_t in;
};

class SwapSearch {
 public:
  SwapSearch(InletConstraints& rows, std::span<const double> prices,
             GroupPlacement& placing)
      : rows_(rows), prices_(prices), placing_(placing) {
    if (!rows.Has(placing.peak_zone())) rows.Add(placing.peak_zone());
  }

  // How much one look costs.
  std::uint64_t Work() const {
    return kCandidates * kCandidates * 4 + prices_.size();
  }
  std::optional<OneSwap> Best();

 private:
  void ListCandidates();
  void SortRows();
  double PeakAfter(std::size_t out, std::size_t in, double limit) const;

  InletConstraints& rows_;
  std::span<const double> prices_;
  GroupPlacement& placing_;
  std::vector<std::size_t> outs_;
  std::vector<std::size_t> ins_;
  std::vector<std::size_t> warmest_;  // rows, the warmest first
};

void SwapSearch::ListCandidates() {
  outs_.clear();
  ins_.clear();
  const auto groups = placing_.question().groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const NodeCount own = placing_.counts()[g];
    if (own > 0) outs_.push_back(g);
    if (own < groups[g].capacity) ins_.push_back(g);
  }
  const auto keep = [](std::vector<std::size_t>& list, auto&& less_of) {
    if (list.size() <= kCandidates) return;
    std::nth_element(list.begin(), list.begin() + kCandidates, list.end(),
                     [&](std::size_t a, std::size_t b) {
                       const double of_a = less_of(a);
                       const double of_b = less_of(b);
                       return of_a != of_b ? of_a < of_b : a < b;
                     });
    list.resize(kCandidates);
    std::sort(list.begin(), list.end());
  };
  // What warms the warmest inlet most, for its price, may leave.
  const auto k_per_watt = rows_.KPerWatt(warmest_.front());
  keep(outs_, [&](std::size_t g) {
    return prices_[g] - groups[g].watts * k_per_watt[g];
  });
  keep(ins_, [this](std::size_t g) { return prices_[g]; });
}

void SwapSearch::SortRows() {
  warmest_.resize(rows_.size());
  for (std::size_t row = 0; row < warmest_.size(); ++row) warmest_[row] = row;
  const auto inlet_c = placing_.inlet_c();
  std::sort(warmest_.begin(), warmest_.end(),
            [&](std::size_t a, std::size_t b) {
              const double at_a = inlet_c[rows_.InletOf(a)];
              const double at_b = inlet_c[rows_.InletOf(b)];
              return at_a != at_b ? at_a > at_b : a < b;
            });
}

// Of the known rows; at least limit where it is no lower.
double SwapSearch::PeakAfter(std::size_t out, std::size_t in,
                             double limit) const {
  const auto groups = placing_.question().groups();
  double less_w = placing_.WattsOfLeaving(out);
  double more_w = placing_.WattsOfComing(in);
  if (groups[out].zone == groups[in].zone) {  // which stays awake
    less_w = groups[out].watts;
    more_w = groups[in].watts;
  }
  double peak = -std::numeric_limits<double>::infinity();
  for (const std::size_t row : warmest_) {
    const auto k_per_watt = rows_.KPerWatt(row);
    const double after = placing_.inlet_c()[rows_.InletOf(row)] +
                         more_w * k_per_watt[in] - less_w * k_per_watt[out];
    if (after >= limit) return limit;
    peak = std::max(peak, after);
  }
  return peak;
}

std::optional<OneSwap> SwapSearch::Best() {
  SortRows();
  ListCandidates();
  std::optional<OneSwap> best;
  double least = placing_.peak_c() - kMinGainK;
  for (const std::size_t out : outs_) {
    for (const std::size_t in : ins_) {
      if (in == out) continue;
      const double peak = PeakAfter(out, in, least);
      if (peak < least) {
        least = peak;
        best = {out, in};
      }
    }
  }
  return best;
}

}  // namespace

std::uint64_t LowerPeakBySwaps(InletConstraints& rows,
                               std::span<const double> prices, double enough_c,
                               Budget& budget, GroupPlacement& placing) {
  SwapSearch search(rows, prices, placing);
  std::uint64_t swaps = 0;
  while (swaps < kMaxSwaps && placing.peak_c() > enough_c &&
         budget.Spend(search.Work())) {
    const std::optional<OneSwap> swap = search.Best();
    if (!swap) break;
    const double before_c = placing.peak_c();
    placing.Swap(swap->out, swap->in);
    const bool known = rows.Has(placing.peak_zone());
    if (!known) rows.Add(placing.peak_zone());
    if (placing.peak_c() < before_c) {
      ++swaps;
      continue;
    }
    placing.Swap(swap->in, swap->out);
    if (known) break;
  }
  return swaps;
}

}  // namespace coolspan
