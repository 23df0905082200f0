// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/room_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace coolspan {
namespace {

absl::Status NoRoom(std::string_view option, const Machine& machine) {
  return absl::InvalidArgumentError(
      fmt::format("{}: machine {} has no thermal description (expected "
                  "thermal: in the machine file)",
                  option, machine.name()));
}

}  // namespace

void AddIdleOption(CLI::App& app, std::string& idle) {
  app.add_option("--idle", idle,
                 "power state of idle nodes; overrides thermal.idle")
      ->type_name("on|off");
}

absl::StatusOr<std::shared_ptr<const Machine>> WithIdle(
    const std::shared_ptr<const Machine>& machine, const std::string& idle) {
  if (idle.empty()) return machine;
  if (idle != "on" && idle != "off") {
    return absl::InvalidArgumentError(
        fmt::format("--idle: '{}' is not valid (expected on or off)", idle));
  }
  if (machine->room() == nullptr) return NoRoom("--idle", *machine);
  return machine->WithIdle(idle == "on");
}

void AddRoomFlags(CLI::App& app, RoomFlags& flags) {
  AddIdleOption(app, flags.idle);
  app.add_option("--comm-share", flags.comm_share,
                 "share of run time that jobs communicate; overrides "
                 "communication_share")
      ->type_name("SHARE");
}

absl::StatusOr<std::shared_ptr<const Machine>> WithRoomFlags(
    const std::shared_ptr<const Machine>& machine, const RoomFlags& flags) {
  if (flags.comm_share.has_value()) {
    if (!(*flags.comm_share >= 0 && *flags.comm_share <= 1)) {
      return absl::InvalidArgumentError(
          fmt::format("--comm-share: {} is out of range (expected 0 to 1)",
                      *flags.comm_share));
    }
    if (machine->room() == nullptr) return NoRoom("--comm-share", *machine);
  }
  return WithIdle(machine, flags.idle);
}

}  // namespace coolspan
