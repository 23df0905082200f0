// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of mip against trying all orders of small networks: exact methods
// find the minimum cost, bounds are not above it, and local search never raises
// the cost.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "mesh_machine.h"
#include "ordering/assignment_programme.h"
#include "ordering/exact_search.h"
#include "ordering/local_search.h"
#include "ordering/ordering_cost.h"
#include "ordering/rank_problem.h"

namespace coolspan {
namespace {

using Order = std::vector<RankProblem::Site>;

// Vertices with arbitrary symmetric distances (not necessarily a metric) and at
// least one node each.
class TableTopology final : public Topology {
 public:
  TableTopology(std::vector<NodeCount> nodes, std::vector<Hops> hops)
      : nodes_(std::move(nodes)), hops_(std::move(hops)) {
    for (VertexId vertex = 0; vertex < nodes_.size(); ++vertex) {
      first_.push_back(static_cast<NodeId>(vertex_of_.size()));
      vertex_of_.insert(vertex_of_.end(), nodes_[vertex], vertex);
    }
  }

  std::string_view kind() const override { return "table"; }
  NodeCount node_count() const override {
    return static_cast<NodeCount>(vertex_of_.size());
  }
  VertexId vertex_count() const override {
    return static_cast<VertexId>(nodes_.size());
  }
  VertexId VertexOf(NodeId node) const override { return vertex_of_[node]; }
  NodeRange NodesAt(VertexId vertex) const override {
    return {first_[vertex], nodes_[vertex]};
  }
  Hops VertexDistance(VertexId a, VertexId b) const override {
    if (a == b) return 0;
    return hops_[std::max(a, b) * nodes_.size() + std::min(a, b)];
  }
  void AppendNeighbours(VertexId vertex,
                        std::vector<VertexId>& out) const override {
    for (VertexId other = 0; other < nodes_.size(); ++other) {
      if (VertexDistance(vertex, other) == 1) out.push_back(other);
    }
  }

 private:
  std::vector<NodeCount> nodes_;
  std::vector<Hops> hops_;
  std::vector<NodeId> first_;
  std::vector<VertexId> vertex_of_;
};

TableTopology SmallTopology() {
  const auto sites = *rc::gen::inRange<std::size_t>(2, 9);
  const bool same = *rc::gen::arbitrary<bool>();
  std::vector<NodeCount> nodes(sites, 1);
  if (!same)
    nodes[0] +=
        *rc::gen::inRange<NodeCount>(0, static_cast<NodeCount>(10 - sites));
  return {nodes, *rc::gen::container<std::vector<Hops>>(
                     sites * sites, rc::gen::inRange<Hops>(1, 5))};
}

Order FirstOrder(const RankProblem& problem) {
  Order order;
  for (RankProblem::Site site = 0; site < problem.sites(); ++site) {
    order.insert(order.end(), problem.NodesAt(site), site);
  }
  return order;
}

// By trying all orders.
ScaledCost NaiveMinimum(const RankProblem& problem) {
  Order order = FirstOrder(problem);
  ScaledCost minimum = std::numeric_limits<ScaledCost>::max();
  do {
    minimum = std::min(minimum, problem.CostOf(order));
  } while (std::next_permutation(order.begin(), order.end()));
  return minimum;
}

void RequireProved(const RankProblem& problem, const SearchResult& result,
                   ScaledCost minimum) {
  RC_ASSERT(result.cost == minimum);
  RC_ASSERT(result.bound == minimum);
  RC_ASSERT(problem.CostOf(result.order) == minimum);
  Order sorted = result.order;
  std::sort(sorted.begin(), sorted.end());
  RC_ASSERT(sorted == FirstOrder(problem));
}

RC_GTEST_PROP(LeastLocality, SearchFindsTheMinimum, ()) {
  const TableTopology topology = SmallTopology();
  const RankProblem problem(topology, *rc::gen::arbitrary<bool>());
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  RequireProved(problem, SearchBestOrder(problem, FirstOrder(problem), end),
                NaiveMinimum(problem));
}

RC_GTEST_PROP(LeastLocality, TheBoundIsAtMostTheMinimum, ()) {
  const TableTopology topology = SmallTopology();
  const RankProblem problem(topology, *rc::gen::arbitrary<bool>());
  RC_ASSERT(LocalityBound(problem) <= NaiveMinimum(problem));
}

// GLPK takes a tenth of a second for six ranks.
TEST(LeastLocality, TheProgrammeFindsTheMinimum) {
  for (const bool ring : {false, true}) {
    for (const Grid& grid :
         {FlatGrid({5}), FlatGrid({3, 2}), TorusGrid({6}), FlatGrid({2, 2})}) {
      const auto machine = MeshMachine(grid);
      const RankProblem problem(machine->topology(), ring);
      Order start = FirstOrder(problem);
      std::swap(start[0], start[2]);
      const SearchResult result = SolveAsProgramme(problem, start, 300).value();
      EXPECT_EQ(result.cost, NaiveMinimum(problem));
      EXPECT_EQ(result.bound, result.cost);
    }
  }
}

RC_GTEST_PROP(LeastLocality, CostsAgreeWithMeasureOrdering, ()) {
  const TableTopology topology = SmallTopology();
  Order order = FirstOrder(RankProblem(topology, false));
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  std::rotate(order.begin(), order.begin() + seed % order.size(), order.end());
  const OrderingCost cost =
      MeasureOrdering(topology, NodesAtRanks(topology, order));
  const auto scaled = [&](bool ring) {
    return static_cast<double>(RankProblem(topology, ring).CostOf(order)) /
           kCostScale;
  };
  RC_ASSERT(scaled(false) == cost.locality_cost);
  RC_ASSERT(scaled(true) == cost.locality_cost_ring);
}

RC_GTEST_PROP(LocalSearch, NeverRaisesTheCostAndKeepsVerticesTogether, ()) {
  Grid grid =
      *rc::gen::arbitrary<bool>() ? TorusGrid({1, 1}) : FlatGrid({1, 1});
  grid.dims = {*rc::gen::inRange<std::uint32_t>(1, 9),
               *rc::gen::inRange<std::uint32_t>(1, 9)};
  grid.nodes_per_vertex = *rc::gen::inRange<NodeCount>(1, 4);
  const auto machine = MeshMachine(grid);
  const Topology& topology = machine->topology();
  std::vector<VertexId> vertices(topology.vertex_count());
  std::iota(vertices.begin(), vertices.end(), VertexId{0});
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  std::shuffle(vertices.begin(), vertices.end(), random);
  std::vector<VertexId> start;
  for (const VertexId vertex : vertices) {
    start.insert(start.end(), grid.nodes_per_vertex, vertex);
  }
  const bool ring = *rc::gen::arbitrary<bool>();
  const std::vector<VertexId> improved =
      ImproveLocality(topology, start, {.ring = ring, .distances = 100'000});
  const auto cost_of = [&](const std::vector<VertexId>& order) {
    const OrderingCost cost =
        MeasureOrdering(topology, NodesAtRanks(topology, order));
    return ring ? cost.locality_cost_ring : cost.locality_cost;
  };
  RC_ASSERT(cost_of(improved) <= cost_of(start));
  for (std::size_t rank = 0; rank < improved.size(); ++rank) {
    RC_ASSERT(improved[rank] == improved[rank - rank % grid.nodes_per_vertex]);
  }
  std::vector<VertexId> sorted = improved;
  std::sort(sorted.begin(), sorted.end());
  std::sort(start.begin(), start.end());
  RC_ASSERT(sorted == start);
}

}  // namespace
}  // namespace coolspan
