// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_INLET_CONSTRAINTS_H_
#define COOLSPAN_POLICY_THERMAL_INLET_CONSTRAINTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/thermal/thermal_problem.h"

namespace coolspan {

// A price for each node of each group, and what follows from them.
struct Prices {
  std::vector<double> of_group;
  // The dearest node that is bought when the cheapest ones are.
  double threshold = 0;
  // No choice has a lower peak inlet than this.
  double bound_c = 0;
};

// The inlets that may become the warmest, as a search for the least peak has
// met them: their constraints of D, by group. Not thread-safe.
class InletConstraints {
 public:
  explicit InletConstraints(const ThermalProblem& problem);

  const ThermalProblem& problem() const { return problem_; }
  std::size_t size() const { return inlets_.size(); }
  bool Has(ZoneId inlet) const { return has_[inlet]; }
  // REQUIRES !Has(inlet).
  void Add(ZoneId inlet);
  ZoneId InletOf(std::size_t row) const { return inlets_[row]; }
  // With nothing chosen.
  double BaseC(std::size_t row) const {
    return problem_.inlet_c()[inlets_[row]];
  }
  std::span<const double> KPerWatt(std::size_t row) const {
    return k_per_watt_[row];
  }
  // What each node of the group adds to the row's inlet at least: where a zone
  // wakes, its watts shared out among all that it could give.
  double MinK(std::size_t row, std::size_t group) const {
    return MinK(k_per_watt_[row][group], group);
  }
  double MinK(double k_per_watt, std::size_t group) const {
    return k_per_watt *
           (k_per_watt >= 0 ? min_watts_[group] : max_watts_[group]);
  }
  // A zone's share of MinK's watts.
  double MinWatts(std::size_t group) const { return min_watts_[group]; }

  // The weighted mean of some inlets is at most their peak, whatever is chosen,
  // and least when the cheapest nodes are: so each set of weights (0 or more,
  // sum 1; one a row) bounds the peak. k_per_watt: of the weights, K/W by
  // group.
  void SetPrices(std::span<const double> weights, Prices& prices) const;
  // The same for weights of all inlets, by zone.
  void SetPricesOfAllInlets(std::span<const double> weights,
                            Prices& prices) const;

 private:
  void PriceGroups(std::span<const double> k_per_watt, double mean_c,
                   Prices& prices) const;

  const ThermalProblem& problem_;
  std::vector<ZoneId> inlets_;
  std::vector<bool> has_;  // by zone
  std::vector<std::vector<double>> k_per_watt_;
  std::vector<double> min_watts_;  // by group
  std::vector<double> max_watts_;
  std::vector<double> zone_row_;  // scratch of Add
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_INLET_CONSTRAINTS_H_
