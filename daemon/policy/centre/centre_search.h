// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_CENTRE_CENTRE_SEARCH_H_
#define COOLSPAN_POLICY_CENTRE_CENTRE_SEARCH_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "core/budget.h"
#include "core/topology.h"
#include "policy/distance/free_sites.h"
#include "policy/distance/grid_places.h"
#include "policy/distance/last_shell.h"

namespace coolspan {

// One search behind all policies that place a job around a centre: which
// vertices are centres, what is collected around one, how it is scored.
struct CentreRule {
  enum class Centres {
    kFree,       // vertices with a node that may be taken
    kCrossings,  // where coordinates of such vertices cross (a grid), every
                 // vertex with nodes (elsewhere)
  };
  enum class Score {
    kShellSum,  // least sum of shell numbers, then of pairwise distances
    kPairwise,  // least sum of pairwise distances
  };
  Centres centres;
  ShellKind shells;  // box: hops where there are no coordinates
  Score score;
};

// What was found. Ties of the score go to the smallest vertex.
//
// Around a centre are collected: required nodes, then whole shells while they
// fit, then, of the next shell, the nodes with the least sum of distances to
// those (ties: the smallest vertex). In the winner that last part is chosen
// again, one vertex after another with those taken counted in, and kept if the
// total is less.
struct CentreFound {
  VertexId centre = 0;
  std::uint32_t last_shell = 0;
  std::uint64_t shell_sum = 0;
  // None where the budget ended before any centre's was known.
  std::optional<std::uint64_t> pairwise_total;
  std::uint64_t centres = 0;        // that could have been it
  std::uint64_t scored = 0;         // of these, whose nodes were collected
  std::vector<VertexNodes> chosen;  // required nodes left out
};

// A centre and what it would give; the lesser is the better.
struct ScoredCentre {
  static constexpr std::uint64_t kNever =
      std::numeric_limits<std::uint64_t>::max();

  std::uint64_t score = kNever;  // shell sum, or nothing
  std::uint64_t total = kNever;  // pairwise
  VertexId centre = 0;

  friend bool operator<(const ScoredCentre& a, const ScoredCentre& b) {
    return std::tie(a.score, a.total, a.centre) <
           std::tie(b.score, b.total, b.centre);
  }
};

// Chooses the last part again, where the budget allows.
CentreFound FinishCentre(const Topology& topology, VertexId centre,
                         const Collected& collected, Budget& budget);

// Collects around one centre after another; one a thread.
class CentreCollector {
 public:
  CentreCollector() = default;
  CentreCollector(const CentreCollector&) = delete;
  CentreCollector& operator=(const CentreCollector&) = delete;
  virtual ~CentreCollector() = default;

  // budget: for choosing the last part again.
  virtual CentreFound Collect(VertexId centre, Budget& budget) = 0;
};
// What they are made from must outlive them.
// REQUIRES 0 < wanted <= free nodes.
std::unique_ptr<CentreCollector> MakeGridCollector(const Topology& topology,
                                                   const GridPlaces& places);
std::unique_ptr<CentreCollector> MakeHopCollector(const Topology& topology,
                                                  const FreeSites& sites);

// REQUIRES 0 < wanted <= free nodes. Where the budget ends, the best so far.
CentreFound SearchGrid(const Topology& topology, const GridPlaces& places,
                       const CentreRule& rule, Budget& budget);
CentreFound SearchHops(const Topology& topology, const FreeSites& sites,
                       const CentreRule& rule, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_CENTRE_SEARCH_H_
