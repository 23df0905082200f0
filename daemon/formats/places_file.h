// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_PLACES_FILE_H_
#define COOLSPAN_FORMATS_PLACES_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace coolspan {

// Where the nodes of a room, and with them their sensors, are: rows of racks
// with slots from the floor up.
struct RoomPlaces {
  struct Node {
    std::string name;
    std::uint32_t row = 0;
    std::uint32_t rack = 0;  // of its row
    std::uint32_t slot = 0;

    // In a grid of all slots, slot fastest, then rack.
    std::uint32_t VertexIn(const RoomPlaces& places) const {
      return slot + places.slots * (rack + places.racks() * row);
    }
  };
  std::vector<Node> nodes;  // by row, rack and slot
  std::uint32_t slots = 0;  // of a rack: the highest in use
  std::vector<std::vector<std::string>> rack_names;  // by row

  std::uint32_t rows() const {
    return static_cast<std::uint32_t>(rack_names.size());
  }
  std::uint32_t racks() const;  // of the longest row
};

// Reads a CSV file, plain or gzip, whose first line names the columns node,
// rack, slot and optionally row, in any order; other columns are ignored, so
// that a telemetry file with places will do. # starts a comment. Racks and rows
// have names and stand side by side in the order in which they first appear;
// slots are numbers from 1 at the floor. A line may repeat a node at its place.
// Errors: as LineReader; INVALID_ARGUMENT "file:line:column: ..." for a missing
// column, a line of another length, a slot that is not a number from 1 to
// kMaxSlot, a name that is empty or is not a host name, a node at two places,
// two nodes at one, more than kMaxPlaces slots of all racks.
inline constexpr std::uint32_t kMaxSlot = 1024;
inline constexpr std::uint32_t kMaxPlaces = 1U << 20;
absl::StatusOr<RoomPlaces> ReadPlacesFile(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_PLACES_FILE_H_
