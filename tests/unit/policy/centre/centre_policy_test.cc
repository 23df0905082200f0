// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mesh_machine.h"
#include "network_machines.h"
#include "policy/table.h"

namespace coolspan {
namespace {

// shell_sum in the trace of mc1x1 for three nodes of a line of seven with node
// 0 required: it takes nodes 0 to 2 around node 1.
std::int64_t ShellSum(const std::shared_ptr<const Machine>& machine) {
  PolicyOptions options;
  options.ordering = MakeOrdering(*machine, "row-major").value();
  const auto policy = MakePolicy("mc1x1", machine, options).value();
  const NodeSet free = NodeSet::All(7);
  Request request;
  request.demand = Demand::Nodes(3);
  request.required = NodeSet(7, std::vector<NodeId>{0});
  Budget budget;
  Trace trace;
  policy->Place(MachineView(*machine, free, {}, 0), request, budget, trace);
  const auto fact = std::find_if(
      trace.facts().begin(), trace.facts().end(),
      [](const Trace::Fact& one) { return one.name == "shell_sum"; });
  return std::get<std::int64_t>(fact->value);
}

TEST(CentrePolicyTest, ShellSumCountsRequiredNodesWithAndWithoutCoordinates) {
  Grid line;
  line.dims = {7};
  line.wrap = {false};
  EXPECT_EQ(ShellSum(MeshMachine(line)), 2);

  GraphPlan chain;
  chain.nodes_at.assign(7, 1);
  for (VertexId v = 1; v < 7; ++v) chain.links.emplace_back(v - 1, v);
  const auto graph =
      MakeGraph(chain, [](VertexId v) { return std::to_string(v); }).value();
  EXPECT_EQ(ShellSum(MachineOn(graph)), 2);
}

// The answer of a policy, with a budget of `work`, for half of a tree of 9,000
// leaves. HopRows does not store that many distances.
struct HalfOfTree {
  HalfOfTree(std::string_view name, std::uint64_t work) : budget(work) {
    constexpr VertexId kNodes = 9000;
    constexpr VertexId kSwitches = 90;
    SwitchTree tree;
    for (VertexId leaf = 0; leaf < kNodes; ++leaf) {
      tree.parent.push_back(kNodes + leaf % kSwitches);
    }
    tree.parent.resize(kNodes + kSwitches + 1, kNodes + kSwitches);
    tree.nodes_at.assign(kNodes, 1);
    tree.nodes_at.resize(tree.parent.size(), 0);
    const auto machine = MachineOn(MakeFatTree(std::move(tree)).value());
    PolicyOptions options;
    options.ordering = MakeOrdering(*machine, "row-major").value();
    Request request;
    request.demand = Demand::Nodes(kNodes / 2);
    const NodeSet free = NodeSet::All(kNodes);
    allocation =
        MakePolicy(name, machine, options)
            .value()
            ->Place(MachineView(*machine, free, {}, 0), request, budget, trace);
  }
  bool Has(std::string_view name) const {
    return std::any_of(
        trace.facts().begin(), trace.facts().end(),
        [&](const Trace::Fact& fact) { return fact.name == name; });
  }
  NodeCount nodes() const {
    return allocation ? static_cast<NodeCount>(allocation->nodes.size()) : 0;
  }

  Budget budget;
  Trace trace;
  std::optional<Allocation> allocation;
};

// One centre has 4,500 x 4,500 distances, four per work unit.
constexpr std::uint64_t kWorkOfOneCentre = 4500 * 4500 / 4;

TEST(CentrePolicyTest, AnswersWhenTheBudgetEndsWithinTheFirstCentre) {
  for (const std::string_view policy : {"mm", "genalg"}) {
    const HalfOfTree half(policy, kWorkOfOneCentre / 2);
    EXPECT_TRUE(half.budget.exhausted()) << policy;
    EXPECT_EQ(half.nodes(), 4500U) << policy;
    EXPECT_FALSE(half.Has("pairwise_total_hops")) << policy;
  }
}

TEST(CentrePolicyTest, KeepsTheCentresMeasuredBeforeTheBudgetEnded) {
  for (const std::string_view policy : {"mm", "genalg"}) {
    const HalfOfTree one(policy, kWorkOfOneCentre * 3 / 2);
    EXPECT_TRUE(one.budget.exhausted()) << policy;
    EXPECT_EQ(one.nodes(), 4500U) << policy;
    EXPECT_TRUE(one.Has("pairwise_total_hops")) << policy;
  }
}

}  // namespace
}  // namespace coolspan
