// SPDX-License-Identifier: GPL-3.0-or-later
// The centre-based policies choose exactly the nodes of their definitions
// (naive_centres.h) and meet their proved approximation bounds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <ostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/policy.h"
#include "mesh_machine.h"
#include "naive_centres.h"
#include "policy/table.h"
#include "sanitized.h"
#include "topology/graph.h"

namespace coolspan {
namespace {

struct Case {
  Grid grid;
  NaiveCentres::Question question;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  out << "dims";
  for (std::size_t d = 0; d < c.grid.dims.size(); ++d) {
    out << ' ' << c.grid.dims[d] << (c.grid.wrap[d] ? "w" : "");
  }
  out << " x" << c.grid.nodes_per_vertex << ", " << c.grid.holes.size()
      << " holes, " << c.question.nodes << " of";
  for (const NodeId node : c.question.free) out << ' ' << node;
  out << ", required";
  for (const NodeId node : c.question.required) out << ' ' << node;
  out << ", shape";
  for (const std::uint32_t extent : c.question.shape) out << ' ' << extent;
  return out;
}

rc::Gen<Grid> SomeGrid(VertexId max_vertices, bool plain) {
  return rc::gen::exec([=] {
    Grid grid;
    const auto dimensions = *rc::gen::inRange<std::size_t>(1, 7);
    VertexId vertices = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
      const VertexId max_extent =
          std::min<VertexId>(max_vertices / vertices, dimensions == 1 ? 40 : 9);
      const auto extent = *rc::gen::inRange<std::uint32_t>(1, max_extent + 1);
      grid.dims.push_back(extent);
      grid.wrap.push_back(!plain && *rc::gen::arbitrary<bool>());
      vertices *= extent;
    }
    grid.nodes_per_vertex =
        plain ? 1 : *rc::gen::element<NodeCount>(1, 1, 2, 3);
    if (plain || *rc::gen::inRange(0, 3) > 0) return grid;
    for (VertexId v = 1; v < vertices; ++v) {
      if (*rc::gen::inRange(0, 6) == 0) grid.holes.push_back(v);
    }
    return grid;
  });
}

rc::Gen<Case> SomeCase(VertexId max_vertices, bool plain, NodeCount max_nodes) {
  return rc::gen::exec([=] {
    Case c;
    c.grid = *SomeGrid(max_vertices, plain);
    const auto nodes = static_cast<NodeCount>(
        (c.grid.VertexCount() - c.grid.holes.size()) * c.grid.nodes_per_vertex);
    const int busy_in_ten = *rc::gen::inRange(0, 9);
    const auto surely_free = *rc::gen::inRange<NodeId>(0, nodes);
    for (NodeId node = 0; node < nodes; ++node) {
      if (node == surely_free || *rc::gen::inRange(0, 10) >= busy_in_ten) {
        c.question.free.push_back(node);
      }
    }
    const auto free = static_cast<NodeCount>(c.question.free.size());
    c.question.nodes =
        *rc::gen::inRange<NodeCount>(1, std::min(free, max_nodes) + 1);
    if (!plain && *rc::gen::inRange(0, 3) == 0) {
      for (const NodeId node : c.question.free) {
        if (c.question.required.size() < c.question.nodes &&
            *rc::gen::inRange(0, 6) == 0) {
          c.question.required.push_back(node);
        }
      }
    }
    for (std::size_t d = 0; d < c.grid.dims.size(); ++d) {
      c.question.shape.push_back(*rc::gen::inRange<std::uint32_t>(1, 5));
    }
    return c;
  });
}

std::vector<NodeId> Answer(const Machine& machine, std::string_view policy_name,
                           const NaiveCentres::Question& q) {
  PolicyOptions options;
  options.ordering = MakeOrdering(machine, "row-major").value();
  const auto shared = std::shared_ptr<const Machine>(&machine, [](auto*) {});
  const auto policy = MakePolicy(policy_name, shared, options).value();
  const NodeSet free(machine.node_count(), q.free);
  Request request;
  request.demand = Demand::Nodes(q.nodes);
  request.required = NodeSet(machine.node_count(), q.required);
  request.shape = q.shape;
  Budget budget;
  Trace trace;
  const auto allocation =
      policy->Place(MachineView(machine, free, {}, 0), request, budget, trace);
  if (!allocation) throw std::logic_error("no answer");
  return allocation->nodes;
}

using Definition = std::vector<NodeId> (*)(const NaiveCentres&,
                                           const NaiveCentres::Question&);
struct Defined {
  std::string policy;
  Definition definition;
};

class CentrePoliciesTest : public testing::TestWithParam<Defined> {};

TEST_P(CentrePoliciesTest, EqualTheirDefinition) {
  const bool holds = rc::check([] {
    const Case c = *SomeCase(48, false, 48);
    RC_LOG() << c;
    const auto machine = MeshMachine(c.grid);
    const auto& [policy, definition] = GetParam();
    const NaiveCentres naive(machine->topology());
    RC_ASSERT(Answer(*machine, policy, c.question) ==
              definition(naive, c.question));
    const NaiveCentres paper(machine->topology(), /*paper=*/true);
    RC_ASSERT(Answer(*machine, policy + ":ties=paper", c.question) ==
              definition(paper, c.question));
  });
  EXPECT_TRUE(holds);
}

std::string PolicyName(const testing::TestParamInfo<Defined>& info) {
  std::string name = info.param.policy;
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  return name;
}

using Q = NaiveCentres::Question;
INSTANTIATE_TEST_SUITE_P(
    All, CentrePoliciesTest,
    testing::Values(Defined{"mc", [](const NaiveCentres& n,
                                     const Q& q) { return n.Mc(q); }},
                    Defined{"mc1x1", [](const NaiveCentres& n,
                                        const Q& q) { return n.Mc1x1(q); }},
                    Defined{"genalg", [](const NaiveCentres& n,
                                         const Q& q) { return n.Genalg(q); }},
                    Defined{"mm", [](const NaiveCentres& n,
                                     const Q& q) { return n.Mm(q); }},
                    Defined{"mm-inc", [](const NaiveCentres& n,
                                         const Q& q) { return n.MmInc(q); }}),
    PolicyName);

// `count` of the nodes, ascending.
std::vector<NodeId> SomeOf(const std::vector<NodeId>& nodes, std::size_t count,
                           std::mt19937& random) {
  std::vector<NodeId> some;
  std::sample(nodes.begin(), nodes.end(), std::back_inserter(some), count,
              random);
  return some;
}

// Large enough for several batches of centres and for effective pruning.
TEST(CentrePolicies, EqualTheirDefinitionOnLargerMachines) {
  std::mt19937 random(11);
  const auto below = [&random](std::uint32_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  };
  std::vector<Grid> grids = {FlatGrid({30, 9}), FlatGrid({8, 7, 6}),
                             TorusGrid({7, 6, 2, 3}), TorusGrid({40})};
  grids[1].wrap[1] = true;
  for (const Grid& grid : grids) {
    const auto machine = MeshMachine(grid);
    const NaiveCentres naive(machine->topology());
    for (int i = 0; i < Rounds(12, 2); ++i) {
      Q q;
      const std::uint32_t busy_in_ten = below(10);
      for (NodeId node = 0; node < machine->node_count(); ++node) {
        if (below(10) >= busy_in_ten) q.free.push_back(node);
      }
      if (q.free.empty()) continue;
      const auto free = static_cast<NodeCount>(q.free.size());
      q.nodes = 1 + below(std::min(free, 90U));
      for (std::size_t d = 0; d < grid.dims.size(); ++d) {
        q.shape.push_back(1 + below(6));
      }
      if (i % 2 == 1) q.required = SomeOf(q.free, below(q.nodes), random);
      EXPECT_EQ(Answer(*machine, "mc", q), naive.Mc(q));
      EXPECT_EQ(Answer(*machine, "mc1x1", q), naive.Mc1x1(q));
      EXPECT_EQ(Answer(*machine, "genalg", q), naive.Genalg(q));
      EXPECT_EQ(Answer(*machine, "mm", q), naive.Mm(q));
      const NaiveCentres paper(machine->topology(), /*paper=*/true);
      EXPECT_EQ(Answer(*machine, "mc1x1:ties=paper", q), paper.Mc1x1(q));
      EXPECT_EQ(Answer(*machine, "mm:ties=paper", q), paper.Mm(q));
    }
  }
}

// A connected graph: a ring or a path plus random links. Vertices have 0 to 3
// nodes.
std::shared_ptr<const Machine> SomeNetwork(VertexId vertices,
                                           std::mt19937& random) {
  GraphPlan plan;
  const bool ring = random() % 2 == 0;
  for (VertexId v = 0; v < vertices; ++v) {
    plan.nodes_at.push_back(v == 0 ? 1 : random() % 4);
    if (v > 0 || ring)
      plan.links.emplace_back(v, (v + vertices - 1) % vertices);
    if (random() % 3 == 0) plan.links.emplace_back(v, random() % vertices);
  }
  std::vector<std::string> names;
  for (const NodeCount nodes : plan.nodes_at) {
    for (NodeCount i = 0; i < nodes; ++i) {
      names.push_back("n" + std::to_string(names.size()));
    }
  }
  auto graph =
      MakeGraph(std::move(plan), [](VertexId v) { return std::to_string(v); });
  return Machine::Create("graph", std::move(names), *std::move(graph)).value();
}

// Random free nodes, some of them required.
Q SomeQuestion(NodeCount nodes, std::mt19937& random) {
  Q q;
  const auto busy_in_ten = random() % 10;
  const auto surely_free = static_cast<NodeId>(random() % nodes);
  for (NodeId node = 0; node < nodes; ++node) {
    if (node == surely_free || random() % 10 >= busy_in_ten)
      q.free.push_back(node);
  }
  q.nodes = 1 + static_cast<NodeCount>(random() % q.free.size());
  const bool requires_some = random() % 2 == 0;
  for (const NodeId node : q.free) {
    if (requires_some && q.required.size() < q.nodes && random() % 8 == 0) {
      q.required.push_back(node);
    }
  }
  return q;
}

RC_GTEST_PROP(CentrePolicies, EqualTheirDefinitionByHops, ()) {
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  const auto machine = SomeNetwork(*rc::gen::inRange<VertexId>(2, 20), random);
  const Q q = SomeQuestion(machine->node_count(), random);
  const NaiveCentres naive(machine->topology());
  RC_ASSERT(Answer(*machine, "mc1x1", q) == naive.Mc1x1(q));
  RC_ASSERT(Answer(*machine, "genalg", q) == naive.Genalg(q));
  RC_ASSERT(Answer(*machine, "mm", q) == naive.Mm(q));
}

// Several batches of centres; with all nodes free, all centres tie.
TEST(CentrePolicies, EqualTheirDefinitionByHopsOnLargerMachines) {
  constexpr VertexId kVertices = 300;
  GraphPlan plan;
  plan.nodes_at.assign(kVertices, 1);
  std::vector<std::string> names;
  for (VertexId v = 0; v < kVertices; ++v) {
    plan.links.emplace_back(v, (v + 1) % kVertices);
    names.push_back("n" + std::to_string(v));
  }
  auto ring =
      MakeGraph(std::move(plan), [](VertexId v) { return std::to_string(v); });
  const auto machine =
      Machine::Create("ring", std::move(names), *std::move(ring)).value();
  const NaiveCentres naive(machine->topology());
  for (const std::uint32_t every : {1U, 2U, 7U}) {
    Q q;
    for (NodeId node = 0; node < kVertices; ++node) {
      if (every == 1 || node % every != 0) q.free.push_back(node);
    }
    q.nodes = 12;
    EXPECT_EQ(Answer(*machine, "mc1x1", q), naive.Mc1x1(q));
    EXPECT_EQ(Answer(*machine, "genalg", q), naive.Genalg(q));
    EXPECT_EQ(Answer(*machine, "mm", q), naive.Mm(q));
  }
}

// A policy answers with any budget, and gives the same answer each time.
TEST(CentrePolicies, AnswerWithinAnyBudget) {
  const auto machine = MeshMachine(FlatGrid({12, 11, 9}));
  PolicyOptions options;
  options.ordering = MakeOrdering(*machine, "row-major").value();
  NodeSet free = NodeSet::All(machine->node_count());
  for (NodeId node = 0; node < machine->node_count(); node += 3) {
    free.Erase(node);
  }
  const MachineView view(*machine, free, {}, 0);
  Request request;
  request.demand = Demand::Nodes(60);
  for (const char* name : {"mc", "mc1x1", "genalg", "mm", "mm-inc"}) {
    const auto policy = MakePolicy(name, machine, options).value();
    std::uint64_t last = ~0ULL;
    for (std::uint64_t work = 1; work < 1'000'000'000; work *= 3) {
      Budget budget(work);
      Budget again(work);
      Trace trace;
      const auto answer = policy->Place(view, request, budget, trace);
      ASSERT_TRUE(answer.has_value()) << name;
      EXPECT_EQ(answer->nodes.size(), 60U);
      EXPECT_TRUE(
          NodeSet(machine->node_count(), answer->nodes).IsSubsetOf(free));
      EXPECT_EQ(answer, policy->Place(view, request, again, trace)) << name;
      last = machine->topology().PairwiseTotal(answer->nodes);
      EXPECT_EQ(budget.exhausted(), again.exhausted());
    }
    Budget enough;
    Trace trace;
    const auto best = policy->Place(view, request, enough, trace);
    EXPECT_EQ(last, machine->topology().PairwiseTotal(best->nodes)) << name;
    Budget none(0);
    EXPECT_TRUE(policy->Place(view, request, none, trace).has_value());
    EXPECT_TRUE(none.exhausted());
  }
}

// The minimum total pairwise distance over all sets of q.nodes free nodes.
std::uint64_t Optimum(const NaiveCentres& naive, const Q& q) {
  std::vector<bool> pick(q.free.size(), false);
  std::fill(pick.begin(), pick.begin() + q.nodes, true);
  std::uint64_t min_total = ~0ULL;
  std::vector<NodeId> nodes;
  do {
    nodes.clear();
    for (std::size_t i = 0; i < pick.size(); ++i) {
      if (pick[i]) nodes.push_back(q.free[i]);
    }
    min_total = std::min(min_total, naive.Total(nodes));
  } while (std::prev_permutation(pick.begin(), pick.end()));
  return min_total;
}

// The approximation bounds (cpa-rd100-cplant-bender, Bender et al.): MM
// 2 - 1/(2d) (theorem 3), MC1x1 d times that (section 1), Gen-Alg 2 (Krumke et
// al., section 2.1).
RC_GTEST_PROP(CentrePolicies, MeetTheirApproximationBounds, ()) {
  const Case c = *SomeCase(14, true, 14);
  RC_LOG() << c;
  const auto machine = MeshMachine(c.grid);
  const NaiveCentres naive(machine->topology());
  const std::uint64_t optimum = Optimum(naive, c.question);
  const auto total = [&](std::string_view policy) {
    return naive.Total(Answer(*machine, policy, c.question));
  };
  const std::uint64_t d = c.grid.dims.size();
  // 2 - 1/(2d) = (4d - 1) / (2d)
  RC_ASSERT(total("mm") * 2 * d <= optimum * (4 * d - 1));
  RC_ASSERT(total("mm-inc") * 2 * d <= optimum * (4 * d - 1));
  RC_ASSERT(total("mc1x1") * 2 <= optimum * (4 * d - 1));
  RC_ASSERT(total("genalg") <= 2 * optimum);
  RC_ASSERT(total("mm-inc") <= total("mm"));
}

}  // namespace
}  // namespace coolspan
