// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_MAP_PLANES_H_
#define COOLSPAN_CLI_RENDER_MAP_PLANES_H_

#include <string>
#include <vector>

#include "cli/render/machine_map.h"

namespace coolspan {

// The content of a cell: an index into Occupancy::jobs, or one of these.
using Cell = int;
inline constexpr Cell kFreeCell = -1;
inline constexpr Cell kSharedCell = -2;       // several jobs
inline constexpr Cell kNoCell = -3;           // no node there
inline constexpr Cell kUnavailableCell = -4;  // without a job

// One grid of cells, row-major, x fastest.
struct Plane {
  std::string title;  // "z=3"; empty if there is one plane only
  unsigned width = 0;
  unsigned height = 0;
  std::vector<Cell> cells;

  Cell At(unsigned x, unsigned y) const {
    return y < height ? cells[std::size_t{y} * width + x] : kNoCell;
  }
};

// A vertex of several nodes has a cell for each, side by side. strip_width:
// cells per row of a machine without a grid of two dimensions or more.
std::vector<Plane> PlanesOf(const Occupancy& occupancy, unsigned strip_width);

// Each square of factor x factor cells becomes one cell, with the most frequent
// content of those that have a node.
Plane ScaledDown(const Plane& plane, unsigned factor);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_MAP_PLANES_H_
