// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_GRID_STREAM_H_
#define COOLSPAN_POLICY_STREAM_GRID_STREAM_H_

#include "core/budget.h"
#include "policy/stream/box_sums.h"
#include "policy/stream/stream_found.h"
#include "policy/stream/stream_grid.h"

namespace coolspan {

// Searches for a set of least score (StreamWeights) on a grid. Around each
// vertex with free nodes, whole box surfaces are taken while they fit, then
// nodes of the next one (LastSurface). Around each beam and slab, which cover
// some axes wholly (BoxShape), the same along the other axes. The best centre
// wins, ties: the smallest vertex, then the first shape. Centres whose lower
// bound exceeds the best score are skipped, which does not change the result.
//
// REQUIRES 0 < wanted < free_count of the sites. If the budget ends, the result
// is the best so far.
StreamFound SearchGridForStream(const StreamGrid& grid,
                                const PrefixLayout& layout, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_GRID_STREAM_H_
