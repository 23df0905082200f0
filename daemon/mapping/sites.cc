// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/sites.h"

#include <limits>

namespace coolspan {

Sites::Sites(const Topology& topology, std::span<const NodeId> nodes)
    : topology_(&topology) {
  vertices_.reserve(nodes.size());
  for (const NodeId node : nodes) vertices_.push_back(topology.VertexOf(node));
  const std::size_t count = nodes.size();
  if (count > kMaxInTable) return;
  table_.resize(count * count);
  for (SiteId a = 0; a < count; ++a) {
    for (SiteId b = 0; b < a; ++b) {
      const Hops hops = topology.VertexDistance(vertices_[a], vertices_[b]);
      if (hops > std::numeric_limits<std::uint16_t>::max()) {
        table_.clear();
        return;
      }
      table_[a * count + b] = table_[b * count + a] =
          static_cast<std::uint16_t>(hops);
    }
  }
}

}  // namespace coolspan
