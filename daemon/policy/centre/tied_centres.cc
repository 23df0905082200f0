// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/tied_centres.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "policy/distance/box_counts.h"

namespace coolspan {
namespace {

// Tied centres that are compared at least, and the distances computed for them
// at most otherwise.
constexpr std::size_t kMinTied = 16;
constexpr std::uint64_t kTiedWork = std::uint64_t{1} << 22;

}  // namespace

std::uint64_t WorkOfLastShell(const GridPlaces& places) {
  const auto dimensions = static_cast<double>(places.axes.size());
  const double surface =
      2 * dimensions * std::pow(places.sites->wanted, 1 - 1 / dimensions);
  return 1 + static_cast<std::uint64_t>(surface * surface / 2);
}

std::vector<VertexId> FewestFreeAround(const GridPlaces& places,
                                       std::vector<VertexId> tied,
                                       std::uint32_t shells) {
  const std::size_t count =
      std::max<std::uint64_t>(kMinTied, kTiedWork / WorkOfLastShell(places));
  if (tied.size() <= count) return tied;
  BoxCounts boxes(places.axes, places.sites->capacity);
  const std::vector<NodeCount>& free = boxes.Count(shells);
  const auto key = [&free](VertexId v) { return std::pair(free[v], v); };
  std::nth_element(
      tied.begin(), tied.begin() + static_cast<std::ptrdiff_t>(count),
      tied.end(), [&key](VertexId a, VertexId b) { return key(a) < key(b); });
  tied.resize(count);
  std::sort(tied.begin(), tied.end());
  return tied;
}

}  // namespace coolspan
