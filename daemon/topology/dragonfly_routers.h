// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_DRAGONFLY_ROUTERS_H_
#define COOLSPAN_TOPOLOGY_DRAGONFLY_ROUTERS_H_

#include <cstdint>
#include <vector>

#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// The routers of a dragonfly and its global links, arranged as dragonfly.h
// describes. Groups, routers of a group and links of a group are counted from 0
// and below kMaxVertices. Immutable, thread-safe.
class DragonflyRouters {
 public:
  using Number = std::uint32_t;
  struct Links {
    Number first;
    Number end;
  };

  // REQUIRES both at least 1.
  DragonflyRouters(Number groups, Number routers)
      : groups_(groups), routers_(routers) {
    const std::uint64_t links = groups_ - 1;
    router_of_link_.reserve(links);
    first_link_.reserve(routers_ + std::size_t{1});
    for (std::uint64_t router = 0; router < routers_; ++router) {
      first_link_.push_back(static_cast<Number>(router_of_link_.size()));
      const std::uint64_t end =
          ((router + 1) * links + routers_ - 1) / routers_;
      router_of_link_.resize(end, static_cast<Number>(router));
    }
    first_link_.push_back(static_cast<Number>(links));
  }

  Number groups() const { return groups_; }
  Number routers() const { return routers_; }   // of a group
  Number links() const { return groups_ - 1; }  // of a group
  Number LinkTo(Number group, Number other) const {
    return other > group ? other - group - 1 : other + groups_ - group - 1;
  }
  Number GroupOver(Number group, Number link) const {
    const Number other = group + link + 1;
    return other < groups_ ? other : other - groups_;
  }
  // The router of the group that has the link to the other group.
  Number RouterTo(Number group, Number other) const {
    return router_of_link_[LinkTo(group, other)];
  }
  Links LinksOf(Number router) const {
    return {first_link_[router], first_link_[router + 1]};
  }
  Number GroupOf(VertexId vertex) const { return vertex / routers_; }
  VertexId VertexAt(Number group, Number router) const {
    return group * routers_ + router;
  }
  // The vertex of RouterTo.
  VertexId ExitTo(Number group, Number other) const {
    return VertexAt(group, RouterTo(group, other));
  }

 private:
  Number groups_;
  Number routers_;
  // The same in every group.
  std::vector<Number> router_of_link_;
  std::vector<Number> first_link_;  // by router, plus the end
};

// A dragonfly of which the groups and their links are known.
class RoutedDragonfly : public Topology {
 public:
  virtual const DragonflyRouters& routers() const = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_DRAGONFLY_ROUTERS_H_
