// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_LEAST_TRIPLE_H_
#define COOLSPAN_POLICY_OPTIMAL_LEAST_TRIPLE_H_

#include "core/topology.h"
#include "policy/distance/free_vertices.h"

namespace coolspan {

// Whether LeastTriple applies: at most two dimensions of more than one vertex,
// no wrap in them.
bool IsPlane(const Grid& grid);

// Three nodes of the pool with the least total pairwise distance, which is
// twice width plus height of their bounding box, in O(n log n) (Bender et al.,
// section 1, Our Results, say that it can be done). Divide and conquer as for
// the closest pair: once the best of either half is known, only points that
// near the middle line can do better with points across it, and of those only
// a constant number is near enough to any one, since no three on one side have
// a smaller box. With a required node in all triples, sweeps over the quadrants
// around it. REQUIRES IsPlane, and three nodes in the pool.
VertexSet LeastTriple(const Grid& grid, const VertexPool& pool);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_LEAST_TRIPLE_H_
