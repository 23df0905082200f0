// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_HEAT_PICTURE_H_
#define COOLSPAN_CLI_RENDER_HEAT_PICTURE_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/render/machine_map.h"
#include "core/machine.h"
#include "formats/places_file.h"

namespace coolspan {

// The places of a machine's nodes.
struct PlacedZones {
  RoomPlaces places;
  std::vector<NodeId> nodes;  // in the order of places.nodes
};
// Errors: INVALID_ARGUMENT for a place of a node that the machine has not.
absl::StatusOr<PlacedZones> PlacesOn(const Machine& machine, RoomPlaces places);

// Draws the inlet temperatures of a machine's nodes as text, laid out like
// DrawMap(): a digit or colour for each tenth of the range from the supply
// temperature (0) to the redline, ! or red at the redline and above. REQUIRES a
// machine with a room; inlet_c by zone.
std::string DrawHeat(const Machine& machine, std::span<const double> inlet_c,
                     MapStyle style);

// The same by place: one picture for each row of racks, racks side by side, the
// lowest slot at the bottom; empty slots are blank.
// Racks that do not fit the width continue below.
std::string DrawRacks(const Machine& machine, std::span<const double> inlet_c,
                      const PlacedZones& places, MapStyle style);

// The same as an SVG image; the names and temperatures are tooltips.
std::string DrawRacksSvg(const Machine& machine,
                         std::span<const double> inlet_c,
                         const PlacedZones& places);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_HEAT_PICTURE_H_
