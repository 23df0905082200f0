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
  // What decides between centres of equal score, and between nodes of the last
  // shell. On a grid only; elsewhere always kPairwise.
  enum class Ties {
    // The free perimeter too, so that later jobs find compact nodes: see
    // CentreFound.
    kPerimeter,
    kPairwise,  // the minimum pairwise distance of this job alone
  };
  Centres centres;
  ShellKind shells;  // kBox is kHops where there are no coordinates
  Score score;
  Ties ties = Ties::kPerimeter;
};

// The result of a search.
//
// With Ties::kPairwise, ties of the score go to the smallest vertex.
// The nodes of a centre are the required nodes, then whole shells while they
// fit, then the nodes of the next shell with the smallest sums of distances to
// the nodes so far (ties: the smallest vertex). For the best centre the last
// part is chosen once more vertex by vertex, with the nodes taken included in
// the sums, and kept if the total is smaller.
//
// With Ties::kPerimeter and Score::kShellSum, the last part is taken vertex by
// vertex, each time the one with the fewest free neighbours that are not taken
// (ties: the smallest sum of distances to the nodes so far, then the smallest
// vertex). Ties of the shell sum go to the smallest
//   mean pairwise distance + kPerimeterWeight * free perimeter,
// then to the smallest vertex. With Score::kPairwise, ties of the total go to
// the smallest total after the last part is chosen once more, then to the
// smallest free perimeter. If very many centres tie, only those with the fewest
// free nodes around are compared. docs/policy-ties.md has the measurements.
inline constexpr double kPerimeterWeight = 0.04;
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

// The result for a centre.
CentreFound FoundAt(VertexId centre, const Collected& collected);

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
// ties: of the last part.
std::unique_ptr<CentreCollector> MakeGridCollector(
    const Topology& topology, const GridPlaces& places,
    CentreRule::Ties ties = CentreRule::Ties::kPairwise);
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
