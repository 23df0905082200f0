// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/grid_box.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace coolspan {
namespace {

// Sums of pairs across one axis, by the left vertex of a pair, three in one
// number:
// - pairs of free nodes,
// - of these, pairs whose right vertex has no free node to its right,
// - pairs whose left vertex has none to its left.
// The last two are counted if no vertex has several nodes, and if there are
// fewer pairs than 2^kPairBits, at most one for each vertex.
constexpr int kPairBits = 20;

bool CountsEnds(const FreeSites& sites) {
  return sites.max_at_a_vertex == 1 &&
         sites.capacity.size() < (std::size_t{1} << kPairBits);
}

std::int64_t PairsAcross(const StreamGrid& grid, std::size_t d, VertexId v) {
  const std::vector<NodeCount>& free = grid.sites.capacity;
  const auto none = static_cast<VertexId>(free.size());
  const VertexId right = grid.places.NeighboursOf(v)[2 * d + 1];
  if (free[v] == 0 || right == none) return 0;
  const std::int64_t pairs = std::int64_t{free[v]} * free[right];
  if (pairs == 0 || !CountsEnds(grid.sites)) return pairs;
  const VertexId left = grid.places.NeighboursOf(v)[2 * d];
  const VertexId next = grid.places.NeighboursOf(right)[2 * d + 1];
  const std::int64_t right_end = next == none || free[next] == 0 ? 1 : 0;
  const std::int64_t left_end = left == none || free[left] == 0 ? 1 : 0;
  return pairs + (right_end << kPairBits) + (left_end << (2 * kPairBits));
}

// The least number of pairs between n vertices of an infinite grid and others:
// 2 ceil(2 sqrt(n)) in two dimensions (Harary, Harborth 1976), in d dimensions
// at least 2 d n^((d - 1) / d) by the inequality of Loomis and Whitney.
std::uint64_t MinCut(double nodes, double dimensions) {
  constexpr double kRounding = 1e-9;
  if (dimensions == 2) {
    return 2 * static_cast<std::uint64_t>(
                   std::ceil(2 * std::sqrt(nodes) - kRounding));
  }
  return static_cast<std::uint64_t>(std::ceil(
      2 * dimensions * std::pow(nodes, (dimensions - 1) / dimensions) -
      kRounding));
}

// The number of points of an integer grid at L1 distance `hops` from one of
// them.
std::uint64_t PointsAt(std::size_t dimensions, std::uint64_t hops) {
  if (hops == 0) return 1;
  if (dimensions == 0) return 0;
  if (dimensions == 1) return 2;
  if (dimensions == 2) return 4 * hops;
  std::uint64_t points = PointsAt(dimensions - 1, hops);
  for (std::uint64_t along = 1; along <= hops; ++along) {
    points += 2 * PointsAt(dimensions - 1, hops - along);
  }
  return points;
}

}  // namespace

