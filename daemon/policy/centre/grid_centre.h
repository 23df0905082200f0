// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_CENTRE_GRID_CENTRE_H_
#define COOLSPAN_POLICY_CENTRE_GRID_CENTRE_H_

#include <cstdint>
#include <vector>

#include "policy/distance/ball_tables.h"
#include "policy/distance/grid_places.h"
#include "policy/distance/last_shell.h"
#include "policy/distance/shell_products.h"

namespace coolspan {

// What a search takes around one centre: required nodes, then whole shells
// while they fit, then, of the next shell, the nodes with the least sum of
// distances to those taken so far (ties: the smallest vertex). One a thread,
// used for one centre after another.
class GridCentre {
 public:
  explicit GridCentre(const GridPlaces& places);

  // Finds the whole shells around the centre by walking through them.
  // REQUIRES wanted > 0 and no more than are free.
  void Walk(VertexId centre);
  // The same from tables, for shells by hop distance; false where the radius of
  // the tables is too small.
  template <typename Count>
  bool LookUp(VertexId centre, const BallTables<Count>& tables);

  // Lower bound of Total() for a centre looked up, also where LookUp answered
  // false. Cheap: the last shell is not visited.
  std::uint64_t LowerBound();
  // Total pairwise hop distance of what is taken, required nodes included.
  // After Walk or LookUp (true). Where it is found to be above the limit
  // before all of it is known, no more is done and the answer is above, too.
  std::uint64_t Total(std::uint64_t limit);

  // After Walk and Total without a limit.
  const Collected& collected() const { return collected_; }

 private:
  void StartAt(VertexId centre);
  void OpenWindows(std::uint32_t shells, bool whole_rings);
  void SumWindows();
  void CollectShell(std::uint32_t shell);
  std::uint64_t LeastSumOutside();
  std::uint64_t LeastAmongLast() const;
  SumRange RangeOfSums() const;
  std::uint64_t TakenAlong(std::span<const std::size_t> axes);

  const GridPlaces& places_;
  bool two_apart_;
  VertexId centre_ = 0;
  std::span<const std::uint32_t> at_;
  std::vector<std::uint32_t> last_of_axis_;  // last shell along each axis
  bool complete_ = false;                    // the last shell has enough nodes
  NodeCount inner_count_ = 0;
  Collected collected_;
  ShellProducts products_;
  SmallestSums smallest_sums_;
  std::vector<AxisWindow> windows_;
  std::vector<AxisWindow> last_windows_;
  // Where TakenAlong counts on an axis.
  struct AxisCounts {
    std::uint32_t dimension;
    std::uint32_t start;
    std::uint32_t extent;
    NodeCount* counts;
  };
  std::vector<AxisCounts> counts_;
  std::vector<std::size_t> longest_first_;  // axes
  std::vector<std::uint64_t> least_;        // scratch of LeastSumOutside
  std::vector<std::uint64_t> beyond_;
  std::vector<std::uint64_t> next_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_GRID_CENTRE_H_
