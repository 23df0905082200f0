// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_INLET_CONSTRAINTS_H_
#define COOLSPAN_POLICY_THERMAL_INLET_CONSTRAINTS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "policy/thermal/thermal_problem.h"

namespace coolspan {

// Prices of nodes for one set of weights on the inlets, in K; see SetPrices.
struct Prices {
  std::vector<double> of_group;  // c_g, for each node of group g
  // The price of the most expensive of the n cheapest nodes.
  double threshold = 0;
  // A lower bound of the peak inlet of every choice.
  double bound_c = 0;
};

// The constraints of the MPIT program (joint-allocation-sst, equations 14 and
// 15) for the inlets added so far. With x_g chosen nodes of group g in zone
// z(g), each adding w_g watts, the inlet of zone i is
//
//   T_i(x) = T_i(0) + sum_g D[i, z(g)] * w_g * x_g
//
// Few inlets can become the warmest; searches add them as they find them. Not
// thread-safe.
class InletConstraints {
 public:
  explicit InletConstraints(const ThermalProblem& problem);

  const ThermalProblem& problem() const { return problem_; }
  std::size_t size() const { return inlets_.size(); }
  bool Has(ZoneId inlet) const { return has_[inlet]; }
  // REQUIRES !Has(inlet).
  void Add(ZoneId inlet);
  ZoneId InletOf(std::size_t row) const { return inlets_[row]; }
  // T_i(0): with the required nodes only.
  double BaseC(std::size_t row) const {
    return problem_.inlet_c()[inlets_[row]];
  }
  // D[i, z(g)], by group.
  std::span<const double> KPerWatt(std::size_t row) const {
    return k_per_watt_[row];
  }
  // The minimum rise of the row's inlet for each node of the group, in K. In a
  // zone that is off, the idle power is divided among all nodes that can be
  // chosen there; where D[i, z(g)] < 0, each node is charged all of it.
  double MinK(std::size_t row, std::size_t group) const {
    return MinK(k_per_watt_[row][group], group);
  }
  double MinK(double k_per_watt, std::size_t group) const {
    return k_per_watt *
           (k_per_watt >= 0 ? min_watts_[group] : max_watts_[group]);
  }
  // w_g with the node's part of the zone's idle power, in watts.
  double MinWatts(std::size_t group) const { return min_watts_[group]; }

  // The Lagrangian bound for weights lambda_i >= 0, one per row, that sum to 1:
  //
  //   max_i T_i(x) >= sum_i lambda_i T_i(0) + sum_g c_g x_g
  //   c_g = w_g * sum_i lambda_i D[i, z(g)]   (w_g as in MinK)
  //
  // The n cheapest nodes minimise the right-hand side, which is then bound_c.
  void SetPrices(std::span<const double> weights, Prices& prices) const;
  // The same with a weight for every inlet, by zone.
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
