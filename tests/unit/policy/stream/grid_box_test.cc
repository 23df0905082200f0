// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/grid_box.h"

#include <gtest/gtest.h>

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
  NodeCount FreeWithin(VertexId centre, std::uint32_t radius) const {
    NodeCount nodes = 0;
    for (VertexId v = 0; v < sites.capacity.size(); ++v) {
      if (places.ShellOf(centre, v) <= radius) nodes += sites.capacity[v];
    }
    return nodes;
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
      for (VertexId v = 0; v < p.sites.capacity.size(); ++v) {
        if (p.sites.capacity[v] == 0) continue;
        // Whatever the guess.
        const GridBox::Facts facts = box.Measure(v, random() % 4);
        ASSERT_GE(p.FreeWithin(v, facts.radius), nodes);
        const NodeCount inner =
            facts.radius == 0 ? 0 : p.FreeWithin(v, facts.radius - 1);
        ASSERT_LT(inner, nodes);
        EXPECT_EQ(facts.missing, nodes - inner);
        std::uint64_t total = 0;
        for (VertexId a = 0; facts.radius > 0 && a < p.sites.capacity.size();
             ++a) {
          if (p.places.ShellOf(v, a) >= facts.radius) continue;
          for (VertexId b = 0; b < a; ++b) {
            if (p.places.ShellOf(v, b) >= facts.radius) continue;
            total += std::uint64_t{p.sites.capacity[a]} * p.sites.capacity[b] *
                     p.machine->topology().VertexDistance(a, b);
          }
        }
        EXPECT_EQ(facts.total, total);
      }
    }
  }
}

TEST(GridBox, LowerBoundsDoNotExceedTheScore) {
  std::mt19937 random(3);
  for (const Grid& grid : Grids()) {
    for (const NodeCount nodes : {2, 5, 8}) {
      const Prepared p(grid, nodes, random);
      GridBox box(p.stream, p.layout);
      LastSurface<std::int64_t> last(p.stream);
      for (VertexId v = 0; v < p.sites.capacity.size(); ++v) {
        if (p.sites.capacity[v] == 0) continue;
        box.Measure(v, 1);
        const std::int64_t bound = box.LowerBound();
        const std::int64_t of_listed = last.List(box);
        const std::int64_t score = last.Fill(LastSurface<std::int64_t>::kNever);
        EXPECT_LE(bound, score);
        EXPECT_LE(of_listed, score);
      }
    }
  }
}

}  // namespace
}  // namespace coolspan
