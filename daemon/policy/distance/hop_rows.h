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

// The matrix of hop distances from each of the vertices (rows) to the first
// `columns` of them. Stored if it is small, else computed at each query.
// Thread-safe.
class HopRows {
 public:
  // REQUIRES columns <= vertices.size(). topology and vertices must outlive
  // this. Nothing is stored if the budget ends.
  HopRows(const Topology& topology, std::span<const VertexId> vertices,
          std::size_t columns, Budget& budget);

  // Distances from vertices[index] to all columns. Valid until scratch changes.
  std::span<const Hops> Row(std::size_t index,
                            std::vector<Hops>& scratch) const;
  // A number of nodes at the vertex of a column.
  struct Nodes {
    std::uint32_t column;
    NodeCount count;
  };
  // Sum of the distances from vertices[from] to all the nodes.
  std::uint64_t SumTo(std::size_t from, std::span<const Nodes> nodes) const;
  Hops Distance(std::size_t from, std::size_t to) const {
    return stored_.empty()
               ? topology_.VertexDistance(vertices_[from], vertices_[to])
               : stored_[from * columns_ + to];
  }

 private:
  void ComputeRow(std::size_t index, std::span<Hops> row) const;

  const Topology& topology_;
  std::span<const VertexId> vertices_;
  std::size_t columns_;
  std::vector<Hops> stored_;  // row-major; empty: computed at each query
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_HOP_ROWS_H_
