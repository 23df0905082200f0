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

// A line of text reports, for Cooling::cop_is_sensible == false.
inline constexpr char kCopOutOfRange[] =
    "supply_max_c is outside the valid range of the CoP model: cooling_w is "
    "not reliable\n";

void AddIdleOption(CLI::App& app, std::string& idle);
// The machine with its idle nodes on or off, unchanged if idle is empty.
// Errors: INVALID_ARGUMENT, beginning with the option, for another value and
// for a machine without a room.
absl::StatusOr<std::shared_ptr<const Machine>> WithIdle(
    const std::shared_ptr<const Machine>& machine, const std::string& idle);

// Options that override keys of thermal in the machine file.
struct RoomFlags {
  std::string idle;                  // "on", "off", or empty: not overridden
  std::optional<double> comm_share;  // of the request's job
};
void AddRoomFlags(CLI::App& app, RoomFlags& flags);

// The machine with its idle nodes as the flags say; checks comm_share. Errors:
// WithIdle's; INVALID_ARGUMENT, beginning with the option, for a share outside
// 0 to 1 and for one with a machine without a room.
absl::StatusOr<std::shared_ptr<const Machine>> WithRoomFlags(
    const std::shared_ptr<const Machine>& machine, const RoomFlags& flags);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_FLAGS_ROOM_FLAGS_H_
