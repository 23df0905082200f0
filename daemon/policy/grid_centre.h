// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_GRID_CENTRE_H_
#define COOLSPAN_POLICY_GRID_CENTRE_H_

#include <cstdint>
#include <vector>

#include "policy/ball_tables.h"
#include "policy/grid_places.h"
#include "policy/last_shell.h"

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
  // The same from tables; false where their radius is too small.
  template <typename Count>
  bool LookUp(VertexId centre, const BallTables<Count>& tables);

  // Lower bound of Total() for a centre looked up, also where LookUp answered
  // false. Cheap: the last shell is not visited.
  std::uint64_t LowerBound();
  // Total pairwise hop distance of what is taken, required nodes included.
  // After Walk or LookUp (true).
  std::uint64_t Total();

  // After Walk and Total.
  const Collected& collected() const { return collected_; }

 private:
  void StartAt(VertexId centre);
  void OpenWindows(std::uint32_t shells, bool whole_rings);
  void SumWindows();
  void ReachShell(std::uint32_t shell);
  void ReachSums();
  void CollectShell(std::uint32_t shell);
  void CollectHops(std::size_t dimension, VertexId base, std::uint64_t sum,
                   std::uint32_t left);
  void CollectBox(std::size_t dimension, VertexId base, std::uint64_t sum,
                  std::uint32_t shell, bool reached);
  void CollectAt(std::uint32_t shell, VertexId base, std::uint64_t sum);
  std::uint64_t LeastSumOutside();
  std::uint64_t LeastAmongLast() const;

  // The coordinates of an axis in the order of their shells around the centre.
  struct Reach {
    struct Coordinate {
      VertexId offset;    // coordinate times stride
      std::uint64_t sum;  // distance along the axis to the whole shells
    };
    std::vector<Coordinate> coordinates;
    std::vector<std::uint32_t> first;  // of each shell, and the end
  };

  const GridPlaces& places_;
  bool two_apart_;
  VertexId centre_ = 0;
  std::span<const std::uint32_t> at_;
  std::vector<std::uint32_t> last_of_axis_;  // last shell along each axis
  std::vector<std::uint32_t> shells_below_;  // sum of those before each axis
  bool complete_ = false;                    // the last shell has enough nodes
  NodeCount inner_count_ = 0;
  Collected collected_;
  std::vector<Reach> reach_;
  std::size_t found_ = 0;  // sites of the shell so far
  LeastSites least_sites_;
  std::vector<AxisWindow> windows_;
  std::vector<AxisWindow> last_windows_;
  std::vector<std::uint64_t> least_;  // scratch of LeastSumOutside
  std::vector<std::uint64_t> beyond_;
  std::vector<std::uint64_t> next_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_GRID_CENTRE_H_
