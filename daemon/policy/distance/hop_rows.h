// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_HOP_ROWS_H_
#define COOLSPAN_POLICY_DISTANCE_HOP_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/budget.h"
#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// Hop distances from each of some vertices to the first of them. Kept where
// they take little memory, else looked up each time. Thread-safe.
class HopRows {
 public:
  // REQUIRES columns <= vertices.size(); the vertices outlive this. Where the
  // budget ends, nothing is kept.
  HopRows(const Topology& topology, std::span<const VertexId> vertices,
          std::size_t columns, Budget& budget);

  // Of the vertex with that index, to all columns. Valid until scratch changes.
  std::span<const Hops> Row(std::size_t index,
                            std::vector<Hops>& scratch) const;
  // Of nodes at some columns.
  struct Nodes {
    std::uint32_t column;
    NodeCount count;
  };
  // Sum of the distances to all of them.
  std::uint64_t SumTo(std::size_t from, std::span<const Nodes> nodes) const;
  Hops Distance(std::size_t from, std::size_t to) const {
    return kept_.empty()
               ? topology_.VertexDistance(vertices_[from], vertices_[to])
               : kept_[from * columns_ + to];
  }

 private:
  void LookUp(std::size_t index, std::span<Hops> row) const;

  const Topology& topology_;
  std::span<const VertexId> vertices_;
  std::size_t columns_;
  std::vector<Hops> kept_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_HOP_ROWS_H_
