// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_CENTRE_GRID_CENTRE_H_
#define COOLSPAN_POLICY_CENTRE_GRID_CENTRE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policy/distance/ball_tables.h"
#include "policy/distance/free_perimeter.h"
#include "policy/distance/grid_places.h"
#include "policy/distance/last_shell.h"
#include "policy/distance/shell_products.h"

namespace coolspan {

// The nodes taken around one centre of a grid (see CentreFound). Reused for one
// centre after another. Not thread-safe: one per thread.
class GridCentre {
 public:
  // places must outlive this.
  explicit GridCentre(const GridPlaces& places);

  // Finds the whole shells around the centre by visiting their vertices.
  // REQUIRES 0 < wanted <= free_count of the sites.
  void Walk(VertexId centre);
  // The same from tables, for shells by hop distance; false if the radius of
  // the tables is too small.
  template <typename Count>
  bool LookUp(VertexId centre, const BallTables<Count>& tables);

  // Lower bound of Total(). REQUIRES LookUp, of either result. Cheap: the last
  // shell is not visited.
  std::uint64_t LowerBound();
  // Total pairwise hop distance of the nodes taken and the required nodes.
  // Stops early once the total is known to exceed the limit, and then returns
  // some number above the limit. REQUIRES Walk or LookUp that returned true.
  std::uint64_t Total(std::uint64_t limit);

  // Takes the last part by the free perimeter (see CentreFound) and returns
  //   mean pairwise distance + kPerimeterWeight * free perimeter
  // of all nodes in units that are the same for all centres. REQUIRES Walk.
  std::uint64_t FillByPerimeter();
  // The result of FillByPerimeter for a single node at the centre, without
  // Walk. REQUIRES wanted = 1 and no required nodes.
  std::uint64_t PerimeterOfOne(VertexId centre);
  // The free perimeter of these and the required nodes.
  std::uint64_t PerimeterOf(std::span<const VertexNodes> chosen);

  // REQUIRES Walk, and Total without a limit or FillByPerimeter.
  const Collected& collected() const { return collected_; }

 private:
  void StartAt(VertexId centre);
  void ResetWindows(std::uint32_t shells, bool whole_rings);
  void SumWindows();
  void CollectShell(std::uint32_t shell);
  FreePerimeter& perimeter();
  std::uint64_t MinSumOutside();
  std::uint64_t MinTotalOfLast() const;
  SumRange RangeOfSums() const;
  std::uint64_t TotalOfTakenAlong(std::span<const std::size_t> axes);

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
  std::vector<AxisWindow> windows_;       // whole shells
  std::vector<AxisWindow> last_windows_;  // nodes taken of the last shell
  // The counters of TotalOfTakenAlong for one axis.
  struct AxisCounts {
    std::uint32_t dimension;
    std::uint32_t start;
    std::uint32_t extent;
    NodeCount* counts;
  };
  std::vector<AxisCounts> counts_;
  std::vector<std::size_t> longest_first_;  // axes by descending extent
  std::optional<FreePerimeter> perimeter_;  // made when first needed
  // Scratch of MinSumOutside.
  std::vector<std::uint64_t> min_by_steps_;
  std::vector<std::uint64_t> min_beyond_;
  std::vector<std::uint64_t> next_by_steps_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_CENTRE_GRID_CENTRE_H_
