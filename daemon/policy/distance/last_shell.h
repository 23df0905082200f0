// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_LAST_SHELL_H_
#define COOLSPAN_POLICY_DISTANCE_LAST_SHELL_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/budget.h"
#include "core/topology.h"
#include "policy/distance/free_sites.h"

namespace coolspan {

// A vertex of the last shell.
struct ShellSite {
  std::uint64_t sum;  // of distances to the nodes taken so far
  VertexId vertex;
  NodeCount count;  // nodes that may be taken
};

// The nodes a search collects around one centre: whole shells and a part of the
// last one.
struct Collected {
  std::uint32_t last_shell = 0;
  std::uint64_t shell_sum = 0;            // sum of shell numbers
  std::vector<VertexNodes> whole_shells;  // without required nodes
  std::uint64_t whole_total = 0;  // pairwise, whole shells and required nodes
  std::vector<ShellSite> last_sites;  // all sites of the last shell
  NodeCount missing = 0;              // nodes to take of the last shell
  std::vector<ShellSite> taken;       // of the last shell
  std::uint64_t total = 0;            // pairwise, all nodes
};

// Nodes taken of the last shell, and the increase of the total pairwise
// distance.
struct TakenOfShell {
  std::vector<VertexNodes> sites;
  std::uint64_t added = 0;
};

struct SumRange {
  std::uint64_t min;
  std::uint64_t max;
};
// REQUIRES !sites.empty().
SumRange RangeOf(std::span<const ShellSite> sites);

// Selects the nodes with the smallest sums. Reuses memory between calls.
class SmallestSums {
 public:
  // Sets taken to the sites of the `nodes` nodes with the smallest sums (ties:
  // the smallest vertices), each with the count that is taken of it. REQUIRES
  // 1 <= nodes <= nodes of the sites, and all sums in the range; a tight range
  // is faster.
  void Take(std::span<const ShellSite> sites, const SumRange& range,
            NodeCount nodes, std::vector<ShellSite>& taken);

 private:
  std::vector<ShellSite> boundary_;  // sums near the largest one taken
};

// Takes `nodes` nodes vertex by vertex, each time the vertex with the smallest
// sum of distances to all nodes taken so far, including those of this shell;
// ties: the smallest vertex. nullopt: the budget ended first. REQUIRES that the
// sites have that many nodes.
std::optional<TakenOfShell> TakeGreedily(const Topology& topology,
                                         std::vector<ShellSite> sites,
                                         NodeCount nodes, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_LAST_SHELL_H_
