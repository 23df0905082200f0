// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_FIEDLER_H_
#define COOLSPAN_ORDERING_FIEDLER_H_

#include <cstdint>
#include <vector>

namespace coolspan {

// An undirected graph with weighted edges; parallel ones add up.
struct WeightedEdge {
  std::uint32_t a;
  std::uint32_t b;
  double weight;  // above 0
};
struct WeightedGraph {
  std::uint32_t vertices = 0;
  std::vector<WeightedEdge> edges;  // each once, a != b
};

// The Fiedler vector: of the least eigenvalue of the graph's Laplacian that is
// not 0. Neighbours have near values, so sorting by it is a first order of the
// graph (Fiedler, Algebraic connectivity of graphs, 1973). Vertex 0's value is
// not positive. As exact as a few steps of inverse iteration, from coarser
// graphs to finer ones, make it (multilevel: Barnard and Simon, 1994).
// REQUIRES a connected graph of at least two vertices. Deterministic; time
// grows with the edges.
std::vector<double> FiedlerVector(const WeightedGraph& graph);

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_FIEDLER_H_
