// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_CENTRE_GRID_CENTRES_H_
#define COOLSPAN_POLICY_CENTRE_GRID_CENTRES_H_

#include <vector>

#include "core/topology.h"
#include "policy/centre/centre_search.h"
#include "policy/distance/grid_places.h"

namespace coolspan {

// The vertices that the rule allows as centres on a grid, ascending: those with
// free or required nodes, or all whose every coordinate is one of such a
// vertex.
std::vector<VertexId> CentresOf(const GridPlaces& places,
                                CentreRule::Centres rule);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_GRID_CENTRES_H_
