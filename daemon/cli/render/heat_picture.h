// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_HEAT_PICTURE_H_
#define COOLSPAN_CLI_RENDER_HEAT_PICTURE_H_

#include <span>
#include <string>

#include "cli/render/machine_map.h"
#include "core/machine.h"

namespace coolspan {

// Draws the inlet temperatures of a machine's nodes as text, laid out like
// DrawMap(): a digit or colour for each tenth of the range from the supply
// temperature (0) to the redline, ! or red at the redline and above. REQUIRES a
// machine with a room; inlet_c by zone.
std::string DrawHeat(const Machine& machine, std::span<const double> inlet_c,
                     MapStyle style);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_HEAT_PICTURE_H_
