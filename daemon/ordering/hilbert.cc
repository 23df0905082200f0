// SPDX-License-Identifier: GPL-3.0-or-later
#include "ordering/hilbert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

// How the curve is built.
//
// The recursive problem: walk all vertices of a box in steps of one hop from
// one corner to another. By reflection the walk starts at the low corner, so a
// problem is (extents, exit); `exit` is the set of axes on which the last
// vertex is on the far side.
//
// Parity decides which exits are possible. Colour the vertices like a
// chessboard; a walk alternates colours. If some extent is even, both colours
// are equally frequent, so the ends must differ in colour: the exit must
// contain an odd number of even axes. If all extents are odd, all corners have
// the more frequent colour and any exit other than the entry is possible. A
// line can only be walked to its other end.
//
// A box is halved along several axes at once. The parts form a hypercube, and
// are visited along a Hamiltonian path of it (the Gray code, for an exit on one
// axis) that leads from the part of the entry to that of the exit, which takes
// an odd number of halved axes in the exit. The axes halved are those that
// leave the parts closest to cubes, hence all of them in a cube (Hilbert's
// construction) and the long ones alone in an elongated box. The halves are
// even if the extent allows, so that odd boxes stay rare.
//
// The corners at which the walk passes from part to part come from a shortest
// path over (part, entry corner); the cost of a part is its volume times the
// elongation of its own parts, for the best halving its exit allows. If no walk
// exists for the best halving, the next one is tried. Some halving always
// works: with extents cut into (1, 1), (2, 1), (even, even) or (even, odd) it
// only matters whether each extent is 2, 3, larger and even, or larger and odd,
// and every such box of up to 6 dimensions has been tested with every exit.
//
// There are few distinct boxes, a few sizes per axis and level. Their plans are
// stored, so the vertices of a large mesh are only written out.
//
// Axes with at most two hops between any two vertices (2 or 3 vertices, 4 or 5
// in a ring) are too short to fold. They are removed first and form a fibre at
// each vertex of the remaining core, walked forwards and backwards alternately.
// That is what a snake does with its first axes, and it is very local (a rank
// difference of 3 is often one hop); the curve of the core is at least as local
// as the snake's.

namespace coolspan {
namespace {

constexpr std::size_t kMaxAxes = 6;
constexpr std::size_t kAxisSets = std::size_t{1} << kMaxAxes;
constexpr double kUnreachable = std::numeric_limits<double>::infinity();

// Bit i stands for axis i. A corner is the set of axes on which it is on the
// far side.
using AxisSet = std::uint32_t;
using Extents = std::array<std::uint32_t, kMaxAxes>;
using Strides = std::array<std::uint32_t, kMaxAxes>;

constexpr bool Has(AxisSet set, std::size_t axis) {
  return (set >> axis & 1U) != 0;
}

constexpr bool IsOdd(AxisSet set) { return std::popcount(set) % 2 != 0; }

// In ascending order.
std::vector<AxisSet> SubsetsOf(AxisSet axes) {
  std::vector<AxisSet> subsets = {0};
  while (subsets.back() != axes) {
    subsets.push_back((subsets.back() - axes) & axes);
  }
  return subsets;
}

template <typename Predicate>
AxisSet AxesWhere(const Extents& extents, Predicate holds) {
  AxisSet axes = 0;
  for (std::size_t i = 0; i < kMaxAxes; ++i) {
    if (holds(extents[i])) axes |= AxisSet{1} << i;
  }
  return axes;
}

AxisSet WideAxes(const Extents& extents) {
  return AxesWhere(extents, [](std::uint32_t n) { return n > 1; });
}

double Volume(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), 1.0,
                         [](double v, std::uint32_t n) { return v * n; });
}

// Whether a one-hop walk of the box leads from the low corner to `exit`, a
// subset of the wide axes.
bool WalkExists(const Extents& extents, AxisSet exit) {
  const AxisSet wide = WideAxes(extents);
  if (std::popcount(wide) <= 1) return exit == wide;
  const AxisSet even =
      AxesWhere(extents, [](std::uint32_t n) { return n % 2 == 0; });
  return even == 0 ? exit != 0 : IsOdd(exit & even);
}

