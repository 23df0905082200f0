// SPDX-License-Identifier: GPL-3.0-or-later
#include <numeric>

#include "ordering/curves.h"

namespace coolspan {

absl::StatusOr<OrderedNodes> RowMajorNodes(const Machine& machine,
                                           std::string_view /*argument*/) {
  std::vector<NodeId> nodes(machine.node_count());
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  return nodes;
}

}  // namespace coolspan
