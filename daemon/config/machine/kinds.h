// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_MACHINE_KINDS_H_
#define COOLSPAN_CONFIG_MACHINE_KINDS_H_

#include <string>

#include "absl/status/statusor.h"
#include "config/machine/topology_kinds.h"

namespace coolspan {

// What stands in the table of topology kinds; each is in the file of its name.
// Where they read a file that is not there, the error has the place in the
// machine file that names it.

// The mesh or torus that dims, wrap, nodes_per_vertex and holes or a
// coordinates file describe.
absl::StatusOr<NamedTopology> MakeMeshKind(const MachineDescription& machine,
                                           const std::string& file);
// The tree of a topology.conf, slurm_topology.h.
absl::StatusOr<NamedTopology> MakeFatTreeKind(const MachineDescription& machine,
                                              const std::string& file);
// Groups of routers, or the links of an interconnect dump, interconnect.h.
absl::StatusOr<NamedTopology> MakeDragonflyKind(
    const MachineDescription& machine, const std::string& file);
// The links of an edge list, edge_list.h.
absl::StatusOr<NamedTopology> MakeGraphKind(const MachineDescription& machine,
                                            const std::string& file);
// The matrix of hops, hops_file.h.
absl::StatusOr<NamedTopology> MakeHopsKind(const MachineDescription& machine,
                                           const std::string& file);

// The error of reading a file that an option names: that it is not there is
// said where the option is.
absl::Status ErrorOfNamedFile(const std::string& file, Place place,
                              std::string_view option,
                              const absl::Status& status);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_MACHINE_KINDS_H_
