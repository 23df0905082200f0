// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_LARGEST_BOX_H_
#define COOLSPAN_REPLAY_OBSERVERS_LARGEST_BOX_H_

#include <cstdint>
#include <vector>

#include "core/topology.h"

namespace coolspan {

// The number of vertices of the largest axis-parallel box of free vertices;
// boxes may run past the end of a wrapped dimension. free: by vertex, 1 or 0.
//
// Rectangles by the stack algorithm for histograms, O(x y) for one plane; of
// further dimensions all ranges are tried that could hold a larger box.
std::uint64_t LargestFreeBox(const Grid& grid,
                             const std::vector<std::uint8_t>& free);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_LARGEST_BOX_H_
