// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/smallest_box.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coolspan {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

// box: volume in the earlier dimensions; dims: extents of the remaining ones.
void Search(std::span<const std::uint32_t> dims, std::uint64_t box,
            std::uint64_t vertices, std::uint64_t& least) {
  const std::uint64_t needed = (vertices + box - 1) / box;
  if (dims.size() == 1) {
    if (needed <= dims[0]) least = std::min(least, box * needed);
    return;
  }
  std::uint64_t others = 1;
  for (const std::uint32_t extent : dims.subspan(1)) others *= extent;
  const std::uint64_t fewest = (needed + others - 1) / others;
  for (std::uint64_t extent = fewest; extent <= dims[0]; ++extent) {
    if (least == vertices || box * extent >= least) return;
    Search(dims.subspan(1), box * extent, vertices, least);
  }
}

}  // namespace

std::uint64_t SmallestBox(std::span<const std::uint32_t> dims,
                          std::uint64_t vertices) {
  std::uint64_t least = kMax;
  Search(dims, 1, vertices, least);
  return least;
}

std::uint64_t SaturatingPower(std::uint64_t base, std::size_t exponent) {
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < exponent; ++i) {
    if (power > kMax / base) return kMax;
    power *= base;
  }
  return power;
}

std::uint64_t SmallestCube(std::size_t dimensions, std::uint64_t vertices) {
  const double root = std::pow(static_cast<double>(vertices),
                               1.0 / static_cast<double>(dimensions));
  // The root is rounded, so correct it in both directions.
  auto side = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(root));
  while (side > 1 && SaturatingPower(side - 1, dimensions) >= vertices) --side;
  while (SaturatingPower(side, dimensions) < vertices) ++side;
  return SaturatingPower(side, dimensions);
}

}  // namespace coolspan
