// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_HEAT_PICTURE_H_
#define COOLSPAN_CLI_RENDER_HEAT_PICTURE_H_

#include <span>
#include <string>

#include "cli/render/machine_map.h"
#include "core/machine.h"

namespace coolspan {

// The inlets of a machine's nodes as text, planes and strips as DrawMap's: a
// digit or a colour for each tenth of the way from the supplied air (0) to the
// redline, ! or red from there. REQUIRES a room; inlet_c by zone.
std::string DrawHeat(const Machine& machine, std::span<const double> inlet_c,
                     MapStyle style);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_HEAT_PICTURE_H_
