// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/room_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

namespace coolspan {
namespace {

absl::Status NoRoom(std::string_view option, const Machine& machine) {
  return absl::InvalidArgumentError(
      fmt::format("{}: nothing is known of the room of {}; a machine file with "
                  "thermal: is wanted",
                  option, machine.name()));
}

}  // namespace

void AddRoomFlags(CLI::App& app, RoomFlags& flags) {
  app.add_option("--idle", flags.idle,
                 "whether idle nodes are on, in the place of thermal.idle")
      ->type_name("on|off");
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
  if (flags.idle.empty()) return machine;
  if (flags.idle != "on" && flags.idle != "off") {
    return absl::InvalidArgumentError(
        fmt::format("--idle: '{}' is neither; on or off", flags.idle));
  }
  if (machine->room() == nullptr) return NoRoom("--idle", *machine);
  Room::Description description = machine->room()->description();
  description.idle_on = flags.idle == "on";
  auto room = Room::Create(std::move(description));
  if (!room.ok()) return room.status();
  std::vector<std::string> names;
  names.reserve(machine->node_count());
  for (NodeId node = 0; node < machine->node_count(); ++node) {
    names.push_back(machine->NodeName(node));
  }
  // The topology is the first machine's, which lives as long.
  std::shared_ptr<const Topology> topology(machine, &machine->topology());
  return Machine::Create(machine->name(), std::move(names), std::move(topology),
                         *std::move(room));
}

}  // namespace coolspan
