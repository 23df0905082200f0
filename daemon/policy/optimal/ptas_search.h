// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_PTAS_SEARCH_H_
#define COOLSPAN_POLICY_OPTIMAL_PTAS_SEARCH_H_

#include <cstdint>
#include <optional>

#include "core/budget.h"
#include "core/topology.h"
#include "policy/distance/free_vertices.h"
#include "policy/place_demand.h"

namespace coolspan {

// The result of the enumeration.
struct PtasAnswer {
  std::optional<VertexSet> best;  // nullopt: none below upper_bound
  std::uint64_t tried = 0;        // sets
  bool finished = false;          // false: the budget ended first
};

// The enumeration of the approximation scheme of Bender et al.
// (cpa-rd100-cplant-bender), sections 3 and 4.2. In each dimension, hyperplanes
// divide the k nodes of a set into m slices of equal size; the slices of all
// dimensions intersect in cells C_ij. For all positions of the planes and all
// numbers k_ij of nodes per cell, cell C_ij selects the required nodes and then
// those with the lowest product with the gradient
//
//   grad_ij = ((2i + 1 - m) k / m, (2j + 1 - m) k / m)
//
// The set with the lowest total is the answer. Ties of coordinates are broken
// by id.
//
// A plane is placed directly before the first node of its slice, and the last
// plane after the last node, so each set is enumerated once. Positions with a
// lower bound of upper_bound or more are skipped.
//
// strips: m. upper_bound: the total to improve on. REQUIRES a grid without wrap
// with more than one vertex, and 1 <= strips <= nodes.
PtasAnswer SearchPtas(const Topology& topology, const VertexPool& pool,
                      NodeCount nodes, NodeCount strips,
                      std::uint64_t upper_bound, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_PTAS_SEARCH_H_
