// SPDX-License-Identifier: GPL-3.0-or-later
// bqp against exhaustive enumeration on random rooms and networks. Costs are
// computed directly from joint-bqp-task-mapping, equations 8 to 10:
//   alpha * Cost_comm(X) + beta * Cost_cool(X)                    (8)
//   Cost_comm = X^T H X / n                                       (9)
//   Cost_cool = sum(D (P_active o X) + T_sup + D P_idle) / U     (10)
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "core/room_state.h"
#include "mesh_machine.h"
#include "network_machines.h"
#include "policy/joint/bqp_proof.h"
#include "policy/table.h"
#include "room_machine.h"

namespace coolspan {
namespace {

constexpr double kRounding = 1e-9;

// A request on a machine in a room, with few free nodes.
struct Case {
  std::shared_ptr<const Machine> machine;  // in a room
  std::unique_ptr<RoomState> state;
  std::shared_ptr<const LatencyMatrix> latencies;  // nullptr: hops
  std::vector<float> measured;                     // as drawn, row-major
  NodeSet free;
  NodeSet required;
  Request request;
  double alpha = 0;
  double beta = 0;
};

std::shared_ptr<const Topology> DrawNetwork(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) {
    return static_cast<std::uint32_t>(random() % n);
  };
  if (below(3) == 0) {
    SwitchTree tree;
    const VertexId leaves = 2 + below(4);
    for (VertexId leaf = 0; leaf < leaves; ++leaf) {
      tree.parent.push_back(leaves);
      tree.nodes_at.push_back(1 + below(4));
    }
    tree.parent.push_back(leaves);
    tree.nodes_at.push_back(0);
    return MakeFatTree(std::move(tree)).value();
  }
  std::vector<std::uint32_t> dims(1 + below(3));
  for (std::uint32_t& extent : dims) extent = 1 + below(4);
  Grid grid = below(2) == 0 ? FlatGrid(dims) : TorusGrid(dims);
  grid.nodes_per_vertex = 1 + below(3);
  return MakeMesh(std::move(grid)).value();
}

Room::Description DrawRoom(NodeCount nodes, std::mt19937& random) {
  const auto zone_size = static_cast<NodeCount>(1 + random() % 3);
  const ZoneId zones = (nodes + zone_size - 1) / zone_size;
  Room::Description room = RoomDescription(
      nodes, zones,
      RandomHeat(zones, 1e-3, static_cast<std::uint32_t>(random())));
  for (NodeId node = 0; node < nodes; ++node) {
    room.zone_of[node] = node / zone_size;
    room.type_of[node] = static_cast<std::uint16_t>(random() % 2);
  }
  room.types.push_back({.idle_w = 150, .compute_w = 800, .communicate_w = 600});
  room.idle_on = random() % 2 == 0;
  return room;
}

Case Draw(std::mt19937& random) {
  Case c;
  const auto topology = DrawNetwork(random);
  const NodeCount nodes = topology->node_count();
  c.machine = InRoom(*MachineOn(topology), DrawRoom(nodes, random));
  if (random() % 3 == 0) {
    for (std::size_t i = 0; i < std::size_t{nodes} * nodes; ++i) {
      c.measured.push_back(static_cast<float>(random() % 20));
    }
    c.latencies = LatencyMatrix::Create(nodes, c.measured).value();
  }
  std::vector<NodeId> order = NodeSet::All(nodes).Members();
  std::shuffle(order.begin(), order.end(), random);
  order.resize(1 + random() % std::min<std::size_t>(nodes, 9));
  c.free = NodeSet(nodes, order);
  const auto nodes_to_place =
      static_cast<NodeCount>(1 + random() % order.size());
  c.request.demand = Demand::Nodes(nodes_to_place);
  c.request.seed = random();
  c.required = NodeSet(nodes);
  if (random() % 3 == 0) {
    order.resize(random() % (nodes_to_place + 1));
    c.required = NodeSet(nodes, order);
    c.request.required = c.required;
  }
  if (random() % 2 == 0) c.request.communication_share = 0.75F;
  std::vector<NodeLoad> loads(nodes);
  for (NodeId node = 0; node < nodes; ++node) {
    if (!c.free.Contains(node) && random() % 2 == 0) loads[node] = {0.7F, 0.3F};
  }
  c.state = std::make_unique<RoomState>(c.machine->room());
  c.state->Follow(loads);
  constexpr double kWeights[][2] = {{0.5, 0.5}, {1, 0}, {0, 1}, {2, 0.25}};
  c.alpha = kWeights[random() % 4][0];
  c.beta = kWeights[random() % 4][1];
  if (c.alpha + c.beta == 0) c.beta = 1;
  return c;
}

double LatencyOf(const Case& c, NodeId a, NodeId b) {
  if (c.latencies == nullptr) return c.machine->topology().Distance(a, b);
  return c.measured[std::size_t{a} * c.machine->node_count() + b];
}

// Equation 9, X^T H X / n, over ordered pairs.
double CommunicationOf(const Case& c, const std::vector<NodeId>& nodes) {
  double sum = 0;
  for (const NodeId a : nodes) {
    for (const NodeId b : nodes) sum += LatencyOf(c, a, b);
  }
  return sum / static_cast<double>(nodes.size());
}

// sum(D (P_active o X)) of equation 10, without the constants and U. Includes
// the idle power of zones that the job switches on.
double AddedKelvins(const Case& c, const std::vector<NodeId>& nodes) {
  const RoomView view = c.state->view();
  const Room& room = view.room();
  std::vector<double> watts(room.zone_count(), 0);
  std::vector<bool> zone_on(room.zone_count(), false);
  const double share = c.request.communication_share.value_or(
      static_cast<float>(room.communication_share()));
  for (const NodeId node : nodes) {
    const ZoneId zone = room.ZoneOf(node);
    if (!zone_on[zone]) watts[zone] += view.WakingWatts(zone);
    zone_on[zone] = true;
    watts[zone] += room.AddedWatts(node, share);
  }
  double sum = 0;
  for (ZoneId inlet = 0; inlet < room.zone_count(); ++inlet) {
    for (ZoneId zone = 0; zone < room.zone_count(); ++zone) {
      sum += room.heat().At(inlet, zone) * watts[zone];
    }
  }
  return sum;
}

struct Answer {
  std::vector<NodeId> nodes;
  Trace trace;

