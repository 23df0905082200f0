// SPDX-License-Identifier: GPL-3.0-or-later
// The search of the policy coolspan on grids finds a set of the score that its
// definition has (naive_stream.h); bounds and short cuts do not change it.
#include "policy/stream/grid_stream.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "draw_grid.h"
#include "mesh_machine.h"
#include "naive_stream.h"
#include "policy/place_demand.h"
#include "sanitized.h"

namespace coolspan {
namespace {

struct Case {
  Grid grid;
  NodeSet available;
  NodeSet required;
  NodeCount nodes = 0;
  StreamCosts costs;
};

std::string Describe(const Case& c) {
  std::ostringstream out;
  out << "dims";
  for (std::size_t d = 0; d < c.grid.dims.size(); ++d) {
    out << ' ' << c.grid.dims[d] << (c.grid.wrap[d] ? "w" : "");
  }
  out << " x" << c.grid.nodes_per_vertex << ", " << c.grid.holes.size()
      << " holes, weight " << c.costs.perimeter_weight
      << (c.costs.busy_phi.empty() ? "" : " with phi") << ", " << c.nodes
      << " of";
  for (const NodeId node : c.available.Members()) out << ' ' << node;
  out << ", required";
  for (const NodeId node : c.required.Members()) out << ' ' << node;
  return out.str();
}

StreamCosts DrawCosts(const Topology& topology, const NodeSet& available,
                      std::mt19937& random) {
  constexpr double kWeights[] = {0, 0.01, 0.1, 0.37, 1, 5};
  StreamCosts costs;
  costs.perimeter_weight = kWeights[random() % std::size(kWeights)];
  if (random() % 2 == 0) return costs;
  costs.busy_phi.assign(topology.vertex_count(), 0);
  // Now and then far more than free neighbours count.
  constexpr std::uint32_t kMaxPhiOfNode[] = {1, 2, 1000};
  const std::uint32_t most =
      kMaxPhiOfNode[random() % std::size(kMaxPhiOfNode)] * kPhiUnit;
  for (NodeId node = 0; node < available.size(); ++node) {
    if (available.Contains(node) || random() % 4 == 0) continue;
    costs.busy_phi[topology.VertexOf(node)] +=
        static_cast<std::int32_t>(random() % (most + 1));
  }
  return costs;
}

// A question that needs a search; nullopt: too few free nodes were drawn.
std::optional<Case> Draw(const Grid& grid, const Topology& topology,
                         NodeCount max_nodes, std::mt19937& random) {
  const NodeCount all = topology.node_count();
  Case c{grid, NodeSet(all), NodeSet(all), 0, {}};
  // Free space in pieces: runs of busy nodes, or single ones.
  const auto busy_in_ten = static_cast<std::uint32_t>(random() % 9);
  const std::uint32_t run = random() % 2 == 0 ? 1 : 7;
  for (NodeId node = 0; node < all; node += run) {
    if (random() % 10 < busy_in_ten) continue;
    for (NodeId i = node; i < std::min(all, node + run); ++i) {
      c.available.Insert(i);
    }
  }
  const NodeCount free = c.available.Count();
  NodeCount required = 0;
  const bool requires_some = random() % 4 == 0;
  for (const NodeId node : c.available.Members()) {
    if (requires_some && random() % 8 == 0 && required + 2 < free) {
      c.required.Insert(node);
      ++required;
    }
  }
  if (free < required + 2) return std::nullopt;
  c.nodes = required + 1 +
            static_cast<NodeCount>(
                random() % std::min<NodeCount>(free - required - 1, max_nodes));
  c.costs = DrawCosts(topology, c.available, random);
  return c;
}

std::vector<NodeCount> ByVertex(const std::vector<VertexNodes>& chosen,
                                std::size_t vertices) {
  std::vector<NodeCount> nodes(vertices, 0);
  for (const VertexNodes& site : chosen) nodes[site.vertex] += site.count;
  return nodes;
}

testing::AssertionResult FindsTheDefinition(const Case& c,
                                            const Topology& topology) {
  const Choice choice{c.available, c.required, c.required.Count(), c.nodes, 0};
  const FreeSites sites(topology, choice);
  const GridTable table(c.grid);
  const PrefixLayout layout(table.axes);
  const GridPlaces places = PlacesOnGrid(table, ShellKind::kBox, sites);
  const StreamGrid grid(places, c.costs);
  const NaiveStream naive(topology, sites, grid.scale, c.costs.busy_phi);
  Budget budget;
  const StreamFound found = SearchGridForStream(grid, layout, budget);
  const std::vector<NodeCount> chosen =
      ByVertex(found.chosen, sites.capacity.size());
  const NaiveStream::Found best = naive.Search();
  const auto failure = [&c] {
    return testing::AssertionFailure() << Describe(c) << ": ";
  };
  if (naive.ScoreOf(chosen) != best.score) {
    return failure() << "score of the nodes " << naive.ScoreOf(chosen) << " at "
                     << found.centre << ", best " << best.score << " at "
                     << best.centre;
  }
  if (found.score != static_cast<double>(best.score) / grid.scale.unit) {
    return failure() << "reported score " << found.score * grid.scale.unit
                     << ", best " << best.score;
  }
  // A single node is chosen by its perimeter, whatever the weight.
  if (grid.nodes == 1) return testing::AssertionSuccess();
  if (found.centre != best.centre) {
    return failure() << "centre " << found.centre << ", best " << best.centre;
  }
  if (chosen != best.chosen) return failure() << "other nodes";
  return testing::AssertionSuccess();
}

RC_GTEST_PROP(GridStream, EqualsItsDefinition, ()) {
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  for (int i = 0; i < Rounds(8, 2); ++i) {
    const Grid grid = DrawGrid({30, 9, 5, 3}, random);
    const auto machine = MeshMachine(grid);
    const auto c = Draw(grid, machine->topology(), 40, random);
    if (!c) continue;
    const auto result = FindsTheDefinition(*c, machine->topology());
    if (!result) RC_FAIL(result.message());
  }
}

// Large enough for open space, tight bounds and boxes that meet both ends of a
// ring.
TEST(GridStream, EqualsItsDefinitionOnLargerMachines) {
  std::mt19937 random(5);
  std::vector<Grid> grids = {FlatGrid({16, 8}), TorusGrid({12, 11}),
                             FlatGrid({8, 7, 6}), TorusGrid({7, 6, 5}),
                             TorusGrid({5, 4, 2, 3, 2})};
  grids.push_back(grids[2]);
  grids.back().wrap[1] = true;
  for (const Grid& grid : grids) {
    const auto machine = MeshMachine(grid);
    for (int i = 0; i < Rounds(8, 1); ++i) {
      const auto c = Draw(grid, machine->topology(), 90, random);
      if (!c) continue;
      EXPECT_TRUE(FindsTheDefinition(*c, machine->topology()));
    }
  }
}

// A search answers with any budget, and gives the same answer each time.
TEST(GridStream, AnswersWithinAnyBudget) {
  std::mt19937 random(7);
  const Grid grid = FlatGrid({20, 11, 9});
  const auto machine = MeshMachine(grid);
  const GridTable table(grid);
  const PrefixLayout layout(table.axes);
  Case c{grid, NodeSet(machine->node_count()), NodeSet(0), 60, {}};
  for (NodeId node = 0; node < machine->node_count(); ++node) {
    if (random() % 3 != 0) c.available.Insert(node);
  }
  c.costs.perimeter_weight = 0.2;
  const FreeSites sites(machine->topology(),
                        {c.available, c.required, 0, c.nodes, 0});
  const GridPlaces places = PlacesOnGrid(table, ShellKind::kBox, sites);
  const StreamGrid prepared(places, c.costs);
  Budget unlimited;
  const StreamFound best = SearchGridForStream(prepared, layout, unlimited);
  double last = 0;
  for (std::uint64_t work = 0; work < 1'000'000'000; work = 3 * work + 1) {
    Budget budget(work);
    Budget again(work);
    const StreamFound found = SearchGridForStream(prepared, layout, budget);
    NodeCount nodes = 0;
    for (const VertexNodes& site : found.chosen) nodes += site.count;
    EXPECT_EQ(nodes, c.nodes);
    EXPECT_EQ(found.score, SearchGridForStream(prepared, layout, again).score);
    EXPECT_GE(found.score, best.score);
    EXPECT_LE(found.score, 1.5 * best.score) << work;
    EXPECT_EQ(budget.exhausted(), again.exhausted());
    last = found.score;
  }
  EXPECT_EQ(last, best.score);
}

}  // namespace
}  // namespace coolspan
