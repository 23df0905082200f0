// SPDX-License-Identifier: GPL-3.0-or-later
#include <utility>

#include "config/machine/kinds.h"
#include "formats/file_error.h"
#include "formats/slurm_blocks.h"
#include "topology/block_tree.h"

namespace coolspan {

absl::StatusOr<NamedTopology> MakeBlocksKind(const MachineDescription& machine,
                                             const std::string& file) {
  const Placed<std::string>& option = machine.topology.slurm_topology;
  const auto path = RequiredPath(machine, file, option,
                                 "topology.slurm_topology", "a topology.conf");
  if (!path.ok()) return path.status();
  auto read = ReadSlurmBlocks(*path);
  if (!read.ok()) {
    return ErrorOfNamedFile(file, option.place, "topology.slurm_topology",
                            read.status());
  }
  read->blocks.spare_nodes =
      static_cast<NodeCount>(machine.topology.spare_nodes.value);
  auto tree = MakeBlockTree(std::move(read->blocks));
  if (!tree.ok()) return ErrorAt(file, option.place, MessageOf(tree.status()));
  return NamedTopology{*std::move(tree), std::move(read->names), {}};
}

}  // namespace coolspan
