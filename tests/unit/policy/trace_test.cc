// SPDX-License-Identifier: GPL-3.0-or-later
// The text of decision traces.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/policy.h"
#include "mesh_machine.h"
#include "policy/table.h"

namespace coolspan {
namespace {

struct TracedDecision {
  std::vector<NodeId> nodes;
  std::string why;
};

TracedDecision Decide(const std::string& policy, std::vector<NodeId> free,
                      Request request, SpanKind span = SpanKind::kRing) {
  const auto machine = MeshMachine(FlatGrid({20}));
  const auto made =
      MakePolicy(policy, machine,
                 {MakeOrdering(*machine, "row-major").value(), span})
          .value();
  const NodeSet available(20, free);
  Budget budget;
  Trace trace;
  const auto allocation = made->Place(MachineView(*machine, available, {}, 0),
                                      request, budget, trace);
  return {allocation->nodes, Describe(policy, trace)};
}

Request Nodes(NodeCount nodes) {
  Request request;
  request.demand = Demand::Nodes(nodes);
  return request;
}

TEST(DecisionTraceTest, Interval) {
  const TracedDecision decided =
      Decide("best-fit", {0, 1, 2, 3, 4, 8, 9, 10, 11, 15}, Nodes(3));
  EXPECT_EQ(decided.nodes, (std::vector<NodeId>{8, 9, 10}));
  EXPECT_EQ(decided.why,
            "best-fit: available nodes 10, free intervals 3, "
            "interval ranks 4, first rank 8, unused ranks 1");
}

TEST(DecisionTraceTest, RingSpanFallback) {
  const TracedDecision decided =
      Decide("best-fit", {0, 1, 8, 17, 19}, Nodes(4));
  EXPECT_EQ(decided.nodes, (std::vector<NodeId>{0, 1, 17, 19}));
  EXPECT_EQ(decided.why,
            "best-fit: available nodes 5, free intervals 4, "
            "fallback minimum ring span, span ranks 5, first rank 17");
}

TEST(DecisionTraceTest, LinearSpanFallback) {
  const TracedDecision decided =
      Decide("first-fit", {0, 1, 8, 17, 19}, Nodes(4), SpanKind::kLinear);
  EXPECT_EQ(decided.nodes, (std::vector<NodeId>{0, 1, 8, 17}));
  EXPECT_EQ(decided.why,
            "first-fit: available nodes 5, free intervals 4, "
            "fallback minimum linear span, span ranks 18, first rank 0");
}

TEST(DecisionTraceTest, RequiredNodesShiftTheRanksWithinTheirInterval) {
  Request request = Nodes(3);
  const std::vector<NodeId> required = {7};
  request.required = NodeSet(20, required);
  const TracedDecision decided =
      Decide("best-fit", {0, 1, 2, 4, 5, 6, 7, 8}, request);
  EXPECT_EQ(decided.nodes, (std::vector<NodeId>{5, 6, 7}));
  EXPECT_EQ(decided.why,
            "best-fit: available nodes 8, free intervals 2, "
            "interval ranks 5, first rank 5, unused ranks 2");
}

TEST(DecisionTraceTest, TiesGoToTheSmallerRank) {
  EXPECT_EQ(Decide("best-fit", {3, 4, 9, 10}, Nodes(2)).nodes,
            (std::vector<NodeId>{3, 4}));
  EXPECT_EQ(Decide("best-fit", {3, 5, 9, 11}, Nodes(2)).nodes,
            (std::vector<NodeId>{3, 5}));
  EXPECT_EQ(
      Decide("sum-of-squares", {1, 2, 3, 4, 9, 10, 11, 12}, Nodes(2)).nodes,
      (std::vector<NodeId>{1, 2}));
}

TEST(DecisionTraceTest, WindowsThatDoNotWrapWinTies) {
  EXPECT_EQ(Decide("best-fit", {0, 7, 9, 18}, Nodes(2)).nodes,
            (std::vector<NodeId>{7, 9}));
}

}  // namespace
}  // namespace coolspan
