// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/even_sample.h"

#include <algorithm>
#include <numeric>

namespace coolspan {

// Multiples of the golden ratio modulo 1 are evenly spread in every prefix. A
// step coprime to the number of vertices visits each vertex once.
std::vector<VertexId> EvenSample(std::span<const VertexId> vertices,
                                 std::uint64_t max_count) {
  constexpr double kGolden = 0.6180339887498949;
  const std::uint64_t count = vertices.size();
  auto step = static_cast<std::uint64_t>(kGolden * static_cast<double>(count));
  step = std::max<std::uint64_t>(step, 1);
  while (std::gcd(step, count) != 1) ++step;
  std::vector<VertexId> sample(
      std::min(count, std::max<std::uint64_t>(max_count, 1)));
  std::uint64_t at = 0;
  for (VertexId& vertex : sample) {
    vertex = vertices[at];
    at = (at + step) % count;
  }
  return sample;
}

}  // namespace coolspan
