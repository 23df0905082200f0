// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_FIEDLER_H_
#define COOLSPAN_ORDERING_FIEDLER_H_

#include <cstdint>
#include <vector>

namespace coolspan {

// An undirected graph with weighted edges; weights of parallel edges add up.
struct WeightedEdge {
  std::uint32_t a;
  std::uint32_t b;
  double weight;  // above 0
};
struct WeightedGraph {
  std::uint32_t vertices = 0;
  std::vector<WeightedEdge> edges;  // each once, a != b
};

// The Fiedler vector: the eigenvector of the smallest eigenvalue of the graph's
// Laplacian L = diag(degrees) - weights above 0, that is the x minimising
// x^T L x with |x| = 1 and x orthogonal to 1. Neighbours have similar values,
// so sorting by it arranges the graph (Fiedler, Algebraic connectivity of
// graphs, 1973). The value of vertex 0 is not positive. Approximate: a few
// steps of inverse iteration on each level from coarse to fine (Barnard and
// Simon, 1994). REQUIRES a connected graph of at least two vertices.
// Deterministic; time is linear in the edges.
std::vector<double> FiedlerVector(const WeightedGraph& graph);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_FIEDLER_H_
