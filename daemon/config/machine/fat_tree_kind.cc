// SPDX-License-Identifier: GPL-3.0-or-later
#include <utility>

#include "config/machine/kinds.h"
#include "formats/file_error.h"
#include "formats/slurm_topology.h"
#include "topology/fat_tree.h"

namespace coolspan {

absl::StatusOr<NamedTopology> MakeFatTreeKind(const MachineDescription& machine,
                                              const std::string& file) {
  const auto text = ReadSlurmTopologyOption(machine, file, "tree");
  if (!text.ok()) return text.status();
  auto read = ReadSlurmTopology(text->path, text->lines);
  if (!read.ok()) return read.status();
  auto tree = MakeFatTree(std::move(read->tree));
  if (!tree.ok()) {
    return ErrorAt(file, machine.topology.slurm_topology.place,
                   MessageOf(tree.status()));
  }
  return NamedTopology{*std::move(tree), std::move(read->names),
                       std::move(read->warnings)};
}

}  // namespace coolspan
