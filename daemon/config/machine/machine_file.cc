// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine/machine_file.h"

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
    const std::string& path, std::vector<std::string>* warnings) {
  absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  return ParseMachineFile(*text, path, warnings);
}

absl::StatusOr<std::shared_ptr<const Machine>> ParseMachineFile(
    std::string_view text, const std::string& path,
    std::vector<std::string>* warnings) {
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
  std::vector<std::string> warned = std::move(topology->warnings);
  auto room = MakeRoom(*description, **machine, path, warned);
  if (!room.ok()) return room.status();
  if (warnings != nullptr) {
    std::move(warned.begin(), warned.end(), std::back_inserter(*warnings));
  }
  if (*room == nullptr) return machine;
  return Machine::Create(description->name.value, *std::move(names),
                         topology->topology, *std::move(room));
}

}  // namespace coolspan
