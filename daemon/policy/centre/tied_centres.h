// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_CENTRE_TIED_CENTRES_H_
#define COOLSPAN_POLICY_CENTRE_TIED_CENTRES_H_

#include <cstdint>
#include <vector>

#include "core/topology.h"
#include "policy/distance/grid_places.h"

namespace coolspan {

// The distances computed when the last part around a centre is taken vertex by
// vertex, about: half the square of the surface of a cube of that many
// vertices.
std::uint64_t WorkOfLastShell(const GridPlaces& places);

// At most so many of the tied centres that the last part can be taken vertex by
// vertex around each: those with the fewest free nodes in that many shells
// (ties: the smallest vertices). Ascending if the tied ones are.
std::vector<VertexId> FewestFreeAround(const GridPlaces& places,
                                       std::vector<VertexId> tied,
                                       std::uint32_t shells);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_TIED_CENTRES_H_
