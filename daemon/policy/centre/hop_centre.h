// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_CENTRE_HOP_CENTRE_H_
#define COOLSPAN_POLICY_CENTRE_HOP_CENTRE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/budget.h"
#include "core/topology.h"
#include "policy/centre/centre_search.h"
#include "policy/distance/free_sites.h"
#include "policy/distance/hop_rows.h"
#include "policy/distance/last_shell.h"

namespace coolspan {

// Distances of a row that are read in the time of one work unit.
inline constexpr std::uint64_t kPairsOfUnit = 4;
// Approximate work units spent at a time. The time limit ends a batch earlier.
inline constexpr std::uint64_t kHopBatchWork = std::uint64_t{1} << 22;

// The vertices of a search, indexed: first the places, vertices with required
// or available nodes, then vertices that are only centres.
struct HopPlaces {
  struct Place {
    NodeCount capacity;
    NodeCount required;
  };
  HopPlaces(const Topology& topology, const FreeSites& sites,
            CentreRule::Centres centres);

  std::vector<VertexId> vertices;      // places ascending, then centres only
  std::vector<Place> places;           // one for each of the first vertices
  std::vector<std::uint32_t> centres;  // indexes, ascending by vertex

  // The index of a vertex. REQUIRES that it is a place.
  std::uint32_t IndexOf(VertexId vertex) const {
    const auto end =
        vertices.begin() + static_cast<std::ptrdiff_t>(places.size());
    return static_cast<std::uint32_t>(
        std::lower_bound(vertices.begin(), end, vertex) - vertices.begin());
  }
};

// The nodes taken around one centre, with shells by hop distance (see
// CentreFound). Not thread-safe: one per thread.
class HopCentre {
 public:
  static constexpr std::size_t kAllRows =
      std::numeric_limits<std::size_t>::max() / 2;

  // rows_of_piece: distance rows of one centre per thread at a time. The
  // references must outlive this.
  HopCentre(const HopPlaces& places, const HopRows& rows,
            const FreeSites& sites, std::size_t rows_of_piece = kAllRows)
      : places_(places),
        rows_(rows),
        sites_(sites),
        rows_of_piece_(rows_of_piece) {}

  std::uint64_t ShellSum(std::uint32_t centre) {
    FindShells(centre);
    return collected_.shell_sum;
  }
  // Sets *total to the total pairwise hop distance of the nodes taken and the
  // required nodes. Stops early once it is known to be >= limit; *total is then
  // some number >= limit. False: the budget ended first.
  bool Total(std::uint32_t centre, std::uint64_t limit, Budget& budget,
             std::uint64_t* total);
  // Collects by the distances to the centre only: of the last shell, the first
  // vertices.
  void CollectWithoutSums(std::uint32_t centre);
  const Collected& collected() const { return collected_; }

 private:
  void FindShells(std::uint32_t centre);
  void FindNear();
  // Nodes of a place that are required or in a whole shell.
  NodeCount WholeAt(std::uint32_t place) const {
    const HopPlaces::Place& at = places_.places[place];
    return at.required +
           (hops_[place] < collected_.last_shell ? at.capacity : 0);
  }
  // Sets sums_[i] to the sum of distances from places[i] to the nodes. False:
  // the budget ended first.
  bool SumDistances(std::span<const std::uint32_t> places,
                    std::span<const HopRows::Nodes> nodes, Budget& budget);
  std::uint64_t ListSites();
  bool AddPairsOfTaken(Budget& budget);

  const HopPlaces& places_;
  const HopRows& rows_;
  const FreeSites& sites_;
  std::size_t rows_of_piece_;
  std::vector<Hops> scratch_;
  std::span<const Hops> hops_;  // to each place
  std::vector<NodeCount> nodes_in_shell_;
  // Places with required nodes or in shells up to the last one.
  std::vector<std::uint32_t> near_;
  std::vector<HopRows::Nodes> whole_;  // required nodes and whole shells
  std::vector<std::uint64_t> sums_;  // distances to whole_; set by SumDistances
  Collected collected_;
  SmallestSums smallest_sums_;
  std::vector<std::uint32_t> taken_;
  std::vector<HopRows::Nodes> nodes_taken_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_HOP_CENTRE_H_
