// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/even_sample.h"

#include <algorithm>
#include <numeric>

namespace coolspan {

// Steps of the golden section leave no large gap anywhere, and meet each one
// once where they have no divisor in common with the number of vertices.
std::vector<VertexId> EvenSample(std::span<const VertexId> vertices,
                                 std::uint64_t most) {
  constexpr double kGolden = 0.6180339887498949;
  const std::uint64_t all = vertices.size();
  auto step = static_cast<std::uint64_t>(kGolden * static_cast<double>(all));
  step = std::max<std::uint64_t>(step, 1);
  while (std::gcd(step, all) != 1) ++step;
  std::vector<VertexId> spread(std::min(all, std::max<std::uint64_t>(most, 1)));
  std::uint64_t at = 0;
  for (VertexId& vertex : spread) {
    vertex = vertices[at];
    at = (at + step) % all;
  }
  return spread;
}

}  // namespace coolspan
