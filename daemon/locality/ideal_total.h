// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_LOCALITY_IDEAL_TOTAL_H_
#define COOLSPAN_LOCALITY_IDEAL_TOTAL_H_

#include <cstdint>
#include <vector>

#include "core/budget.h"
#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// The least total pairwise distance known for so many nodes of an empty
// machine, which real allocations are measured against. On grids these are the
// rounded shapes of cpa-rd100-cplant-bender (Bender et al., figure 2): nodes
// around a vertex, an edge, a face and so on, made more compact until no
// exchange helps; elsewhere, and where there are holes, nodes around many
// vertices. The work for one number of nodes is bounded, so large shapes may
// miss the optimum by a little, and the same for everybody. Answers are kept.
// Not thread-safe; the topology has to outlive it.
class IdealTotals {
 public:
  explicit IdealTotals(const Topology& topology);
  // nodes: 1 to all of them.
  std::uint64_t For(NodeCount nodes);

 private:
  std::uint64_t Find(NodeCount nodes) const;
  std::vector<VertexId> Centres() const;
  std::uint64_t LeastAround(VertexId centre, NodeCount nodes,
                            Budget& budget) const;

  const Topology& topology_;
  NodeCount fullest_vertex_ = 0;       // nodes it has
  std::vector<VertexId> vertices_;     // with nodes
  std::vector<std::uint64_t> totals_;  // by number of nodes
};

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_IDEAL_TOTAL_H_
