// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_SLURM_TOPOLOGY_H_
#define COOLSPAN_FORMATS_SLURM_TOPOLOGY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/fat_tree.h"

namespace coolspan {

// The switches of a topology.conf. Leaf switches come first, in the order of a
// walk through the tree that takes switches as Switches= lists them, so what is
// below one switch is together.
struct SlurmTopology {
  SwitchTree tree;
  std::vector<std::string> names;     // of the nodes, switch by switch
  std::vector<std::string> warnings;  // "file:line: what", a line each
};

// Reads Slurm's topology.conf (topology.conf(5) of Slurm 22.05, tree plugin):
// SwitchName= with Nodes= or Switches= as hostlists, LinkSpeed= ignored, keys
// in any case, # comments, lines that end in a backslash going on.
// As in Slurm, a node at two leaf switches is only warned of, and stays at the
// first; several switches without one above them too: a switch above all of
// them is taken to be there.
// Errors: LineReader's; INVALID_ARGUMENT "file:line:column: ..." for what is no
// such line, a switch that occurs twice, is not described, is below two others
// or itself, has both or neither of nodes and switches.
absl::StatusOr<SlurmTopology> ReadSlurmTopology(const std::string& path);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_SLURM_TOPOLOGY_H_
