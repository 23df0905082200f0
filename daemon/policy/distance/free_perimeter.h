// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_DISTANCE_FREE_PERIMETER_H_
#define COOLSPAN_POLICY_DISTANCE_FREE_PERIMETER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "policy/distance/axis_sums.h"
#include "policy/distance/grid_places.h"
#include "policy/distance/last_shell.h"

namespace coolspan {

// The free perimeter of a set of nodes on a grid: pairs of a vertex of the set
// and a neighbour of it that still has free nodes. Sets with a small one leave
// fewer fragments for later jobs. Not thread-safe: one per thread.
class FreePerimeter {
 public:
  // places must outlive this.
  explicit FreePerimeter(const GridPlaces& places);

  // Neighbours of the vertex with free nodes.
  std::uint32_t FreeBeside(VertexId vertex) const;
  // The perimeter of the required nodes and these.
  std::uint64_t Of(std::span<const VertexNodes> chosen);

  // Takes `nodes` nodes of the last shell, vertex by vertex: each time the one
  // with the fewest free neighbours, ties: the smallest sum of distances to all
  // nodes taken so far, then the smallest vertex. windows: by axis, over all
  // coordinates of the sites, with the sums of distances to the whole shells
  // and the required nodes; those to the nodes taken are added. Sets taken to
  // the sites, with their sums when they were taken, and returns the perimeter
  // of all nodes. REQUIRES that the sites have that many nodes.
  std::uint64_t Fill(std::span<const VertexNodes> whole,
                     std::span<const ShellSite> sites, NodeCount nodes,
                     std::span<AxisWindow> windows,
                     std::vector<ShellSite>& taken);

 private:
  void Begin(std::span<const VertexNodes> whole);
  void Take(VertexId vertex, NodeCount count);
  // Adds up and forgets the set.
  std::uint64_t End();
  void SetSites(std::span<const ShellSite> sites);
  // The best of the sites that are left, with its sum.
  std::size_t NextSite(std::span<const AxisWindow> windows);
  void RemoveSite(std::size_t index);  // the last site takes its place

  static constexpr std::uint32_t kNoSite = 0xFFFFFFFF;

  const GridPlaces& places_;
  std::vector<NodeCount> taken_at_;   // by vertex, without required nodes
  std::vector<std::uint8_t> in_set_;  // by vertex
  // By vertex: 1 if it still has free nodes; then 0 for no vertex.
  std::vector<std::uint8_t> has_free_;
  std::vector<VertexId> set_;
  // The sites of Fill that are left, their free neighbours, and by vertex the
  // index of its site or kNoSite.
  std::vector<ShellSite> sites_;
  std::vector<std::uint32_t> free_beside_;
  std::vector<std::uint32_t> site_at_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_DISTANCE_FREE_PERIMETER_H_
