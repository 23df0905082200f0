// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_LOCALITY_COMPACT_BOXES_H_
#define COOLSPAN_LOCALITY_COMPACT_BOXES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/topology.h"

namespace coolspan {

// Extents of minimal boxes with at least `vertices` vertices: at most max_count
// of them, those with the smallest mean distance, in that order. Very elongated
// boxes are left out.
std::vector<std::vector<std::uint32_t>> CompactBoxes(const Grid& grid,
                                                     std::uint64_t vertices,
                                                     std::size_t max_count);

// The vertices of a box with its middle at the centre, or as close to it as the
// grid allows; row by row from its lowest corner.
std::vector<VertexId> BoxAround(const Grid& grid, VertexId centre,
                                const std::vector<std::uint32_t>& extents);

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_COMPACT_BOXES_H_
