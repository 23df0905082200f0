// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_MESH_MACHINE_H_
#define COOLSPAN_TESTS_MESH_MACHINE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/machine.h"
#include "ordering/ordering.h"
#include "topology/mesh.h"

namespace coolspan {

inline Grid FlatGrid(std::vector<std::uint32_t> dims) {
  Grid grid;
  grid.wrap.assign(dims.size(), false);
  grid.dims = std::move(dims);
  return grid;
}

inline Grid TorusGrid(std::vector<std::uint32_t> dims) {
  Grid grid = FlatGrid(std::move(dims));
  grid.wrap.assign(grid.dims.size(), true);
  return grid;
}

// A machine with nodes n0, n1, ... on the mesh; throws if the mesh is invalid.
inline std::shared_ptr<const Machine> MeshMachine(Grid grid) {
  std::shared_ptr<const Topology> mesh = MakeMesh(std::move(grid)).value();
  std::vector<std::string> names;
  names.reserve(mesh->node_count());
  for (NodeId node = 0; node < mesh->node_count(); ++node) {
    names.push_back("n" + std::to_string(node));
  }
  return Machine::Create("mesh", std::move(names), std::move(mesh)).value();
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_MESH_MACHINE_H_
