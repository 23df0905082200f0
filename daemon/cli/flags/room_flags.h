// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_FLAGS_ROOM_FLAGS_H_
#define COOLSPAN_CLI_FLAGS_ROOM_FLAGS_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "core/machine.h"

namespace CLI {
class App;
}  // namespace CLI

namespace coolspan {

// Said where Cooling::cop_is_sensible is false.
inline constexpr char kCopMakesNoSense[] =
    "supply_max_c is outside the range in which the CoP polynomial makes "
    "sense: cooling_w says little\n";

void AddIdleOption(CLI::App& app, std::string& idle);
// The machine with its idle nodes on or off, or for an empty text as they are.
// Errors: INVALID_ARGUMENT, beginning with the option: neither on nor off, a
// machine that has no room.
absl::StatusOr<std::shared_ptr<const Machine>> WithIdle(
    const std::shared_ptr<const Machine>& machine, const std::string& idle);

// What a command says of the machine's room in the place of its file.
struct RoomFlags {
  std::string idle;                  // "on", "off", empty: as the file says
  std::optional<double> comm_share;  // of the jobs asked about
};
void AddRoomFlags(CLI::App& app, RoomFlags& flags);

// The machine with its idle nodes so.
// Errors: WithIdle's; INVALID_ARGUMENT, beginning with the option: a share
// outside 0 to 1, one for a machine that has no room.
absl::StatusOr<std::shared_ptr<const Machine>> WithRoomFlags(
    const std::shared_ptr<const Machine>& machine, const RoomFlags& flags);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_FLAGS_ROOM_FLAGS_H_
