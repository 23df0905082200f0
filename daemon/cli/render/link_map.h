// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_LINK_MAP_H_
#define COOLSPAN_CLI_RENDER_LINK_MAP_H_

#include <span>
#include <string>

#include "core/topology.h"
#include "replay/run_map.h"

namespace coolspan {

// Draws the use of links as text. A grid of two dimensions and more has a
// picture for each x-y plane: vertices as o, between them the use of the busier
// direction of their link as a digit, tenths of the capacity rounded down, a
// dot for none and ! for a full link; links around a ring are right of it or
// below it. Other networks, and links between planes, are listed: the busiest
// ten.
std::string DrawLinks(const Topology& topology,
                      std::span<const RunMap::LinkUse> links);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_LINK_MAP_H_
