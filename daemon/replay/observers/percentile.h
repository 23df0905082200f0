// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_PERCENTILE_H_
#define COOLSPAN_REPLAY_OBSERVERS_PERCENTILE_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace coolspan {

// Nearest-rank percentile; share from 0 to 1. REQUIRES sorted values, at least
// one.
template <typename Value>
double Percentile(const std::vector<Value>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(
      std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_PERCENTILE_H_
