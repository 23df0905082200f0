// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CONFIG_MESH_KIND_H_
#define COOLSPAN_CONFIG_MESH_KIND_H_

#include <string>

#include "absl/status/statusor.h"
#include "config/topology_kinds.h"

namespace coolspan {

// The mesh or torus that dims, wrap, nodes_per_vertex and holes or a
// coordinates file describe.
absl::StatusOr<NamedTopology> MakeMeshKind(const MachineDescription& machine,
                                           const std::string& file);

}  // namespace coolspan

#endif  // COOLSPAN_CONFIG_MESH_KIND_H_
