// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_LOCALITY_IDEAL_TOTAL_H_
#define COOLSPAN_LOCALITY_IDEAL_TOTAL_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/budget.h"
#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// The smallest known total pairwise distance of n nodes on the empty machine, a
// reference for real allocations. On grids these are the rounded shapes of
// cpa-rd100-cplant-bender (Bender et al., figure 2): the nodes around a vertex,
// an edge, a face and so on, improved until no exchange helps; on other
// topologies and grids with holes, the nodes around many vertices. The work per
// n is bounded, so totals of large shapes may be slightly above the optimum,
// the same for all policies. Results are cached. Thread-safe; the topology must
// outlive this object.
class IdealTotals {
 public:
  explicit IdealTotals(const Topology& topology);
  // nodes: 1 to node_count.
  std::uint64_t For(NodeCount nodes);

 private:
  std::uint64_t Find(NodeCount nodes) const;
  std::vector<VertexId> Centres() const;
  std::uint64_t BestAround(VertexId centre, NodeCount nodes,
                           Budget& budget) const;

  const Topology& topology_;
  NodeCount max_vertex_nodes_ = 0;
  std::vector<VertexId> vertices_;  // with nodes
  // By number of nodes. A total that two threads need at the same time is
  // found twice.
  std::vector<std::atomic<std::uint64_t>> totals_;
};

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_IDEAL_TOTAL_H_
