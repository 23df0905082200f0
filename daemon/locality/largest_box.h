// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_LOCALITY_LARGEST_BOX_H_
#define COOLSPAN_LOCALITY_LARGEST_BOX_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// The number of vertices of the largest axis-parallel box of free vertices;
// boxes may run past the end of a wrapped dimension. free: by vertex, 1 or 0.
//
// Rectangles by the stack algorithm for histograms, O(x y) for one plane; of
// further dimensions all ranges are tried that could hold a larger box.
std::uint64_t LargestFreeBox(const Grid& grid,
                             const std::vector<std::uint8_t>& free);

// The same of the vertices with nodes of which all are free. free_at: the free
// nodes at each vertex. REQUIRES topology.grid().
std::uint64_t LargestFreeBox(const Topology& topology,
                             std::span<const NodeCount> free_at);

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_LARGEST_BOX_H_
