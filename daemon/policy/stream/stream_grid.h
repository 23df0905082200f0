// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_STREAM_GRID_H_
#define COOLSPAN_POLICY_STREAM_STREAM_GRID_H_

#include <cstdint>
#include <span>
#include <vector>

#include "policy/distance/free_sites.h"
#include "policy/distance/grid_places.h"
#include "policy/stream/box_sums.h"
#include "policy/stream/stream_costs.h"

namespace coolspan {

// The score of StreamWeights in whole numbers, so that scores of equal sets are
// equal: per_hop * pairwise total + per_phi * perimeter in kPhiUnit. The scores
// of single nodes (see StreamGrid) are below 2^29 if they are narrow, else
// below 2^40.
struct StreamScale {
  std::int64_t per_hop = 0;
  std::int64_t per_phi = 0;
  double unit = 1;  // scores per hop of the mean pairwise distance
  bool narrow = true;
};

// One decision on a grid, prepared for a search.
struct StreamGrid {
  // costs.busy_phi is read here only. places, and its sites, must outlive the
  // result.
  StreamGrid(const GridPlaces& places, const StreamCosts& costs);

  const GridPlaces& places;
  const FreeSites& sites;
  NodeCount nodes;  // with the required ones
  StreamScale scale;
  bool has_ring = false;  // some axis wraps
  // By vertex with free nodes: the perimeter that a node chosen there adds,
  // beside that to free nodes: busy neighbours, less the pairs with required
  // nodes, which it closes.
  std::vector<std::int32_t> own_phi;
  std::int32_t min_own_phi = 0;
  // The perimeter of the required nodes alone, in kPhiUnit: part of the score
  // of every set.
  std::int64_t required_phi = 0;
  // By vertex with free nodes: free nodes at its neighbours.
  std::vector<std::int32_t> free_beside;

  // A score in hops, with that of the required nodes' own perimeter.
  double InHops(std::int64_t score) const {
    return static_cast<double>(score + scale.per_phi * required_phi) /
           scale.unit;
  }
  // The perimeter that a node adds by the nodes of its own vertex that are
  // left.
  std::int64_t WithinPhi(NodeCount left) const {
    return std::int64_t{kWithinVertex} * kPhiUnit * left;
  }

 private:
  void SetPhi(std::span<const std::int32_t> phi);
  void SetScale(const StreamCosts& costs);

  std::int32_t max_own_phi_ = 0;  // absolute
  std::int32_t max_free_beside_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_STREAM_GRID_H_