// The lower part of a halved extent: even where both parts can be.
constexpr std::uint32_t LowerHalf(std::uint32_t extent) {
  return extent == 2 ? 1 : (extent + 2) / 4 * 2;
}

// How elongated the box is after halving `axes`: the arithmetic over the
// geometric mean of its extents, to the power of their number; 1 for cubes.
double Elongation(const Extents& extents, AxisSet axes) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < kMaxAxes; ++i) {
    if (extents[i] == 1) continue;
    sum += extents[i] * (Has(axes, i) ? 0.5 : 1.0);
    ++count;
  }
  double stretch = 1;
  for (std::size_t i = 0; i < kMaxAxes; ++i) {
    if (extents[i] == 1) continue;
    stretch *= sum / count / (extents[i] * (Has(axes, i) ? 0.5 : 1.0));
  }
  return stretch;
}

struct Split {
  AxisSet axes;
  double stretch;
};

// All ways to halve the box, least elongated parts first.
std::vector<Split> RankSplits(const Extents& extents) {
  std::vector<Split> splits;
  for (const AxisSet axes : SubsetsOf(WideAxes(extents))) {
    if (axes != 0) splits.push_back({axes, Elongation(extents, axes)});
  }
  std::stable_sort(
      splits.begin(), splits.end(),
      [](const Split& a, const Split& b) { return a.stretch < b.stretch; });
  return splits;
}

// Appends the corners of the hypercube spanned by `axes`, neighbour to
// neighbour, from `from` to `to`. REQUIRES that these differ on an odd number
// of axes, or that there is none.
void AppendHypercubeWalk(AxisSet axes, AxisSet from, AxisSet to,
                         std::vector<AxisSet>& walk) {
  if (axes == 0) {
    walk.push_back(from);
    return;
  }
  const AxisSet crossed = std::bit_floor(from ^ to);
  const AxisSet rest = axes & ~crossed;
  const AxisSet turn = from ^ (rest & ~(rest - 1));
  AppendHypercubeWalk(rest, from, turn, walk);
  AppendHypercubeWalk(rest, turn ^ crossed, to, walk);
}

struct Plan;

struct Part {
  const Plan* plan;
  Extents offset;
  AxisSet entry;
};

// A walk from the low corner; a single vertex if there are no parts.
struct Plan {
  Extents extents;
  std::vector<Part> parts;
};

// A part of a box with its entry and exit, before its own walk is planned.
struct Leg {
  Extents offset;
  Extents extents;
  AxisSet entry = 0;
  AxisSet exit = 0;  // relative to the entry
};

// The parts of the box halved along `axes`, in the order of the walk.
std::vector<Leg> Halve(const Extents& extents, AxisSet axes, AxisSet exit) {
  std::vector<AxisSet> walk;
  AppendHypercubeWalk(axes, 0, exit & axes, walk);
  std::vector<Leg> legs;
  legs.reserve(walk.size());
  for (const AxisSet upper : walk) {
    Leg& leg = legs.emplace_back(Leg{{}, extents});
    for (std::size_t i = 0; i < kMaxAxes; ++i) {
      if (!Has(axes, i)) continue;
      const std::uint32_t lower_half = LowerHalf(extents[i]);
      leg.offset[i] = Has(upper, i) ? lower_half : 0;
      leg.extents[i] = Has(upper, i) ? extents[i] - lower_half : lower_half;
    }
  }
  return legs;
}

// The axis along which the walk steps from one leg to the next, and the side of
// the leg it leaves by: that axis or nothing. After the last leg both are 0.
struct Crossing {
  AxisSet axis = 0;
  AxisSet side = 0;
};

Crossing CrossingAfter(const std::vector<Leg>& legs, std::size_t j) {
  Crossing crossing;
  if (j + 1 == legs.size()) return crossing;
  for (std::size_t i = 0; i < kMaxAxes; ++i) {
    const std::uint32_t here = legs[j].offset[i];
    const std::uint32_t next = legs[j + 1].offset[i];
    if (here != next) crossing.axis = AxisSet{1} << i;
    if (here < next) crossing.side = AxisSet{1} << i;
  }
  return crossing;
}

// The cheapest way to a corner of a leg, and where it entered the leg before.
struct Arrival {
  double cost = kUnreachable;
  AxisSet previous_entry = 0;
};

// By corner.
using Arrivals = std::array<Arrival, kAxisSets>;

