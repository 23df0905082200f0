// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_GRID_BOX_H_
#define COOLSPAN_POLICY_STREAM_GRID_BOX_H_

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "policy/stream/box_sums.h"
#include "policy/stream/stream_grid.h"

namespace coolspan {

// Boxes that grow around centres. Some axes are covered by all of them: what
// remains is a slab, a beam or, with no axis covered, a box around a vertex.
struct BoxShape {
  std::uint64_t covered = 0;   // by bit
  std::vector<GridAxis> axes;  // shell 0 is what a box of radius 0 has

  bool Covers(std::size_t d) const { return ((covered >> d) & 1) != 0; }
};

// The shapes of boxes for a number of vertices, that without covered axes
// first. The covered axes have at least four coordinates, as boxes of radius 1
// cover shorter ones, and at most as many places together as vertices.
std::vector<BoxShape> ShapesOn(const std::vector<GridAxis>& axes,
                               std::uint64_t vertices);

// The whole box surfaces around one centre: those that fit before the last one,
// of which only a part is taken. All in time that depends on the extents of the
// box, not on its nodes. Reused for one centre after another.
class GridBox {
 public:
  // What a box grows around. The coordinates of the vertex are 0 on covered
  // axes.
  struct Centre {
    VertexId vertex = 0;
    std::uint32_t shape = 0;  // index of shapes()

    friend bool operator<(const Centre& a, const Centre& b) {
      return std::tie(a.vertex, a.shape) < std::tie(b.vertex, b.shape);
    }
  };
  // The coordinates of one axis that the box covers, the last surface included.
  struct Reach {
    AxisRange whole;      // of the whole surfaces; count 0: none
    std::uint32_t start;  // with the last surface
    std::uint32_t length;
    std::uint32_t lead;  // coordinates before `whole`
  };
  // What is found out about a centre.
  struct Facts {
    Centre centre;
    std::uint32_t radius = 0;    // of the last surface
    NodeCount missing = 0;       // nodes to take of it
    std::uint64_t total = 0;     // pairwise: whole surfaces, required nodes
    std::int64_t perimeter = 0;  // of the whole surfaces, in kPhiUnit
  };

  // The arguments must outlive this.
  GridBox(const StreamGrid& grid, const PrefixLayout& layout);

  const std::vector<BoxShape>& shapes() const { return shapes_; }

  // Finds the box around a centre. radius: a guess.
  const Facts& Measure(Centre centre, std::uint32_t radius);
  // Sets reach() and sums() again for a centre that was measured.
  void Return(const Facts& facts);

  const Facts& facts() const { return facts_; }
  const Reach& reach(std::size_t d) const { return reach_[d]; }
  // By coordinate of the reach: sum of distances along the axis to the nodes of
  // the whole surfaces and the required ones.
  std::span<const std::int64_t> sums(std::size_t d) const {
    return {sums_[d].data(), reach_[d].length};
  }

  // A lower bound of the score of all sets with the whole surfaces and nodes of
  // the last one. REQUIRES Measure.
  std::int64_t LowerBound();
  // A lower bound of the total pairwise distance of nodes of the last surface.
  std::uint64_t MinPairsOfLast(NodeCount nodes);
  // Whether the centre lies so far inside a free part of the machine that its
  // score depends on its distance to the walls only. Sets key then.
  bool IsInOpenSpace(std::vector<std::uint32_t>& key);

 private:
  NodeCount CountWithin(std::uint32_t radius, BoxCorners& corners);
  void SetReach();
  std::uint64_t SumDistances();
  std::uint64_t SumAlong(std::size_t d);
  std::int64_t SumOnRing(const GridAxis& axis, std::uint32_t length,
                         std::int64_t nodes, const std::int64_t* counts,
                         std::int64_t* sums);
  std::int64_t PerimeterOfWhole();
  std::int64_t MinPerimeter() const;
  const BoxShape& shape() const { return shapes_[facts_.centre.shape]; }
  bool CoversRing() const;
  bool ClosesRing() const;
  bool LastSurfaceIsFlat() const;

  const StreamGrid& grid_;
  const std::size_t dimensions_;
  const std::vector<BoxShape> shapes_;
  BoxSums free_;
  BoxSums own_;                 // free nodes * own_phi
  BoxSums walls_;               // neighbours of free vertices that are not free
  std::vector<BoxSums> pairs_;  // by axis, see PairsAcross
  std::uint64_t min_cut_;       // of any set of nodes in an infinite free grid

  Facts facts_;
  std::span<const std::uint32_t> at_;
  std::vector<AxisRange> ranges_;
  std::vector<Reach> reach_;
  std::vector<std::vector<std::int64_t>> counts_;  // by axis, whole surfaces
  std::vector<std::vector<std::int64_t>> sums_;
  BoxCorners whole_box_;             // REQUIRES radius > 0
  BoxCorners box_;                   // with the last surface
  BoxCorners outer_;                 // with one more
  std::vector<BoxCorners> slices_;   // by axis: whole_box_ without it
  std::vector<std::int64_t> up_to_;  // scratch
  std::int64_t own_of_whole_ = 0;
  // Pairs of free nodes across the surface of the box that taking nodes of the
  // last surface can close without adding as many.
  std::int64_t max_closed_ = 0;
  // By radius (0: where the last surface is not flat), then nodes.
  std::vector<std::vector<std::uint64_t>> min_pairs_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_GRID_BOX_H_
