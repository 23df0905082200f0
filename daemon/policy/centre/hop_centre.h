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

// Distances in a row, read as fast as one node is looked at.
inline constexpr std::uint64_t kPairsOfUnit = 4;
// Work units between two looks at the budget, about.
inline constexpr std::uint64_t kHopBatchWork = std::uint64_t{1} << 22;

// Vertices of a machine in the order that a search numbers them: those with a
// node that is required or may be chosen, then those that are centres only.
struct HopPlaces {
  struct Place {
    NodeCount capacity;
    NodeCount required;
  };
  HopPlaces(const Topology& topology, const FreeSites& sites,
            CentreRule::Centres centres);

  std::vector<VertexId> vertices;
  std::vector<Place> places;           // of the first of them
  std::vector<std::uint32_t> centres;  // ascending by vertex

  // Of a vertex that is a place; they are ascending.
  std::uint32_t IndexOf(VertexId vertex) const {
    const auto end =
        vertices.begin() + static_cast<std::ptrdiff_t>(places.size());
    return static_cast<std::uint32_t>(
        std::lower_bound(vertices.begin(), end, vertex) - vertices.begin());
  }
};

// What is collected around one centre, by hop distance alone. One a thread.
class HopCentre {
 public:
  static constexpr std::size_t kAllRows =
      std::numeric_limits<std::size_t>::max() / 2;

  // rows_of_piece: of the distances around one centre, what a thread takes at
  // a time.
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
  // Where it is found to be the limit or more before all of it is known, no
  // more is done and the answer is no less than the limit, too. False where
  // the budget ended before.
  bool Total(std::uint32_t centre, std::uint64_t limit, Budget& budget,
             std::uint64_t* total);
  // Collects without any distances but those to the centre: of the last shell
  // the first vertices.
  void CollectUnmeasured(std::uint32_t centre);
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
  // sums_[i] becomes the distance from places[i] to all of the nodes; false
  // where the budget ended before.
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
  // Places that are required, or in shells up to the last one.
  std::vector<std::uint32_t> near_;
  std::vector<HopRows::Nodes> whole_;  // of these, what is whole
  std::vector<std::uint64_t> sums_;    // of each, to all that is whole
  Collected collected_;
  SmallestSums smallest_sums_;
  std::vector<std::uint32_t> taken_;
  std::vector<HopRows::Nodes> nodes_taken_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_HOP_CENTRE_H_