class Planner {
 public:
  // The box's cheapest exit, the lowest axes first.
  AxisSet BestExit(const Extents& extents) {
    AxisSet best = 0;
    double best_cost = kUnreachable;
    for (const AxisSet exit : SubsetsOf(WideAxes(extents))) {
      const double cost = Cost(extents, exit);
      if (cost < best_cost) {
        best = exit;
        best_cost = cost;
      }
    }
    return best;
  }

  // REQUIRES WalkExists(extents, exit). The plan lives as long as the planner.
  const Plan* PlanFor(const Extents& extents, AxisSet exit) {
    const auto [entry, is_new] =
        plans_.try_emplace({extents, exit}, Plan{extents, {}});
    Plan& plan = entry->second;
    if (!is_new) return &plan;
    for (const Leg& leg : Connect(extents, exit)) {
      plan.parts.push_back(
          {PlanFor(leg.extents, leg.exit), leg.offset, leg.entry});
    }
    return &plan;
  }

 private:
  const std::vector<Split>& SplitsOf(const Extents& extents) {
    const auto [entry, is_new] = splits_.try_emplace(extents);
    if (is_new) entry->second = RankSplits(extents);
    return entry->second;
  }

  // Exits on one axis are preferred where splits are equally good.
  double Cost(const Extents& extents, AxisSet exit) {
    constexpr double kPerAxis = 1e-3;
    if (!WalkExists(extents, exit)) return kUnreachable;
    if (exit == 0) return 0;
    const std::vector<Split>& splits = SplitsOf(extents);
    const auto best = std::find_if(
        splits.begin(), splits.end(),
        [exit](const Split& split) { return IsOdd(exit & split.axes); });
    return Volume(extents) * (best->stretch + kPerAxis * std::popcount(exit));
  }

  // The legs of the best split that allows a walk. Empty for a single vertex.
  std::vector<Leg> Connect(const Extents& extents, AxisSet exit) {
    for (const Split& split : SplitsOf(extents)) {
      if (!IsOdd(exit & split.axes)) continue;
      std::vector<Leg> legs = Halve(extents, split.axes, exit);
      if (Lead(extents, exit, legs)) return legs;
    }
    return {};
  }

  // Chooses entry and exit of each leg so that each exit is next to the
  // following entry. Returns false if that is impossible.
  bool Lead(const Extents& extents, AxisSet exit, std::vector<Leg>& legs) {
    const std::vector<AxisSet> corners = SubsetsOf(WideAxes(extents));
    std::vector<Arrivals> arrivals(legs.size() + 1);
    arrivals[0][0].cost = 0;
    for (std::size_t j = 0; j < legs.size(); ++j) {
      Pass(legs[j].extents, corners, CrossingAfter(legs, j), arrivals[j],
           arrivals[j + 1]);
    }
    if (arrivals.back()[exit].cost == kUnreachable) return false;
    AxisSet corner = exit;
    for (std::size_t j = legs.size(); j-- > 0;) {
      const AxisSet out = corner ^ CrossingAfter(legs, j).axis;
      corner = arrivals[j + 1][corner].previous_entry;
      legs[j].entry = corner;
      legs[j].exit = (corner ^ out) & WideAxes(legs[j].extents);
    }
    return true;
  }

  // Computes the arrivals at the next leg. On axes where the leg has extent 1,
  // both sides are the same vertex, so changing sides costs nothing.
  void Pass(const Extents& leg, const std::vector<AxisSet>& corners,
            Crossing crossing, const Arrivals& here, Arrivals& next) {
    const AxisSet wide = WideAxes(leg);
    std::array<double, kAxisSets> cost;
    for (const AxisSet turned : corners) {
      cost[turned] = Cost(leg, turned & wide);
    }
    for (const AxisSet in : corners) {
      if (here[in].cost == kUnreachable) continue;
      for (const AxisSet out : corners) {
        if ((out & crossing.axis) != crossing.side) continue;
        Arrival& arrival = next[out ^ crossing.axis];
        const double next_cost = here[in].cost + cost[in ^ out];
        if (next_cost < arrival.cost) arrival = {next_cost, in};
      }
    }
  }

  std::map<std::pair<Extents, AxisSet>, Plan> plans_;
  std::map<Extents, std::vector<Split>> splits_;
};

