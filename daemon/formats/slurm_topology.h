// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_FORMATS_SLURM_TOPOLOGY_H_
#define COOLSPAN_FORMATS_SLURM_TOPOLOGY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "formats/slurm_lines.h"
#include "topology/fat_tree.h"

namespace coolspan {

// The switches of a topology.conf. Leaf switches come first, in the order of a
// depth-first walk that visits switches in the order of Switches=, so the
// leaves below any switch are consecutive. The order of the file is in
// tree.listed.
struct SlurmTopology {
  SwitchTree tree;
  std::vector<std::string> names;     // of the nodes, by leaf switch
  std::vector<std::string> warnings;  // one line each, "file:line: what"
};

// The switches in the lines of Slurm's topology.conf (topology.conf(5) of Slurm
// 22.05, tree plugin), or of another file with the same settings:
// SwitchName= with Nodes= or Switches= as hostlists, LinkSpeed= ignored, keys
// in any case, # comments, lines continued by a backslash.
// As in Slurm, two contradictions only give a warning: a node at several leaf
// switches stays at the first one, and several top-level switches are connected
// by an implied root switch.
// Errors: INVALID_ARGUMENT "file:line:column: ..." for a line of
// another form, and for a switch that is defined more than once or not at all,
// is below two switches or itself, or has both or neither of nodes and
// switches.
absl::StatusOr<SlurmTopology> ReadSlurmTopology(
    const std::string& path, const std::vector<SlurmLine>& lines);

}  // namespace coolspan

#endif  // COOLSPAN_FORMATS_SLURM_TOPOLOGY_H_
