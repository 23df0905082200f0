// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/routes.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topology/dragonfly_routers.h"
#include "topology/dragonfly_routes.h"
#include "topology/mesh_routes.h"
#include "topology/tree_routes.h"

namespace coolspan {

std::vector<LinkLoad> LinkLoads::Take() {
  std::sort(used_.begin(), used_.end());
  std::vector<LinkLoad> taken;
  taken.reserve(used_.size());
  for (const LinkId link : used_) {
    taken.push_back({link, loads_[link]});
    loads_[link] = 0;
  }
  used_.clear();
  return taken;
}

absl::StatusOr<std::unique_ptr<Routes>> MakeRoutes(
    const Topology& topology, const RouteOptions& options) {
  if (topology.grid() != nullptr) return MakeMeshRoutes(topology);
  // Blocks are a tree too, but not one of links.
  if (topology.switches() != nullptr && topology.blocks() == nullptr) {
    return MakeTreeRoutes(topology, options.oversubscription);
  }
  if (const auto* dragonfly = dynamic_cast<const RoutedDragonfly*>(&topology)) {
    return MakeDragonflyRoutes(topology, dragonfly->routers(), options.valiant);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the routes of topology ", std::string(topology.kind()),
      " are not known (expected mesh, torus, fat-tree, or dragonfly by groups "
      "and routers)"));
}

}  // namespace coolspan
