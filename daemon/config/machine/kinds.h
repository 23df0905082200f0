// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_MACHINE_KINDS_H_
#define COOLSPAN_CONFIG_MACHINE_KINDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "config/machine/topology_kinds.h"
#include "formats/slurm_lines.h"

namespace coolspan {

// The constructors in the table of topology kinds (topology_kinds.cc), each in
// a file of its own. If a file named by an option does not exist, the error
// gives the position of the option in the machine file.

// A mesh or torus from dims, wrap, nodes_per_vertex and either holes or a
// coordinates file.
absl::StatusOr<NamedTopology> MakeMeshKind(const MachineDescription& machine,
                                           const std::string& file);
// The tree of a topology.conf or topology.yaml (slurm_topology.h).
absl::StatusOr<NamedTopology> MakeFatTreeKind(const MachineDescription& machine,
                                              const std::string& file);
// The blocks of a topology.conf or topology.yaml (slurm_blocks.h).
absl::StatusOr<NamedTopology> MakeBlocksKind(const MachineDescription& machine,
                                             const std::string& file);
// Groups of routers, or the links of an interconnect dump (interconnect.h).
absl::StatusOr<NamedTopology> MakeDragonflyKind(
    const MachineDescription& machine, const std::string& file);
// The links of an edge list (edge_list.h).
absl::StatusOr<NamedTopology> MakeGraphKind(const MachineDescription& machine,
                                            const std::string& file);
// A hop matrix (hops_file.h).
absl::StatusOr<NamedTopology> MakeHopsKind(const MachineDescription& machine,
                                           const std::string& file);

// The path in a required option of the topology, resolved. content: "an edge
// list". Error: INVALID_ARGUMENT (the option is missing).
absl::StatusOr<std::string> RequiredPath(const MachineDescription& machine,
                                         const std::string& file,
                                         const Placed<std::string>& path,
                                         std::string_view option,
                                         std::string_view content);

// What topology.slurm_topology describes for a plugin of Slurm, "tree" or
// "block".
struct SlurmTopologyText {
  std::string path;
  std::vector<SlurmLine> lines;
};
// Errors: those of the options; of the file, as ErrorOfNamedFile.
absl::StatusOr<SlurmTopologyText> ReadSlurmTopologyOption(
    const MachineDescription& machine, const std::string& file,
    std::string_view plugin);

// The error of reading a file named by an option: NOT_FOUND becomes an error at
// the option, any other error is returned as it is.
absl::Status ErrorOfNamedFile(const std::string& file, Place place,
                              std::string_view option,
                              const absl::Status& status);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_MACHINE_KINDS_H_
