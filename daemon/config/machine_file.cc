// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/machine_file.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "config/machine_options.h"
#include "config/option_reader.h"
#include "config/option_value.h"
#include "config/topology_kinds.h"
#include "core/hostlist.h"

namespace coolspan {
namespace {

absl::StatusOr<NamedTopology> MakeTopology(const MachineDescription& machine,
                                           const std::string& file) {
  for (const TopologyKind& kind : TopologyKindTable()) {
    if (kind.name == machine.topology.kind.value) {
      return kind.make(machine, file);
    }
  }
  return ErrorAt(file, machine.topology.kind.place, "unknown topology.kind");
}

absl::StatusOr<std::vector<std::string>> ReadNames(
    const MachineDescription& machine, const NamedTopology& topology,
    const std::string& file) {
  const bool by_list = !machine.nodes.value.empty();
  if (by_list == !machine.coordinates.value.empty()) {
    return ErrorAt(file,
                   by_list ? machine.coordinates.place : machine.topology.place,
                   by_list ? "nodes and coordinates are both given; one of "
                             "the two is wanted"
                           : "neither nodes nor coordinates are given; the "
                             "nodes' names are wanted, as a hostlist");
  }
  if (topology.names.has_value()) return *topology.names;
  auto names = ExpandHostlist(machine.nodes.value);
  if (!names.ok()) {
    return ErrorAt(file, machine.nodes.place,
                   fmt::format("nodes: {}", MessageOf(names.status())));
  }
  const NodeCount wanted = topology.topology->node_count();
  if (names->size() != wanted) {
    return ErrorAt(file, machine.nodes.place,
                   fmt::format("nodes has {} names; the topology has {} "
                               "nodes, as many names are wanted",
                               names->size(), wanted));
  }
  return names;
}

absl::Status CheckNamedOnce(const std::vector<std::string>& names,
                            const std::string& file, Place place) {
  absl::flat_hash_set<std::string_view> seen;
  seen.reserve(names.size());
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      return ErrorAt(file, place,
                     fmt::format("node {} is named twice; each node is wanted "
                                 "once",
                                 Quoted(name)));
    }
  }
  return absl::OkStatus();
}

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
    const std::string& path) {
  absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  return ParseMachineFile(*text, path);
}

absl::StatusOr<std::shared_ptr<const Machine>> ParseMachineFile(
    std::string_view text, const std::string& path) {
  auto description =
      ReadInto<MachineDescription>(text, path, MachineOptionTable());
  if (!description.ok()) return description.status();
  auto topology = MakeTopology(*description, path);
  if (!topology.ok()) return topology.status();
  auto names = ReadNames(*description, *topology, path);
  if (!names.ok()) return names.status();
  const Place place = description->nodes.value.empty()
                          ? description->coordinates.place
                          : description->nodes.place;
  absl::Status status = CheckNamedOnce(*names, path, place);
  if (!status.ok()) return status;
  auto machine = Machine::Create(description->name.value, *std::move(names),
                                 topology->topology);
  if (!machine.ok()) return ErrorAt(path, place, MessageOf(machine.status()));
  status = CheckNodeTypes(*description, **machine, path);
  if (!status.ok()) return status;
  status = CheckThermal(*description, path);
  if (!status.ok()) return status;
  return machine;
}

}  // namespace coolspan
