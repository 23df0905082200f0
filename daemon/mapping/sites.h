// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_SITES_H_
#define COOLSPAN_MAPPING_SITES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// Index of a node among the nodes of a job.
using SiteId = std::uint32_t;

// The nodes of a job with their distances, in a table unless they are too many.
// The topology must outlive it. Immutable.
class Sites {
 public:
  // Sites with a table: 32 MB.
  static constexpr std::size_t kMaxInTable = 4096;

  // nodes: ascending, each once.
  Sites(const Topology& topology, std::span<const NodeId> nodes);

  std::uint32_t size() const {
    return static_cast<std::uint32_t>(vertices_.size());
  }
  const Topology& topology() const { return *topology_; }
  VertexId VertexOf(SiteId site) const { return vertices_[site]; }
  Hops Distance(SiteId a, SiteId b) const {
    if (!table_.empty()) return table_[std::size_t{a} * size() + b];
    return topology_->VertexDistance(vertices_[a], vertices_[b]);
  }

 private:
  const Topology* topology_;
  std::vector<VertexId> vertices_;
  std::vector<std::uint16_t> table_;  // size x size; empty: none
};

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_SITES_H_
