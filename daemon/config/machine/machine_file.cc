// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/machine_file.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "config/machine/machine_options.h"
#include "config/machine/machine_room.h"
#include "config/machine/node_names.h"
#include "config/machine/topology_kinds.h"
#include "config/options/option_reader.h"
#include "formats/file_error.h"
#include "formats/text_file.h"

namespace coolspan {

absl::StatusOr<std::shared_ptr<const Machine>> LoadMachineFile(
    const std::string& path, std::vector<std::string>* warnings,
    RoomRemarks* room) {
  absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  return ParseMachineFile(*text, path, warnings, room);
}

absl::StatusOr<std::shared_ptr<const Machine>> ParseMachineFile(
    std::string_view text, const std::string& path,
    std::vector<std::string>* warnings, RoomRemarks* room_remarks) {
  auto description =
      ReadInto<MachineDescription>(text, path, MachineOptionTable());
  if (!description.ok()) return description.status();
  auto topology = MakeTopology(*description, path);
  if (!topology.ok()) return topology.status();
  auto names = NamesFor(*description, *topology, path);
  if (!names.ok()) return names.status();
  auto machine =
      Machine::Create(description->name.value, *names, topology->topology);
  if (!machine.ok()) {
    return ErrorAt(path, description->topology.place,
                   MessageOf(machine.status()));
  }
  RoomRemarks remarks;
  auto room = MakeRoom(*description, **machine, path, remarks);
  if (!room.ok()) return room.status();
  if (warnings != nullptr) {
    std::ranges::move(topology->warnings, std::back_inserter(*warnings));
  }
  if (room_remarks != nullptr) {
    std::ranges::move(remarks.warnings,
                      std::back_inserter(room_remarks->warnings));
    std::ranges::move(remarks.notes, std::back_inserter(room_remarks->notes));
  }
  if (*room == nullptr) return machine;
  return Machine::Create(description->name.value, *std::move(names),
                         topology->topology, *std::move(room));
}

}  // namespace coolspan
