// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_LEAST_TRIPLE_H_
#define COOLSPAN_POLICY_OPTIMAL_LEAST_TRIPLE_H_

#include "core/topology.h"
#include "policy/distance/free_vertices.h"

namespace coolspan {

// Whether LeastTriple applies: at most two dimensions have more than one
// vertex, and none of these wraps.
bool IsPlane(const Grid& grid);

// The three nodes of the pool with the minimum total pairwise distance,
//
//   2 * (width + height of their bounding box)
//
// in O(n log n); Bender et al., section 1 (Our Results), state the result
// without the algorithm. Divide and conquer as for the closest pair: given the
// best box of each half, only points within that distance of the dividing line
// can improve it, and only a constant number of them is near any point, because
// no three points on one side have a smaller box. With one required node,
// sweeps over the quadrants around it. REQUIRES IsPlane and at least three
// nodes in the pool.
VertexSet LeastTriple(const Grid& grid, const VertexPool& pool);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_LEAST_TRIPLE_H_