std::vector<BoxShape> ShapesOn(const std::vector<GridAxis>& axes,
                               std::uint64_t vertices) {
  constexpr std::uint32_t kMinCovered = 4;
  const std::uint64_t all = (std::uint64_t{1} << axes.size()) - 1;
  std::vector<BoxShape> shapes;
  for (std::uint64_t covered = 0; covered < all; ++covered) {
    BoxShape shape{covered, axes};
    std::uint64_t places = 1;
    bool has_short = false;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      if (!shape.Covers(d)) continue;
      shape.axes[d].after = axes[d].extent - 1;
      places *= axes[d].extent;
      has_short = has_short || axes[d].extent < kMinCovered;
    }
    if (covered == 0 || (places <= vertices && !has_short)) {
      shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

GridBox::GridBox(const StreamGrid& grid, const PrefixLayout& layout)
    : grid_(grid),
      dimensions_(grid.places.axes.size()),
      shapes_(ShapesOn(grid.places.axes,
                       grid.sites.wanted / grid.sites.max_at_a_vertex)),
      free_(
          layout,
          [&](std::size_t v) { return std::int64_t{grid.sites.capacity[v]}; }),
      own_(layout,
           [&](std::size_t v) {
             return std::int64_t{grid.sites.capacity[v]} * grid.own_phi[v];
           }),
      walls_(layout,
             [&](std::size_t v) {
               const auto degree = static_cast<std::int64_t>(2 * dimensions_);
               return grid.sites.capacity[v] * (degree - grid.free_beside[v]);
             }),
      min_cut_(grid.sites.max_at_a_vertex == 1 && grid.sites.required.empty()
                   ? MinCut(grid.nodes, static_cast<double>(dimensions_))
                   : 0),
      ranges_(dimensions_),
      reach_(dimensions_),
      counts_(dimensions_),
      sums_(dimensions_),
      whole_box_(layout),
      box_(layout),
      outer_(layout) {
  pairs_.reserve(dimensions_);
  slices_.assign(dimensions_, BoxCorners(layout));
  for (const GridAxis& axis : grid.places.axes) {
    up_to_.resize(std::max<std::size_t>(up_to_.size(), axis.extent + 1));
  }
  for (std::size_t d = 0; d < dimensions_; ++d) {
    pairs_.emplace_back(layout, [&](std::size_t v) {
      return PairsAcross(grid, d, static_cast<VertexId>(v));
    });
    counts_[d].resize(grid.places.axes[d].extent);
    sums_[d].resize(grid.places.axes[d].extent);
  }
}

// Sets ranges_ and corners to the box of this radius; returns its free nodes.
NodeCount GridBox::CountWithin(std::uint32_t radius, BoxCorners& corners) {
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const GridAxis& axis = shape().axes[d];
    const std::uint32_t left = axis.ReachLeft(at_[d], radius);
    ranges_[d] = {axis.Left(at_[d], left),
                  left + 1 + axis.ReachRight(at_[d], radius)};
  }
  corners.Set(ranges_);
  return static_cast<NodeCount>(free_.Sum(corners));
}

const GridBox::Facts& GridBox::Measure(Centre centre, std::uint32_t radius) {
  const NodeCount wanted = grid_.sites.wanted;
  facts_.centre = centre;
  at_ = grid_.places.At(centre.vertex);
  NodeCount inner = 0;
  NodeCount count = CountWithin(radius, box_);
  if (count < wanted) {
    do {
      std::swap(whole_box_, box_);
      inner = count;
      count = CountWithin(++radius, box_);
    } while (count < wanted);
  } else {
    for (; radius > 0; --radius) {
      inner = CountWithin(radius - 1, whole_box_);
      if (inner < wanted) break;
      std::swap(whole_box_, box_);
      inner = 0;
    }
  }
  facts_ = {centre, radius, wanted - inner, 0, 0};
  SetReach();
  facts_.total = SumDistances();
  if (radius > 0) facts_.perimeter = PerimeterOfWhole();
  return facts_;
}

void GridBox::Return(const Facts& facts) {
  facts_ = facts;
  at_ = grid_.places.At(facts.centre.vertex);
  SetReach();
  SumDistances();
}

void GridBox::SetReach() {
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const GridAxis& axis = shape().axes[d];
    const std::uint32_t left = axis.ReachLeft(at_[d], facts_.radius);
    const std::uint32_t right = axis.ReachRight(at_[d], facts_.radius);
    Reach& reach = reach_[d];
    reach.start = axis.Left(at_[d], left);
    reach.length = left + 1 + right;
    reach.lead = 0;
    reach.whole = {reach.start, 0};
    if (facts_.radius > 0) {
      const std::uint32_t inner_left =
          axis.ReachLeft(at_[d], facts_.radius - 1);
      reach.lead = left - inner_left;
      reach.whole = {
          axis.Left(at_[d], inner_left),
          inner_left + 1 + axis.ReachRight(at_[d], facts_.radius - 1)};
    }
    ranges_[d] = reach.whole;
  }
}

// Returns the total pairwise distance of the nodes of the whole surfaces and
// the required ones.
std::uint64_t GridBox::SumDistances() {
  std::uint64_t total =
      grid_.places.required ? grid_.places.required->PairwiseTotal() : 0;
  for (std::size_t d = 0; d < dimensions_; ++d) total += SumAlong(d);
  return total;
}

// On a ring of L coordinates, the window's first `length` of them. A step to
// the right brings the nodes on the next L / 2 coordinates nearer, and takes
// the others away, but those of the one in the middle if L is odd. Returns the
// sum of counts * sums.
std::int64_t GridBox::SumOnRing(const GridAxis& axis, std::uint32_t length,
                                std::int64_t nodes, const std::int64_t* counts,
                                std::int64_t* sums) {
  const std::uint32_t extent = axis.extent;
  const std::uint32_t half = extent / 2;
  const auto count_at = [&](std::uint32_t i) {  // i < 2 * extent
    if (i >= extent) i -= extent;
    return i < length ? counts[i] : 0;
  };
  std::int64_t sum = 0;
  std::int64_t ahead = 0;  // nodes on the next half
  for (std::uint32_t i = 0; i < length; ++i) {
    sum += counts[i] * std::min(i, extent - i);
    if (i > 0 && i <= half) ahead += counts[i];
  }
  std::int64_t twice = 0;
  for (std::uint32_t i = 0;;) {
    sums[i] = sum;
    twice += counts[i] * sum;
    if (++i == length) return twice;
    const std::int64_t middle = extent % 2 == 1 ? count_at(i + half) : 0;
    sum += nodes - 2 * ahead - middle;
    ahead += count_at(i + half) - counts[i];
  }
}

