// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "mesh_machine.h"
#include "network_machines.h"
#include "policy/table.h"

namespace coolspan {
namespace {

// What mc1x1 says of itself, asked for three nodes of a line of seven, the
// first one required: the nodes 0 to 2 around node 1.
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

}  // namespace
}  // namespace coolspan
