// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_MAP_PLANES_H_
#define COOLSPAN_CLI_RENDER_MAP_PLANES_H_

#include <string>
#include <vector>

#include "cli/render/machine_map.h"

namespace coolspan {

// What one cell of a map shows: the place of a job in Occupancy::jobs, or
// one of these.
using Cell = int;
inline constexpr Cell kFreeCell = -1;
inline constexpr Cell kSharedCell = -2;  // several jobs
inline constexpr Cell kNoCell = -3;      // no node there

// One grid of cells, row-major, x fastest.
struct Plane {
  std::string title;  // "z=3", empty for the only one
  unsigned width = 0;
  unsigned height = 0;
  std::vector<Cell> cells;

  Cell At(unsigned x, unsigned y) const {
    return y < height ? cells[std::size_t{y} * width + x] : kNoCell;
  }
};

// A vertex of several nodes has as many cells in a row. strip_width: cells a
// row where there is no grid of two dimensions or more.
std::vector<Plane> PlanesOf(const Occupancy& occupancy, unsigned strip_width);

// Squares of factor x factor cells become one: what most of them show, cells
// without nodes left out.
Plane ScaledDown(const Plane& plane, unsigned factor);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_MAP_PLANES_H_
