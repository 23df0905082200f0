// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_PTAS_SEARCH_H_
#define COOLSPAN_POLICY_OPTIMAL_PTAS_SEARCH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/budget.h"
#include "core/topology.h"
#include "policy/distance/free_vertices.h"
#include "policy/place_demand.h"

namespace coolspan {

// What came of the enumeration.
struct PtasAnswer {
  std::optional<VertexSet> best;  // better than the start; nothing: none was
  std::uint64_t tried = 0;        // sets
  bool finished = false;          // before the budget ended
};

// The approximation scheme of Bender et al. (cpa-rd100-cplant-bender), sections
// 3 and 4.2. In each dimension hyperplanes cut the nodes sought into so many
// slices of equal numbers; the slices of all dimensions make cells. For each
// place of the planes and each number of nodes a cell may give, a cell gives
// those that are furthest in the direction that its nodes are gradient_product
// to by those in other slices, required ones first. Of all these sets the most
// compact is the answer. Nodes with equal coordinates are parted by their ids.
//
// Planes are placed right before the first node of their slice, and the last
// behind the last node, so that each set belongs to one place of the planes;
// places whose sets all have a total of upper_bound or more are left out.
//
// REQUIRES a grid without wrap and of more than one vertex, strips from 1 to
// nodes.
PtasAnswer SearchPtas(const Topology& topology, const VertexPool& pool,
                      NodeCount nodes, NodeCount strips,
                      std::uint64_t upper_bound, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_PTAS_SEARCH_H_