// Along one axis: counts by coordinate from the prefix sums, then
//   s_{x+1} = s_x + 2 * (nodes up to x) - n,
// see SumOnRing where the window is longer than half of a ring.
std::uint64_t GridBox::SumAlong(std::size_t d) {
  const GridAxis& axis = grid_.places.axes[d];
  const Reach& reach = reach_[d];
  std::int64_t* const counts = counts_[d].data();
  std::int64_t* const sums = sums_[d].data();
  std::fill_n(counts, reach.length, 0);
  std::int64_t nodes = 0;
  std::int64_t moment = 0;
  if (reach.whole.count > 0) {
    slices_[d].SetWithout(ranges_, d);
    const std::uint32_t end = reach.whole.start + reach.whole.count;
    std::size_t i = reach.lead;
    // Around the end of a ring, two runs of coordinates.
    const auto count = [&](std::uint32_t from, std::uint32_t to) {
      const std::span<std::int64_t> up_to{up_to_.data(), to - from + 1};
      free_.SumsBefore(slices_[d], d, from, up_to);
      for (std::size_t j = 0; j + 1 < up_to.size(); ++j, ++i) {
        counts[i] = up_to[j + 1] - up_to[j];
        nodes += counts[i];
        moment += counts[i] * static_cast<std::int64_t>(i);
      }
    };
    count(reach.whole.start, std::min(end, axis.extent));
    if (end > axis.extent) count(0, end - axis.extent);
  }
  std::int64_t twice = 0;
  if (!axis.wrap || 2 * (reach.length - 1) <= axis.extent) {
    std::int64_t up_to = 0;
    for (std::uint32_t i = 0; i < reach.length; ++i) {
      sums[i] = moment;
      twice += counts[i] * moment;
      up_to += counts[i];
      moment += 2 * up_to - nodes;
    }
  } else {
    twice = SumOnRing(axis, reach.length, nodes, counts, sums);
  }
  auto total = static_cast<std::uint64_t>(twice / 2);
  if (!grid_.places.required) return total;
  std::uint32_t x = reach.start;
  for (std::uint32_t i = 0; i < reach.length; ++i) {
    const auto to_required =
        static_cast<std::int64_t>(grid_.places.required->Along(d, x));
    total += static_cast<std::uint64_t>(counts[i] * to_required);
    sums[i] += to_required;
    x = axis.Right(x, 1);
  }
  return total;
}

// Of the nodes of the whole surfaces: what they add of their own, and the pairs
// of free nodes across the surface of their box. Sets max_closed_.
std::int64_t GridBox::PerimeterOfWhole() {
  own_of_whole_ = own_.Sum(whole_box_);
  constexpr std::int64_t kMask = (std::int64_t{1} << kPairBits) - 1;
  const bool has_ends = CountsEnds(grid_.sites);
  std::int64_t all = 0;
  std::int64_t ends = 0;
  const auto add = [&](std::int64_t pairs, int shift) {
    all += has_ends ? pairs & kMask : pairs;
    ends += (pairs >> shift) & kMask;
  };
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const GridAxis& axis = grid_.places.axes[d];
    const AxisRange& whole = reach_[d].whole;
    if (whole.count == axis.extent) continue;
    add(pairs_[d].SumAt(slices_[d], d,
                        axis.Right(whole.start, whole.count - 1)),
        kPairBits);
    if (axis.wrap || whole.start > 0) {
      add(pairs_[d].SumAt(slices_[d], d, axis.Left(whole.start, 1)),
          2 * kPairBits);
    }
  }
  max_closed_ = has_ends && !ClosesRing() ? ends : all;
  return own_of_whole_ + kPhiUnit * all;
}

// A lower bound of the perimeter of all chosen nodes, by the larger of two:
// - Of the pairs that the whole surfaces have with free nodes, a node of the
//   last one closes at most one per node of a vertex; two where both sides of
//   a ring are near. If it has a free neighbour beyond, it adds as many.
// - The cut of n nodes is at least min_cut_; what of it is not to free nodes is
//   at walls and busy nodes.
std::int64_t GridBox::MinPerimeter() const {
  const std::int64_t missing = facts_.missing;
  std::int64_t own = 0;
  std::int64_t walls = 0;
  std::int64_t pairs = 0;
  if (facts_.radius > 0) {
    const std::int64_t closed =
        std::min(max_closed_, missing * grid_.sites.max_at_a_vertex *
                                  (ClosesRing() ? 2 : 1));
    own = own_of_whole_;
    walls = walls_.Sum(whole_box_);
    pairs = (facts_.perimeter - own) / kPhiUnit - closed;
  }
  if (min_cut_ > 0 && !CoversRing()) {
    const auto degree = static_cast<std::int64_t>(2 * dimensions_);
    const std::int64_t of_last =
        std::min(walls_.Sum(box_) - walls, missing * (degree - 1));
    pairs =
        std::max(pairs, static_cast<std::int64_t>(min_cut_) - walls - of_last);
  }
  return own + missing * grid_.min_own_phi + kPhiUnit * pairs;
}

