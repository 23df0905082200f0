// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_LOCALITY_SMALLEST_BOX_H_
#define COOLSPAN_LOCALITY_SMALLEST_BOX_H_

#include <cstdint>
#include <span>

namespace coolspan {

// The least number of vertices in a box that fits in the mesh and has at least
// so many, as if there were no holes. dims: extents, at least one of them.
// REQUIRES vertices from 1 to the product of dims.
std::uint64_t SmallestBox(std::span<const std::uint32_t> dims,
                          std::uint64_t vertices);

// base ^ exponent; the largest number there is where that is more.
std::uint64_t PowerOrMost(std::uint64_t base, std::size_t exponent);

// The least side ^ dimensions that is at least vertices.
std::uint64_t SmallestCube(std::size_t dimensions, std::uint64_t vertices);

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_SMALLEST_BOX_H_