// Appends the ids along `plan`, walked from corner `entry`. lowest: the
// smallest id in the box.
void AppendWalk(const Plan& plan, const Strides& strides, std::uint32_t lowest,
                AxisSet entry, std::vector<std::uint32_t>& ids) {
  if (plan.parts.empty()) {
    ids.push_back(lowest);
    return;
  }
  for (const Part& part : plan.parts) {
    std::uint32_t part_lowest = lowest;
    for (std::size_t i = 0; i < kMaxAxes; ++i) {
      const std::uint32_t mirrored =
          plan.extents[i] - part.plan->extents[i] - part.offset[i];
      part_lowest += strides[i] * (Has(entry, i) ? mirrored : part.offset[i]);
    }
    AppendWalk(*part.plan, strides, part_lowest, entry ^ part.entry, ids);
  }
}

std::vector<std::uint32_t> WalkCore(const Extents& extents,
                                    const Strides& strides) {
  Planner planner;
  const Plan* plan = planner.PlanFor(extents, planner.BestExit(extents));
  std::vector<std::uint32_t> ids;
  ids.reserve(static_cast<std::size_t>(Volume(extents)));
  AppendWalk(*plan, strides, 0, 0, ids);
  return ids;
}

// An axis of the fibre.
struct ShortAxis {
  std::size_t axis;
  std::uint32_t extent;
  // Mean distance of two vertices. For rings pairs of a vertex with itself are
  // included, which puts rings of 3 and 5 before lines of 2 and 3.
  double mean_hops;

  // Whether this axis is walked inside the other.
  bool operator<(const ShortAxis& other) const {
    return mean_hops != other.mean_hops ? mean_hops < other.mean_hops
                                        : extent > other.extent;
  }
};

std::vector<ShortAxis> ShortAxes(const Extents& extents, AxisSet rings) {
  std::vector<ShortAxis> axes;
  for (std::size_t i = 0; i < kMaxAxes; ++i) {
    const double n = extents[i];
    const bool ring = Has(rings, i) && extents[i] >= 3;
    if (extents[i] < 2 || extents[i] > (ring ? 5U : 3U)) continue;
    const double ring_hops = std::floor(n / 2) * std::ceil(n / 2) / n;
    axes.push_back({i, extents[i], ring ? ring_hops : (n + 1) / 3});
  }
  std::stable_sort(axes.begin(), axes.end());
  return axes;
}

// Walks the short axes back and forth and removes them from `extents`.
std::vector<std::uint32_t> TakeFibre(Extents& extents, const Strides& strides,
                                     AxisSet rings) {
  std::vector<std::uint32_t> ids = {0};
  for (const ShortAxis& axis : ShortAxes(extents, rings)) {
    const std::size_t layer = ids.size();
    for (std::uint32_t k = 1; k < axis.extent; ++k) {
      for (std::size_t back = 1; back <= layer; ++back) {
        ids.push_back(ids[k * layer - back] + strides[axis.axis]);
      }
    }
    extents[axis.axis] = 1;
  }
  return ids;
}

}  // namespace

std::vector<std::uint32_t> HilbertOrder(std::span<const std::uint32_t> dims,
                                        const std::vector<bool>& wrap) {
  assert(!dims.empty() && dims.size() <= kMaxAxes);
  assert(wrap.empty() || wrap.size() == dims.size());
  Extents extents;
  extents.fill(1);
  std::copy(dims.begin(), dims.end(), extents.begin());
  Strides strides;
  std::exclusive_scan(extents.begin(), extents.end(), strides.begin(),
                      std::uint32_t{1}, std::multiplies<>());

  AxisSet rings = 0;
  for (std::size_t i = 0; i < wrap.size(); ++i) {
    if (wrap[i]) rings |= AxisSet{1} << i;
  }
  std::vector<std::uint32_t> fibre = TakeFibre(extents, strides, rings);
  const std::vector<std::uint32_t> core = WalkCore(extents, strides);
  std::vector<std::uint32_t> order;
  order.reserve(core.size() * fibre.size());
  for (const std::uint32_t vertex : core) {
    for (const std::uint32_t offset : fibre) order.push_back(vertex + offset);
    std::reverse(fibre.begin(), fibre.end());
  }
  return order;
}

}  // namespace coolspan
