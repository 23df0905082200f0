// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_VERTEX_HOPS_H_
#define COOLSPAN_ORDERING_VERTEX_HOPS_H_

#include <vector>

#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// Distances between vertices, from a table if it is small.
class VertexHops {
 public:
  explicit VertexHops(const Topology& topology)
      : topology_(topology), vertices_(topology.vertex_count()) {
    if (vertices_ > kMaxInTable) return;
    hops_.reserve(std::size_t{vertices_} * vertices_);
    for (VertexId a = 0; a < vertices_; ++a) {
      for (VertexId b = 0; b < vertices_; ++b) {
        hops_.push_back(topology.VertexDistance(a, b));
      }
    }
  }

  Hops operator()(VertexId a, VertexId b) const {
    return hops_.empty() ? topology_.VertexDistance(a, b)
                         : hops_[std::size_t{a} * vertices_ + b];
  }

 private:
  static constexpr VertexId kMaxInTable = 1024;  // 4 MiB

  const Topology& topology_;
  const VertexId vertices_;
  std::vector<Hops> hops_;
};

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_VERTEX_HOPS_H_
