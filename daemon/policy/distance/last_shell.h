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

// A vertex of the last shell: how many nodes it has to give, and its sum of
// distances to the nodes taken already.
struct ShellSite {
  std::uint64_t sum;
  VertexId vertex;
  NodeCount count;
};

// What a search collects around one centre: whole shells, and a part of the
// last one.
struct Collected {
  std::uint32_t last_shell = 0;
  std::uint64_t shell_sum = 0;            // of shell numbers
  std::vector<VertexNodes> whole_shells;  // required nodes left out
  std::uint64_t whole_total = 0;  // pairwise, of these and the required nodes
  std::vector<ShellSite> last_sites;  // all that the last shell has
  NodeCount missing = 0;              // nodes taken of the last shell
  std::vector<ShellSite> taken;       // of the last shell
  std::uint64_t total = 0;            // pairwise, of all
};

// Nodes taken of the last shell, and what they add to the total pairwise
// distance.
struct TakenOfShell {
  std::vector<VertexNodes> sites;
  std::uint64_t added = 0;
};

struct SumRange {
  std::uint64_t least;
  std::uint64_t most;
};
// REQUIRES a site.
SumRange RangeOf(std::span<const ShellSite> sites);

// The nodes with the least sums (ties: the smallest vertices): sites with the
// count that is taken of each. Keeps memory between calls.
class LeastSites {
 public:
  // REQUIRES that the sites have as many nodes as are wanted, at least 1, and
  // that all sums are in the range; a tight one is faster.
  void Take(std::span<const ShellSite> sites, const SumRange& range,
            NodeCount wanted, std::vector<ShellSite>& taken);

 private:
  std::vector<ShellSite> close_;  // to the last sum that is taken
};

// One vertex after another, the one with the least sum of distances to all
// taken so far, those of this shell too; ties: the smallest vertex.
// Nothing where the budget ends first. REQUIRES that the sites have as many
// nodes as are wanted.
std::optional<TakenOfShell> TakeGreedily(const Topology& topology,
                                         std::vector<ShellSite> sites,
                                         NodeCount wanted, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_LAST_SHELL_H_
