// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_FIRST_NODES_H_
#define COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_FIRST_NODES_H_

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/policy.h"

namespace coolspan {

// The first of the available nodes, as many as are requested.
inline Allocation FirstNodes(const MachineView& view, const Request& request) {
  std::vector<NodeId> nodes = view.available().Members();
  nodes.resize(request.demand.min_nodes);
  return Allocation{std::move(nodes)};
}

// Takes the first nodes, without spending anything.
class TakesFirstNodes final : public Policy {
 public:
  std::string_view name() const override { return "first-nodes"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& /*budget*/,
                                  Trace& /*trace*/) const override {
    return FirstNodes(view, request);
  }
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_SERVICE_CLUSTERS_FIRST_NODES_H_
