// SPDX-License-Identifier: GPL-3.0-or-later
// Searches around centres read the clock often enough to end at a deadline of
// a few milliseconds. Counted, not timed.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mesh_machine.h"
#include "network_machines.h"
#include "policy/paid_work.h"
#include "policy/table.h"

namespace coolspan {
namespace {

// The decision of a policy for a part of an empty machine, with a clock that
// ends after max_looks.
struct Decided {
  Decided(std::string_view policy_name,
          const std::shared_ptr<const Machine>& machine, NodeCount nodes,
          NodeCount required, std::uint64_t work,
          std::uint64_t max_looks = std::numeric_limits<std::uint64_t>::max()) {
    Budget budget(
        work, [this, max_looks] { return ++looks >= max_looks ? 1.0 : 0.0; });
    const PolicyOptions options = {
        .ordering = MakeOrdering(*machine, "row-major").value()};
    const NodeSet free = NodeSet::All(machine->node_count());
    std::vector<NodeId> first(required);
    std::iota(first.begin(), first.end(), 0U);
    Request request;
    request.demand = Demand::Nodes(nodes);
    request.required = NodeSet(machine->node_count(), first);
    allocation =
        MakePolicy(policy_name, machine, options)
            .value()
            ->Place(MachineView(*machine, free, {}, 0), request, budget, trace);
  }
  std::uint64_t Fact(std::string_view name) const {
    const auto fact = std::find_if(
        trace.facts().begin(), trace.facts().end(),
        [&](const Trace::Fact& each) { return each.name == name; });
    return static_cast<std::uint64_t>(std::get<std::int64_t>(fact->value));
  }

  std::atomic<std::uint64_t> looks = 0;
  Trace trace;
  std::optional<Allocation> allocation;
};

std::shared_ptr<const Machine> Ring(VertexId vertices) {
  GraphPlan ring;
  ring.nodes_at.assign(vertices, 1);
  for (VertexId v = 0; v < vertices; ++v)
    ring.links.emplace_back(v, (v + 1) % vertices);
  return MachineOn(
      MakeGraph(ring, [](VertexId v) { return std::to_string(v); }).value());
}

// All centres of an empty torus and of a ring tie, so each is scored.
TEST(CentreDeadlineTest, GridSearchReadsTheClockOncePerPortion) {
  constexpr NodeCount kNodes = 1000;
  constexpr std::uint64_t kCentres = 48 * 48;
  const auto torus = MeshMachine(TorusGrid({48, 48}));
  for (const char* policy : {"mc:ties=paper", "mc1x1:ties=paper"}) {
    const Decided decided(policy, torus, kNodes, 0, Budget::kUnlimited);
    EXPECT_EQ(decided.Fact("centres_scored"), kCentres + 2) << policy;  // early
    EXPECT_GE(decided.looks * PaidWork::kPortion, kCentres * kNodes) << policy;
  }
}

TEST(CentreDeadlineTest, HopSearchReadsTheClockOncePerPortion) {
  constexpr NodeCount kNodes = 200;
  const Decided decided("mc1x1", Ring(400), kNodes, 0, Budget::kUnlimited);
  EXPECT_EQ(decided.Fact("centres_scored"), 400U);
  EXPECT_GE(2 * decided.looks * PaidWork::kPortion, 400U * kNodes * kNodes);
}

TEST(CentreDeadlineTest, LowerBoundsReadTheClockOncePerPortion) {
  // A diamond of 2,000 vertices has 31 shells.
  constexpr std::uint64_t kShells = 31;
  const auto mesh = MeshMachine(FlatGrid({64, 64}));
  const Decided decided("genalg", mesh, 2000, 0, Budget::kUnlimited);
  EXPECT_GE(decided.looks * PaidWork::kPortion, 64U * 64U * kShells * kShells);
}

// The search ends inside a batch, with the best of the centres scored.
TEST(CentreDeadlineTest, BatchesEndAtTheDeadline) {
  const auto torus = MeshMachine(TorusGrid({32, 32}));
  const Decided on_grid("mc1x1", torus, 500, 0, Budget::kUnlimited, 30);
  EXPECT_EQ(on_grid.allocation->nodes.size(), 500U);
  EXPECT_GT(on_grid.Fact("centres_scored"), 8U);
  EXPECT_LT(on_grid.Fact("centres_scored"), 30 * PaidWork::kPortion / 500);

  const Decided by_hops("mc1x1", Ring(400), 200, 0, Budget::kUnlimited, 400);
  EXPECT_EQ(by_hops.allocation->nodes.size(), 200U);
  EXPECT_GT(by_hops.Fact("centres_scored"), 0U);
  EXPECT_LT(by_hops.Fact("centres_scored"), 100U);
}

// Lower tiers and node lists make thousands of nodes required: the work of the
// shell sums does not grow with required nodes times centres.
TEST(CentreDeadlineTest, ManyRequiredNodesTakeLinearWork) {
  constexpr NodeCount kRequired = 2048;
  constexpr std::uint64_t kWork =
      4096 * 200;  // required x centres: 4096 * 2048
  const auto mesh = MeshMachine(FlatGrid({64, 64}));
  for (const char* policy : {"mc", "mc1x1"}) {
    const Decided all(policy, mesh, kRequired + 50, kRequired,
                      Budget::kUnlimited);
    const Decided within(policy, mesh, kRequired + 50, kRequired, kWork);
    EXPECT_EQ(within.Fact("shell_sum"), all.Fact("shell_sum")) << policy;
  }
}

}  // namespace
}  // namespace coolspan
