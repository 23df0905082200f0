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

// How policies that place a job around a centre search: which vertices are
// centres, which shells they have, and how a centre is scored.
struct CentreRule {
  enum class Centres {
    kFree,       // vertices with an available or required node
    kCrossings,  // on a grid, intersections of coordinates of such vertices
                 // (Bender et al., section 2.1); elsewhere, every vertex with
                 // nodes
  };
  enum class Score {
    kShellSum,  // minimum sum over chosen nodes v of shell(v), then kPairwise
    kPairwise,  // minimum |S| = sum over pairs {v, w} of d(v, w)
  };
  Centres centres;
  ShellKind shells;  // kBox is kHops where there are no coordinates
  Score score;
};

// The result of a search. Ties of the score go to the smallest vertex.
//
// The nodes of a centre are the required nodes, then whole shells while they
// fit, then the nodes of the next shell with the smallest sums of distances to
// the nodes so far (ties: the smallest vertex). For the best centre the last
// part is chosen once more vertex by vertex, with the nodes taken included in
// the sums, and kept if the total is smaller.
struct CentreFound {
  VertexId centre = 0;
  std::uint32_t last_shell = 0;
  std::uint64_t shell_sum = 0;
  // nullopt: the budget ended before the total of any centre was known.
  std::optional<std::uint64_t> pairwise_total;
  std::uint64_t centres = 0;        // candidates
  std::uint64_t scored = 0;         // candidates that were scored
  std::vector<VertexNodes> chosen;  // without required nodes
};

// A centre and its score; smaller is better.
struct ScoredCentre {
  static constexpr std::uint64_t kNever =
      std::numeric_limits<std::uint64_t>::max();

  std::uint64_t score = kNever;  // shell sum; 0 if not used
  std::uint64_t total = kNever;  // pairwise
  VertexId centre = 0;

  friend bool operator<(const ScoredCentre& a, const ScoredCentre& b) {
    return std::tie(a.score, a.total, a.centre) <
           std::tie(b.score, b.total, b.centre);
  }
};

// The result for the best centre; chooses the last part once more if the budget
// allows.
CentreFound FinishCentre(const Topology& topology, VertexId centre,
                         const Collected& collected, Budget& budget);

// Collects the nodes around one centre at a time. Not thread-safe: one per
// thread.
class CentreCollector {
 public:
  CentreCollector() = default;
  CentreCollector(const CentreCollector&) = delete;
  CentreCollector& operator=(const CentreCollector&) = delete;
  virtual ~CentreCollector() = default;

  // budget: of choosing the last part once more.
  virtual CentreFound Collect(VertexId centre, Budget& budget) = 0;
};
// The arguments must outlive the collectors.
// REQUIRES 0 < wanted <= free_count of the sites.
std::unique_ptr<CentreCollector> MakeGridCollector(const Topology& topology,
                                                   const GridPlaces& places);
std::unique_ptr<CentreCollector> MakeHopCollector(const Topology& topology,
                                                  const FreeSites& sites);

// REQUIRES 0 < wanted <= free_count of the sites. If the budget ends, the
// result is the best so far.
CentreFound SearchGrid(const Topology& topology, const GridPlaces& places,
                       const CentreRule& rule, Budget& budget);
CentreFound SearchHops(const Topology& topology, const FreeSites& sites,
                       const CentreRule& rule, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_CENTRE_SEARCH_H_
