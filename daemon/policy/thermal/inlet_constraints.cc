// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/inlet_constraints.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace coolspan {

InletConstraints::InletConstraints(const ThermalProblem& problem)
    : problem_(problem), has_(problem.zone_count(), false) {
  for (const HeatGroup& group : problem.groups()) {
    const double power_on_w = problem.PowerOnWatts(group.zone);
    const NodeCount sharing = std::min(problem.CapacityOf(group.zone),
                                       std::max(problem.nodes_to_choose(), 1U));
    min_watts_.push_back(group.watts + power_on_w / sharing);
    max_watts_.push_back(group.watts + power_on_w);
  }
}

void InletConstraints::Add(ZoneId inlet) {
  zone_row_.resize(problem_.zone_count());
  problem_.heat().CopyRow(inlet, zone_row_);
  std::vector<double> row;
  row.reserve(problem_.groups().size());
  for (const HeatGroup& group : problem_.groups()) {
    row.push_back(zone_row_[group.zone]);
  }
  k_per_watt_.push_back(std::move(row));
  inlets_.push_back(inlet);
  has_[inlet] = true;
}

void InletConstraints::SetPrices(std::span<const double> weights,
                                 Prices& prices) const {
  std::vector<double> k_per_watt(problem_.groups().size(), 0.0);
  double mean_c = 0;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    const double weight = weights[row];
    if (weight == 0) continue;
    mean_c += weight * BaseC(row);
    const double* row_k_per_watt = k_per_watt_[row].data();
    for (std::size_t g = 0; g < k_per_watt.size(); ++g) {
      k_per_watt[g] += weight * row_k_per_watt[g];
    }
  }
  PriceGroups(k_per_watt, mean_c, prices);
}

void InletConstraints::SetPricesOfAllInlets(std::span<const double> weights,
                                            Prices& prices) const {
  std::vector<double> zone_k_per_watt(problem_.zone_count(), 0.0);
  problem_.heat().AddPull(weights, zone_k_per_watt);
  std::vector<double> k_per_watt;
  k_per_watt.reserve(problem_.groups().size());
  for (const HeatGroup& group : problem_.groups()) {
    k_per_watt.push_back(zone_k_per_watt[group.zone]);
  }
  const double mean_c = std::inner_product(weights.begin(), weights.end(),
                                           problem_.inlet_c().begin(), 0.0);
  PriceGroups(k_per_watt, mean_c, prices);
}

void InletConstraints::PriceGroups(std::span<const double> k_per_watt,
                                   double mean_c, Prices& prices) const {
  prices.of_group.resize(k_per_watt.size());
  for (std::size_t g = 0; g < k_per_watt.size(); ++g) {
    prices.of_group[g] = MinK(k_per_watt[g], g);
  }
  prices.bound_c = mean_c;
  prices.threshold = 0;
  if (problem_.nodes_to_choose() == 0) return;
  const ThermalProblem::Order order = problem_.ByPrice(prices.of_group);
  const auto groups = problem_.groups();
  for (std::size_t i = 0; i < order.pivot; ++i) {
    const std::uint32_t g = order.groups[i];
    prices.bound_c += groups[g].capacity * prices.of_group[g];
  }
  prices.threshold = prices.of_group[order.groups[order.pivot]];
  prices.bound_c += order.nodes_of_pivot * prices.threshold;
}

}  // namespace coolspan
