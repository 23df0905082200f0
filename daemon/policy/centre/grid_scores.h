// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_CENTRE_GRID_SCORES_H_
#define COOLSPAN_POLICY_CENTRE_GRID_SCORES_H_

#include <cstdint>

#include "core/budget.h"
#include "core/topology.h"
#include "policy/centre/centre_search.h"
#include "policy/centre/grid_centre.h"

namespace coolspan {

// Scores of a centre on a grid; smaller is better. A score above the limit may
// be returned as any number above it.

// The total pairwise distance of the nodes around the centre.
std::uint64_t ScoreByWalking(GridCentre& at, VertexId centre,
                             std::uint64_t limit);
// GridCentre::FillByPerimeter and GridCentre::PerimeterOfOne.
std::uint64_t ScoreByPerimeter(GridCentre& at, VertexId centre,
                               std::uint64_t limit);
std::uint64_t ScoreOfOne(GridCentre& at, VertexId centre, std::uint64_t limit);

// The result for a centre. ties: of the last part; budget: of choosing it once
// more.
CentreFound CollectAt(GridCentre& at, const Topology& topology,
                      const GridPlaces& places, CentreRule::Ties ties,
                      VertexId centre, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_GRID_SCORES_H_