  double Fact(std::string_view name) const {
    for (const Trace::Fact& fact : trace.facts()) {
      if (fact.name == name) return std::get<double>(fact.value);
    }
    return 0;
  }
  std::string_view Text(std::string_view name) const {
    for (const Trace::Fact& fact : trace.facts()) {
      if (fact.name == name) return std::get<std::string_view>(fact.value);
    }
    return {};
  }
};

Answer Place(const Case& c, double subproblems, Budget budget = Budget()) {
  PolicyOptions options;
  options.ordering = MakeOrdering(*c.machine, "row-major").value();
  options.values = {
      {"alpha", c.alpha}, {"beta", c.beta}, {"subproblems", subproblems}};
  options.latencies = c.latencies;
  const auto policy = MakePolicy("bqp", c.machine, options).value();
  const RoomView room = c.state->view();
  const MachineView view(*c.machine, c.free, {}, 0, &room);
  Answer answer;
  answer.nodes =
      policy->Place(view, c.request, budget, answer.trace).value().nodes;
  EXPECT_EQ(answer.nodes.size(), c.request.demand.min_nodes);
  EXPECT_TRUE(
      c.required.IsSubsetOf(NodeSet(c.machine->node_count(), answer.nodes)));
  return answer;
}

double Scaled(double weight, double range) {
  return range > 0 ? weight / range : 0;
}

// Equation 8, scaled by the ranges in the trace.
double ObjectiveOf(const Case& c, const Answer& scales,
                   const std::vector<NodeId>& nodes) {
  return Scaled(c.alpha, scales.Fact("latency_range")) *
             CommunicationOf(c, nodes) +
         Scaled(c.beta, scales.Fact("heat_range_k")) * AddedKelvins(c, nodes);
}

template <typename Visit>
void ForEachAnswer(const Case& c, Visit&& visit) {
  const std::vector<NodeId> free = c.free.Members();
  for (std::uint32_t set = 0; set < (1U << free.size()); ++set) {
    std::vector<NodeId> nodes;
    for (std::size_t i = 0; i < free.size(); ++i) {
      if ((set >> i & 1) != 0) nodes.push_back(free[i]);
    }
    if (nodes.size() == c.request.demand.min_nodes &&
        c.required.IsSubsetOf(NodeSet(c.machine->node_count(), nodes))) {
      visit(nodes);
    }
  }
}

double MinObjective(const Case& c, const Answer& scales) {
  double optimum = std::numeric_limits<double>::infinity();
  ForEachAnswer(c, [&](const std::vector<NodeId>& nodes) {
    optimum = std::min(optimum, ObjectiveOf(c, scales, nodes));
  });
  return optimum;
}

struct Term {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();

