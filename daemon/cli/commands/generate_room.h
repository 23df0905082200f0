// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_GENERATE_ROOM_H_
#define COOLSPAN_CLI_COMMANDS_GENERATE_ROOM_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "cli/console.h"
#include "thermal/room_plan.h"

namespace CLI {
class App;
}  // namespace CLI

namespace coolspan {

// The options of `coolspan generate --room`. Must outlive the parsing.
struct RoomPlanFlags {
  bool enabled = false;
  RoomPlan plan;
  std::string places;  // a places file; empty: all slots have a node
  double redline_c = 30;
  std::string directory;
};
void AddRoomPlanFlags(CLI::App& app, RoomPlanFlags& flags);

// Writes room.yaml and room-heat.txt into the directory, which is created if
// needed. Errors: MakeUpRoom's; ReadPlacesFile's; INVALID_ARGUMENT for an
// option, or a file that cannot be written.
absl::StatusOr<Exit> GenerateRoom(const RoomPlanFlags& flags,
                                  std::uint64_t seed, const Console& console);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_GENERATE_ROOM_H_
