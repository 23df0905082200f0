// SPDX-License-Identifier: GPL-3.0-or-later
#include "absl/status/status.h"
#include "ordering/curves.h"
#include "ordering/hilbert.h"

namespace coolspan {

absl::StatusOr<std::vector<NodeId>> HilbertNodes(
    const Machine& machine, std::string_view /*argument*/) {
  const Grid* grid = machine.topology().grid();
  if (grid == nullptr) {
    return absl::InvalidArgumentError("hilbert needs a mesh or torus");
  }
  return NodesOfVertices(machine.topology(), HilbertOrder(grid->dims));
}

}  // namespace coolspan