  void Add(double value) {
    min = std::min(min, value);
    max = std::max(max, value);
  }
  // max - min, or the value where all are equal.
  double Range() const { return max - min > 1e-6 * max ? max - min : max; }
};

bool HasSearch(const Answer& answer) {
  return answer.Text("search") != "not needed";
}

TEST(BqpProperty, BranchAndBoundProvesTheLeastObjective) {
  std::mt19937 random(1);
  int searched = 0;
  for (int i = 0; i < 1500; ++i) {
    const Case c = Draw(random);
    const Answer answer = Place(c, 1e6);
    if (!HasSearch(answer)) continue;
    ++searched;
    const double optimum = MinObjective(c, answer);
    const double rounding = kRounding * std::max(1.0, optimum);
    ASSERT_NEAR(answer.Fact("objective"), optimum, rounding) << i;
    ASSERT_NEAR(ObjectiveOf(c, answer, answer.nodes), optimum, rounding) << i;
    ASSERT_EQ(answer.Text("proved"), "yes") << i;
    ASSERT_NEAR(answer.Fact("lower_bound"), optimum, rounding) << i;
  }
  EXPECT_GT(searched, 700);
}

// Checked where there are so few sets that all of them are drawn.
TEST(BqpProperty, ScalesAreTheRangesOfBothTerms) {
  std::mt19937 random(6);
  int checked = 0;
  for (int i = 0; i < 2000; ++i) {
    const Case c = Draw(random);
    const Answer answer = Place(c, 0);
    if (!HasSearch(answer) || c.alpha == 0 || c.beta == 0) continue;
    Term communication;
    Term kelvins;
    int sets = 0;
    ForEachAnswer(c, [&](const std::vector<NodeId>& nodes) {
      communication.Add(CommunicationOf(c, nodes));
      kelvins.Add(AddedKelvins(c, nodes));
      ++sets;
    });
    if (sets > 6) continue;
    ++checked;
    ASSERT_NEAR(answer.Fact("latency_range"), communication.Range(),
                1e-6 * (1 + communication.max))
        << i;
    ASSERT_NEAR(answer.Fact("heat_range_k"), kelvins.Range(),
                1e-6 * (1 + kelvins.max))
        << i;
  }
  EXPECT_GT(checked, 100);
}

TEST(BqpProperty, TheLowerBoundHoldsForAnyBudget) {
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) {
    const Case c = Draw(random);
    for (const std::uint64_t work : {0, 30, 300, 3000, 1'000'000}) {
      const Answer answer = Place(c, i % 7, Budget(work));
      if (!HasSearch(answer)) continue;
      const double optimum = MinObjective(c, answer);
      const double rounding = kRounding * std::max(1.0, optimum);
      ASSERT_LE(answer.Fact("lower_bound"), optimum + rounding) << i;
      ASSERT_NEAR(answer.Fact("objective"),
                  ObjectiveOf(c, answer, answer.nodes), rounding)
          << i;
      if (answer.Text("proved") == "yes") {
        ASSERT_NEAR(answer.Fact("objective"), optimum, rounding) << i;
      }
    }
  }
}

// LowerBound, used for machines too large for branch and bound, with and
// without comparing all pairs.
TEST(BqpProperty, LowerBoundIsAtMostTheOptimum) {
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    const Case c = Draw(random);
    const Topology& topology = c.machine->topology();
    std::optional<GridTable> grid;
    if (topology.grid() != nullptr) grid.emplace(*topology.grid());
    const Latencies latencies(topology, grid ? &*grid : nullptr,
                              c.latencies.get());
    const RoomView view = c.state->view();
    std::vector<double> column_sums(view.room().zone_count(), 0);
    const std::vector<double> ones(view.room().zone_count(), 1);
    view.room().heat().AddPull(ones, column_sums);
    const Choice choice{c.free, c.required, c.required.Count(),
                        c.request.demand.min_nodes, c.request.seed};
    Budget budget;
    const BqpProblem problem(latencies, {c.alpha, c.beta},
                             {&view, column_sums, 0.3}, choice, budget);
    if (problem.nodes_to_choose == 0) continue;
    BqpSolution solution = SearchBqp(problem, budget);
    const BqpProof proof = ProveBqp(problem, 1'000'000, solution, budget);
    ASSERT_TRUE(proof.proved);
    for (const std::uint64_t work : {0, 20, 1'000'000}) {
      Budget small_budget(work);
      ASSERT_LE(LowerBound(problem, small_budget),
                solution.objective + kRounding)
          << i;
    }
  }
}

TEST(BqpProperty, MoreSubproblemsDoNotWeakenTheBound) {
  std::mt19937 random(5);
  int better = 0;
  for (int i = 0; i < 500; ++i) {
    const Case c = Draw(random);
    double before = 0;
    for (const double subproblems : {0, 1, 2, 4, 8, 16}) {
      const Answer answer = Place(c, subproblems);
      if (!HasSearch(answer)) break;
      const double bound = answer.Fact("lower_bound");
      ASSERT_GE(bound, before - kRounding * std::max(1.0, before))
          << i << ", " << subproblems;
      if (subproblems > 0 && bound > before) ++better;
      before = bound;
    }
  }
  EXPECT_GT(better, 100);
}

// The local search does not guarantee the optimum; this checks that its starts
// are good enough to find it in at least 95 % of the cases.
TEST(BqpProperty, LocalSearchFindsTheOptimumInMostCases) {
  std::mt19937 random(4);
  int searched = 0;
  int optimal = 0;
  for (int i = 0; i < 500; ++i) {
    const Case c = Draw(random);
    const Answer answer = Place(c, 0);
    if (!HasSearch(answer)) continue;
    ++searched;
    const double optimum = MinObjective(c, answer);
    if (answer.Fact("objective") <= optimum + kRounding) ++optimal;
  }
  EXPECT_GT(optimal, searched * 95 / 100) << searched;
}

}  // namespace
}  // namespace coolspan
