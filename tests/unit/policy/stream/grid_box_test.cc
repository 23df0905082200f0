// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/grid_box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "mesh_machine.h"
#include "policy/place_demand.h"
#include "policy/stream/last_surface.h"

namespace coolspan {
namespace {

// A question with random busy nodes, prepared for a search.
struct Prepared {
  Prepared(const Grid& grid, NodeCount nodes, std::mt19937& random)
      : machine(MeshMachine(grid)),
        table(grid),
        layout(table.axes),
        available(SomeOf(machine->node_count(), random)),
        required(0),
        sites(machine->topology(), {available, required, 0, nodes, 0}),
        places(PlacesOnGrid(table, ShellKind::kBox, sites)),
        stream(places, Costs()) {}

  static NodeSet SomeOf(NodeCount nodes, std::mt19937& random) {
    NodeSet set(nodes);
    for (NodeId node = 0; node < nodes; ++node) {
      if (random() % 3 != 0) set.Insert(node);
    }
    return set;
  }
  static StreamCosts Costs() {
    StreamCosts costs;
    costs.perimeter_weight = 0.3;
    return costs;
  }
  // The surface around the centre that the vertex is in.
  std::uint32_t SurfaceOf(const BoxShape& shape, VertexId centre,
                          VertexId vertex) const {
    std::uint32_t surface = 0;
    for (std::size_t d = 0; d < table.axes.size(); ++d) {
      if (shape.Covers(d)) continue;
      surface = std::max(surface, table.axes[d].ShellOf(places.At(centre)[d],
                                                        places.At(vertex)[d]));
    }
    return surface;
  }
  NodeCount FreeWithin(const BoxShape& shape, VertexId centre,
                       std::uint32_t radius) const {
    NodeCount nodes = 0;
    for (VertexId v = 0; v < sites.capacity.size(); ++v) {
      if (SurfaceOf(shape, centre, v) <= radius) nodes += sites.capacity[v];
    }
    return nodes;
  }
  // With coordinates 0 on all axes that the shape covers.
  bool IsCentre(const BoxShape& shape, VertexId vertex) const {
    for (std::size_t d = 0; d < table.axes.size(); ++d) {
      if (shape.Covers(d) && places.At(vertex)[d] > 0) return false;
    }
    return true;
  }
  // Calls visit(centre, shape) for each centre of a box.
  template <typename Visit>
  void ForEachCentre(const GridBox& box, Visit&& visit) const {
    for (std::uint32_t i = 0; i < box.shapes().size(); ++i) {
      for (VertexId v = 0; v < sites.capacity.size(); ++v) {
        if (IsCentre(box.shapes()[i], v)) {
          visit(GridBox::Centre{v, i}, box.shapes()[i]);
        }
      }
    }
  }

  std::shared_ptr<const Machine> machine;
  GridTable table;
  PrefixLayout layout;
  NodeSet available;
  NodeSet required;
  FreeSites sites;
  GridPlaces places;
  StreamGrid stream;
};

std::vector<Grid> Grids() {
  std::vector<Grid> grids = {FlatGrid({17}), FlatGrid({9, 8}),
                             TorusGrid({9, 8}), FlatGrid({6, 5, 4}),
                             TorusGrid({5, 4, 2, 3})};
  grids.push_back(grids[3]);
  grids.back().wrap[0] = true;
  grids.push_back(grids[2]);
  grids.back().nodes_per_vertex = 3;
  return grids;
}

TEST(GridBox, FactsEqualACountOfAllVertices) {
  std::mt19937 random(2);
  for (const Grid& grid : Grids()) {
    for (const NodeCount nodes : {1, 4, 9}) {
      const Prepared p(grid, nodes, random);
      GridBox box(p.stream, p.layout);
      const std::vector<NodeCount>& free = p.sites.capacity;
      p.ForEachCentre(box, [&](GridBox::Centre centre, const BoxShape& shape) {
        // Whatever the guess.
        const GridBox::Facts facts = box.Measure(centre, random() % 4);
        ASSERT_GE(p.FreeWithin(shape, centre.vertex, facts.radius), nodes);
        const NodeCount inner =
            facts.radius == 0
                ? 0
                : p.FreeWithin(shape, centre.vertex, facts.radius - 1);
        ASSERT_LT(inner, nodes);
        EXPECT_EQ(facts.missing, nodes - inner);
        std::uint64_t total = 0;
        for (VertexId a = 0; facts.radius > 0 && a < free.size(); ++a) {
          if (p.SurfaceOf(shape, centre.vertex, a) >= facts.radius) continue;
          for (VertexId b = 0; b < a; ++b) {
            if (p.SurfaceOf(shape, centre.vertex, b) >= facts.radius) continue;
            total += std::uint64_t{free[a]} * free[b] *
                     p.machine->topology().VertexDistance(a, b);
          }
        }
        EXPECT_EQ(facts.total, total);
      });
    }
  }
}

TEST(GridBox, LowerBoundsDoNotExceedTheScore) {
  std::mt19937 random(3);
  for (const Grid& grid : Grids()) {
    for (const NodeCount nodes : {2, 5, 8, 30}) {
      const Prepared p(grid, nodes, random);
      if (nodes >= p.sites.free_count) continue;
      GridBox box(p.stream, p.layout);
      LastSurface<std::int64_t> last(p.stream);
      p.ForEachCentre(box, [&](GridBox::Centre centre, const BoxShape&) {
        box.Measure(centre, 1);
        const std::int64_t bound = box.LowerBound();
        const std::int64_t of_listed = last.List(box);
        const std::int64_t score = last.Fill(LastSurface<std::int64_t>::kNever);
        EXPECT_LE(bound, score);
        EXPECT_LE(of_listed, score);
      });
    }
  }
}

// In three dimensions: boxes, beams along each axis, slabs across each.
TEST(GridBox, CoversAllAxesButOne) {
  const auto covered = [](const Grid& grid, std::uint64_t vertices) {
    std::vector<std::uint64_t> masks;
    for (const BoxShape& shape : ShapesOn(GridTable(grid).axes, vertices)) {
      masks.push_back(shape.covered);
    }
    return masks;
  };
  using Masks = std::vector<std::uint64_t>;
  EXPECT_EQ(covered(FlatGrid({9}), 9), Masks({0}));
  EXPECT_EQ(covered(FlatGrid({9, 8}), 9), Masks({0, 1, 2}));
  EXPECT_EQ(covered(FlatGrid({9, 8}), 8), Masks({0, 2}));
  EXPECT_EQ(covered(FlatGrid({9, 8}), 7), Masks({0}));
  EXPECT_EQ(covered(TorusGrid({4, 8, 5}), 40), Masks({0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(covered(TorusGrid({4, 8, 5}), 31), Masks({0, 1, 2, 4, 5}));
  EXPECT_EQ(covered(FlatGrid({4, 3, 5}), 60), Masks({0, 1, 4, 5}))
      << "boxes of radius 1 cover short axes";
}

}  // namespace
}  // namespace coolspan
