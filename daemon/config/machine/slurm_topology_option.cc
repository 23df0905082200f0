// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <utility>

#include "config/machine/kinds.h"
#include "config/machine/topology_yaml.h"
#include "formats/file_error.h"

namespace coolspan {

absl::StatusOr<SlurmTopologyText> ReadSlurmTopologyOption(
    const MachineDescription& machine, const std::string& file,
    std::string_view plugin) {
  const Placed<std::string>& option = machine.topology.slurm_topology;
  const Placed<std::string>& name = machine.topology.slurm_topology_name;
  const auto path =
      RequiredPath(machine, file, option, "topology.slurm_topology",
                   "a topology.conf or topology.yaml");
  if (!path.ok()) return path.status();
  if (!IsTopologyYaml(*path)) {
    if (name.place.line != 0) {
      return ErrorAt(file, name.place,
                     fmt::format("topology.slurm_topology_name: {} is no "
                                 "topology.yaml, so its topology has no name",
                                 Printable(*path)));
    }
    auto lines = ReadSlurmLines(*path);
    if (!lines.ok()) {
      return ErrorOfNamedFile(file, option.place, "topology.slurm_topology",
                              lines.status());
    }
    return SlurmTopologyText{*path, *std::move(lines)};
  }
  const auto topologies = ReadTopologyYaml(*path);
  if (!topologies.ok()) {
    return ErrorOfNamedFile(file, option.place, "topology.slurm_topology",
                            topologies.status());
  }
  auto chosen = ChooseTopology(*topologies, plugin, name.value);
  if (!chosen.ok()) {
    return ErrorAt(
        file, name.place.line != 0 ? name.place : option.place,
        fmt::format("{}: {}",
                    name.place.line != 0 ? "topology.slurm_topology_name"
                                         : "topology.slurm_topology",
                    MessageOf(chosen.status())));
  }
  return SlurmTopologyText{*path, std::move(chosen->lines)};
}

}  // namespace coolspan
