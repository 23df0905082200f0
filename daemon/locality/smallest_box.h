// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_LOCALITY_SMALLEST_BOX_H_
#define COOLSPAN_LOCALITY_SMALLEST_BOX_H_

#include <cstdint>
#include <span>

namespace coolspan {

// The volume of the smallest box within the mesh that has at least `vertices`
// vertices, ignoring holes. dims: extents, not empty.
// REQUIRES vertices from 1 to the product of dims.
std::uint64_t SmallestBox(std::span<const std::uint32_t> dims,
                          std::uint64_t vertices);

// base^exponent, or the maximum of the type if that would overflow.
std::uint64_t SaturatingPower(std::uint64_t base, std::size_t exponent);

// The smallest side^dimensions that is at least vertices.
std::uint64_t SmallestCube(std::size_t dimensions, std::uint64_t vertices);

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_SMALLEST_BOX_H_
