// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/room_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace coolspan {
namespace {

absl::Status NoRoom(std::string_view option, const Machine& machine) {
  return absl::InvalidArgumentError(
      fmt::format("{}: nothing is known of the room of {}; a machine file with "
                  "thermal: is wanted",
                  option, machine.name()));
}

}  // namespace

void AddIdleOption(CLI::App& app, std::string& idle) {
  app.add_option("--idle", idle,
                 "whether idle nodes are on, in the place of thermal.idle")
      ->type_name("on|off");
}

absl::StatusOr<std::shared_ptr<const Machine>> WithIdle(
    const std::shared_ptr<const Machine>& machine, const std::string& idle) {
  if (idle.empty()) return machine;
  if (idle != "on" && idle != "off") {
    return absl::InvalidArgumentError(
        fmt::format("--idle: '{}' is neither; on or off", idle));
  }
  if (machine->room() == nullptr) return NoRoom("--idle", *machine);
  return machine->WithIdle(idle == "on");
}

void AddRoomFlags(CLI::App& app, RoomFlags& flags) {
  AddIdleOption(app, flags.idle);
  app.add_option("--comm-share", flags.comm_share,
                 "share of its time that the job communicates, in the place "
                 "of communication_share");
}

absl::StatusOr<std::shared_ptr<const Machine>> WithRoomFlags(
    const std::shared_ptr<const Machine>& machine, const RoomFlags& flags) {
  if (flags.comm_share.has_value()) {
    if (!(*flags.comm_share >= 0 && *flags.comm_share <= 1)) {
      return absl::InvalidArgumentError(
          fmt::format("--comm-share: {} is no share; a number from 0 to 1",
                      *flags.comm_share));
    }
    if (machine->room() == nullptr) return NoRoom("--comm-share", *machine);
  }
  return WithIdle(machine, flags.idle);
}

}  // namespace coolspan
