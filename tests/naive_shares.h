// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_NAIVE_SHARES_H_
#define COOLSPAN_TESTS_NAIVE_SHARES_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "topology/routes.h"

namespace coolspan {

// The shares of LinkShares by progressive filling over all users at once: all
// shares grow together; those of a link that has become full stop. O(users^2)
// sums over all links.
inline std::vector<double> NaiveShares(
    const std::vector<double>& capacities,
    const std::vector<std::vector<LinkLoad>>& users) {
  constexpr double kRounding = 1e-12;
  std::vector<double> shares(users.size(), 0);
  std::vector<bool> grows(users.size(), true);
  for (;;) {
    double step = 1;
    std::vector<double> left = capacities;
    std::vector<double> growing(capacities.size(), 0);
    for (std::size_t u = 0; u < users.size(); ++u) {
      if (grows[u]) step = std::min(step, 1 - shares[u]);
      for (const auto& [link, load] : users[u]) {
        left[link] -= load * shares[u];
        if (grows[u]) growing[link] += load;
      }
    }
    if (std::find(grows.begin(), grows.end(), true) == grows.end()) {
      return shares;
    }
    for (std::size_t link = 0; link < left.size(); ++link) {
      if (growing[link] > 0) {
        step = std::min(step, std::max(0.0, left[link]) / growing[link]);
      }
    }
    for (std::size_t u = 0; u < users.size(); ++u) {
      if (grows[u]) shares[u] += step;
    }
    for (std::size_t u = 0; u < users.size(); ++u) {
      if (!grows[u]) continue;
      if (shares[u] >= 1 - kRounding) grows[u] = false;
      for (const auto& [link, load] : users[u]) {
        if (left[link] - step * growing[link] <= kRounding * capacities[link]) {
          grows[u] = false;
        }
      }
    }
  }
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_NAIVE_SHARES_H_
