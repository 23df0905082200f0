// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/thermal/inlet_constraints.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace coolspan {

InletConstraints::InletConstraints(const ThermalProblem& question)
    : question_(question), has_(question.zone_count(), false) {
  for (const HeatGroup& group : question.groups()) {
    const double waking = question.WakingWatts(group.zone);
    const NodeCount share = std::min(question.CapacityOf(group.zone),
                                     std::max(question.wanted(), 1U));
    min_watts_.push_back(group.watts + waking / share);
    max_watts_.push_back(group.watts + waking);
  }
}

void InletConstraints::Add(ZoneId inlet) {
  zone_row_.resize(question_.zone_count());
  question_.heat().CopyRow(inlet, zone_row_);
  std::vector<double> row;
  row.reserve(question_.groups().size());
  for (const HeatGroup& group : question_.groups()) {
    row.push_back(zone_row_[group.zone]);
  }
  k_per_watt_.push_back(std::move(row));
  inlets_.push_back(inlet);
  has_[inlet] = true;
}

void InletConstraints::SetPrices(std::span<const double> weights,
                                 Prices& prices) const {
  std::vector<double> pull(question_.groups().size(), 0.0);
  double mean_c = 0;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    const double weight = weights[row];
    if (weight == 0) continue;
    mean_c += weight * BaseC(row);
    const double* k_per_watt = k_per_watt_[row].data();
    for (std::size_t g = 0; g < pull.size(); ++g) {
      pull[g] += weight * k_per_watt[g];
    }
  }
  Price(pull, mean_c, prices);
}

void InletConstraints::SetPricesOfAll(std::span<const double> weights,
                                      Prices& prices) const {
  std::vector<double> zone_pull(question_.zone_count(), 0.0);
  question_.heat().AddPull(weights, zone_pull);
  std::vector<double> pull;
  pull.reserve(question_.groups().size());
  for (const HeatGroup& group : question_.groups()) {
    pull.push_back(zone_pull[group.zone]);
  }
  const double mean_c = std::inner_product(weights.begin(), weights.end(),
                                           question_.inlet_c().begin(), 0.0);
  Price(pull, mean_c, prices);
}

void InletConstraints::Price(std::span<const double> pull, double mean_c,
                             Prices& prices) const {
  prices.of_group.resize(pull.size());
  for (std::size_t g = 0; g < pull.size(); ++g) {
    prices.of_group[g] = LeastK(pull[g], g);
  }
  prices.bound_c = mean_c;
  prices.threshold = 0;
  if (question_.wanted() == 0) return;
  const ThermalProblem::Order order = question_.ByPrice(prices.of_group);
  const auto groups = question_.groups();
  for (std::size_t i = 0; i < order.place; ++i) {
    const std::uint32_t g = order.groups[i];
    prices.bound_c += groups[g].capacity * prices.of_group[g];
  }
  prices.threshold = prices.of_group[order.groups[order.place]];
  prices.bound_c += order.left * prices.threshold;
}

}  // namespace coolspan
