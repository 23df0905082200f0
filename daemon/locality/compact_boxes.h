// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_LOCALITY_COMPACT_BOXES_H_
#define COOLSPAN_LOCALITY_COMPACT_BOXES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/topology.h"

namespace coolspan {

// Extents of boxes that hold so many vertices, and would not with one side
// shorter: the `most` with the least mean distance, in that order. Boxes much
// longer than they could be are left out.
std::vector<std::vector<std::uint32_t>> CompactBoxes(const Grid& grid,
                                                     std::uint64_t vertices,
                                                     std::size_t most);

// The vertices of a box with its middle at the centre, or as near to it as the
// grid allows; ascending along each dimension from its lowest corner.
std::vector<VertexId> BoxAround(const Grid& grid, VertexId centre,
                                const std::vector<std::uint32_t>& extents);

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_COMPACT_BOXES_H_
