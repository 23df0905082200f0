// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine_file.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "config/machine_options.h"
#include "config/node_names.h"
#include "config/option_reader.h"
#include "config/topology_kinds.h"

namespace coolspan {
namespace {

absl::Status CheckNodeTypes(const MachineDescription& description,
                            const Machine& machine, const std::string& file) {
  NodeSet typed(machine.node_count());
  for (const MachineDescription::NodeType& type : description.node_types) {
    auto nodes = machine.ParseNodes(type.nodes.value);
    if (!nodes.ok()) {
      return ErrorAt(
          file, type.nodes.place,
          fmt::format("node_types[].nodes: {}", MessageOf(nodes.status())));
    }
    if (typed.Intersects(*nodes)) {
      NodeSet twice = typed;
      twice &= *nodes;
      return ErrorAt(file, type.nodes.place,
                     fmt::format("node {} has a type already; one is wanted",
                                 machine.NodeName(twice.FindNext(0))));
    }
    typed |= *nodes;
  }
  return absl::OkStatus();
}

absl::Status CheckThermal(const MachineDescription& machine,
                          const std::string& file) {
  if (!machine.thermal.has_value()) return absl::OkStatus();
  const MachineDescription::ThermalPart& thermal = *machine.thermal;
  if (thermal.heat_distribution.empty() == thermal.cross_interference.empty()) {
    return ErrorAt(file, thermal.place,
                   "thermal has both or neither of heat_distribution and "
                   "cross_interference; one of the two is wanted");
  }
  if (thermal.cop.value.size() != 3) {
    return ErrorAt(
        file, thermal.cop.place,
        fmt::format("thermal.cop has {} entries; c2, c1 and c0 are wanted",
                    thermal.cop.value.size()));
  }
  if (thermal.redline_c <= thermal.supply_c) {
    return ErrorAt(file, thermal.place,
                   "thermal.redline_c is not above supply_c; a higher redline "
                   "is wanted");
  }
  return absl::OkStatus();
}

}  // namespace

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
  auto machine = Machine::Create(description->name.value, *std::move(names),
                                 topology->topology);
  if (!machine.ok()) {
    return ErrorAt(path, description->topology.place,
                   MessageOf(machine.status()));
  }
  absl::Status status = CheckNodeTypes(*description, **machine, path);
  if (!status.ok()) return status;
  status = CheckThermal(*description, path);
  if (!status.ok()) return status;
  if (warnings != nullptr) {
    std::move(topology->warnings.begin(), topology->warnings.end(),
              std::back_inserter(*warnings));
  }
  return machine;
}

}  // namespace coolspan
