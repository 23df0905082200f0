// SPDX-License-Identifier: GPL-3.0-or-later
#include <utility>

#include "config/machine/kinds.h"
#include "formats/file_error.h"
#include "formats/slurm_blocks.h"
#include "topology/block_tree.h"

namespace coolspan {

absl::StatusOr<NamedTopology> MakeBlocksKind(const MachineDescription& machine,
                                             const std::string& file) {
  const auto text = ReadSlurmTopologyOption(machine, file, "block");
  if (!text.ok()) return text.status();
  auto read = ReadSlurmBlocks(text->path, text->lines);
  if (!read.ok()) return read.status();
  read->blocks.spare_nodes =
      static_cast<NodeCount>(machine.topology.spare_nodes.value);
  auto tree = MakeBlockTree(std::move(read->blocks));
  if (!tree.ok()) {
    return ErrorAt(file, machine.topology.slurm_topology.place,
                   MessageOf(tree.status()));
  }
  return NamedTopology{*std::move(tree), std::move(read->names), {}};
}

}  // namespace coolspan