// Whether the box reaches around the machine.
bool GridBox::CoversRing() const {
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const GridAxis& axis = grid_.places.axes[d];
    if (axis.wrap && reach_[d].length == axis.extent) return true;
  }
  return false;
}

// Whether the last surface does so, with both of its ends side by side.
bool GridBox::ClosesRing() const {
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const GridAxis& axis = grid_.places.axes[d];
    if (axis.wrap && !shape().Covers(d) && reach_[d].length == axis.extent) {
      return true;
    }
  }
  return false;
}

std::int64_t GridBox::LowerBound() {
  std::int64_t least = 0;
  std::int64_t detour = std::numeric_limits<std::int64_t>::max();
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const std::span<const std::int64_t> sums = this->sums(d);
    const std::int64_t min = *std::min_element(sums.begin(), sums.end());
    least += min;
    const Reach& reach = reach_[d];
    if (reach.lead > 0) detour = std::min(detour, sums.front() - min);
    if (reach.length > reach.lead + reach.whole.count) {
      detour = std::min(detour, sums.back() - min);
    }
  }
  // Nodes of the last surface are at an end of some axis.
  if (facts_.radius > 0) least += detour;
  const std::int64_t total =
      static_cast<std::int64_t>(facts_.total) + facts_.missing * least +
      static_cast<std::int64_t>(MinPairsOfLast(facts_.missing));
  return grid_.scale.per_hop * total + grid_.scale.per_phi * MinPerimeter();
}

// Whether the last surface has at most as many vertices within less than
// 2 * radius hops as a flat one of one dimension less: unless both of its ends
// on a ring are near.
bool GridBox::LastSurfaceIsFlat() const {
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const GridAxis& axis = grid_.places.axes[d];
    if (shape().Covers(d)) continue;
    if (axis.wrap && 2 * (reach_[d].length - 1) > axis.extent) return false;
  }
  return facts_.radius > 0;
}

// Each node has at most PointsAt(h) vertices at h hops, so the sum of its
// distances to the m - 1 others is at least that to the nearest ones; half the
// sum over all nodes.
std::uint64_t GridBox::MinPairsOfLast(NodeCount nodes) {
  const bool flat = LastSurfaceIsFlat();
  const std::uint32_t radius = flat ? facts_.radius : 0;
  if (min_pairs_.size() <= radius) min_pairs_.resize(radius + 1);
  std::vector<std::uint64_t>& table = min_pairs_[radius];
  if (table.empty()) {
    const NodeCount wanted = grid_.sites.wanted;
    table.reserve(wanted + 1);
    table.push_back(0);
    const std::size_t surface = flat ? dimensions_ - 1 : dimensions_;
    const std::uint64_t across = flat ? 2 * std::uint64_t{radius} : wanted;
    std::uint64_t hops = 0;
    std::uint64_t left = std::uint64_t{grid_.sites.max_at_a_vertex};
    std::uint64_t sum = 0;
    for (std::uint64_t m = 1; m <= wanted; ++m) {
      while (left == 0) {
        ++hops;
        left = hops >= across
                   ? wanted
                   : grid_.sites.max_at_a_vertex * PointsAt(surface, hops);
      }
      sum += hops;
      --left;
      table.push_back((m * sum + 1) / 2);
    }
  }
  return table[nodes];
}

bool GridBox::IsInOpenSpace(std::vector<std::uint32_t>& key) {
  if (!grid_.sites.required.empty()) return false;
  std::uint64_t volume = grid_.sites.max_at_a_vertex;
  for (const Reach& reach : reach_) volume *= reach.whole.count;
  if (grid_.sites.wanted - facts_.missing != volume) return false;
  key = {facts_.centre.shape, facts_.radius};
  volume = grid_.sites.max_at_a_vertex;
  const NodeCount free = CountWithin(facts_.radius + 1, outer_);
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const GridAxis& axis = shape().axes[d];
    volume *= ranges_[d].count;
    key.push_back(axis.ReachLeft(at_[d], facts_.radius + 1));
    key.push_back(axis.ReachRight(at_[d], facts_.radius + 1));
  }
  return free == volume && own_.Sum(outer_) == 0;
}

}  // namespace coolspan
