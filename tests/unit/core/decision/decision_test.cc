// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/decision.h"

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

#include "core/allocator.h"
#include "unit/core/line_machine.h"

namespace coolspan {

// What a failed expectation prints.
std::ostream& operator<<(std::ostream& out, const Shortage& shortage) {
  return out << "not offered " << shortage.not_offered << ", excluded "
             << shortage.excluded << ", busy " << shortage.busy
             << ", lacking units " << shortage.lacking_units << ", rejected "
             << shortage.rejected;
}

namespace {

class FindsNoPlace final : public Policy {
 public:
  std::string_view name() const override { return "finds-no-place"; }
  std::optional<Allocation> Place(const MachineView&, const Request&, Budget&,
                                  Trace& trace) const override {
    trace.Note("looked_at", std::int64_t{3});
    return std::nullopt;
  }
};

// Works without end and chooses no nodes.
class SearchesUntilBudgetEnds final : public Policy {
 public:
  std::string_view name() const override { return "searches"; }
  std::optional<Allocation> Place(const MachineView&, const Request&,
                                  Budget& budget, Trace&) const override {
    while (budget.Spend(1)) {
    }
    return std::nullopt;
  }
};

// Eight nodes of four units: job 1 has nodes 0 and 1 whole, job 2 three units
// of node 2.
class ShortageTest : public ::testing::Test {
 protected:
  ShortageTest() {
    Allocator::Fact whole;
    whole.job = {1, 0};
    whole.nodes = {0, 1};
    allocator_.Commit(whole, 0);
    Allocator::Fact shared = whole;
    shared.job = {2, 0};
    shared.whole = false;
    shared.nodes = {2};
    shared.units = {3};
    allocator_.Commit(shared, 0);
    call_.job = {9, 0};
    call_.attempt = 1;
  }
  Decision Decided(const Policy& policy, Budget budget = Budget()) const {
    return Decide(allocator_.SnapshotFor(call_), call_, {policy}, budget)
        .value();
  }
  // The call is not placed, for these reasons.
  void ExpectShortage(const Policy& policy, const Shortage& shortage,
                      std::string_view why) const {
    const Decision decision = Decided(policy);
    EXPECT_FALSE(decision.placed);
    EXPECT_EQ(decision.shortage, shortage);
    EXPECT_EQ(WhyText(decision, decision.trace), why);
  }
  static NodeSet Nodes(std::vector<NodeId> nodes) { return NodeSet(8, nodes); }

  const LowestFree lowest_;
  const FindsNoPlace finds_no_place_;
  Allocator allocator_{LineMachine(8), std::vector<Units>(8, 4)};
  AllocateCall call_;
};

TEST_F(ShortageTest, ARangeTakesAsManyNodesAsAreAvailable) {
  call_.request.demand = {2, 4, 0};
  EXPECT_EQ(Decided(LowestFree()).allocation.nodes.size(), 4U);
  call_.request.demand = {2, 8, 0};
  EXPECT_EQ(Decided(LowestFree()).allocation.nodes.size(), 5U);
  call_.request.demand = {6, 8, 0};
  EXPECT_FALSE(Decided(LowestFree()).placed);
}

TEST_F(ShortageTest, IsZeroWhenPlaced) {
  call_.request.demand = Demand::Nodes(5);
  const Decision decision = Decided(lowest_);
  EXPECT_TRUE(decision.placed);
  EXPECT_EQ(decision.shortage, Shortage());
  EXPECT_EQ(WhyText(decision, decision.trace), "lowest-free: nodes 5");
}

TEST_F(ShortageTest, CountsNodesOfOtherJobs) {
  call_.request.demand = Demand::Nodes(6);
  ExpectShortage(lowest_, {.busy = 3},
                 "lowest-free: too few of the offered nodes are free (nodes: 3 "
                 "busy)");
}

TEST_F(ShortageTest, CountsEachNodeByItsFirstReason) {
  call_.request.demand = Demand::Nodes(4);
  call_.candidates = Nodes({1, 2, 3, 4, 5, 6});
  call_.excluded = Nodes({0, 1, 6});  // 0 is not offered, 1 is busy, too
  ExpectShortage(
      lowest_, {.not_offered = 2, .excluded = 2, .busy = 1},
      "lowest-free: too few of the offered nodes are free (nodes: 2 not "
      "offered, 2 excluded, 1 busy)");
}

TEST_F(ShortageTest, CountsExclusionsWithoutCandidates) {
  call_.request.demand = Demand::Nodes(6);
  call_.excluded = Nodes({0, 7});
  EXPECT_EQ(Decided(lowest_).shortage, (Shortage{.excluded = 2, .busy = 2}));
}

TEST_F(ShortageTest, CountsBusyNodesWhenARequiredNodeIsBusy) {
  call_.request.demand = Demand::Nodes(1);
  call_.request.required = Nodes({1});
  const Decision decision = Decided(lowest_);
  EXPECT_EQ(decision.reason, "a required node is not free");
  EXPECT_EQ(decision.shortage, (Shortage{.busy = 3}));
  EXPECT_EQ(WhyText(decision, decision.trace),
            "lowest-free: a required node is not free (nodes: 3 busy)");
}

TEST_F(ShortageTest, CountsNodesWithTooFewUnits) {
  call_.request.whole = false;
  call_.request.demand = {1, 1, 5};  // more than any node has
  ExpectShortage(
      lowest_, {.busy = 2, .lacking_units = 6},
      "lowest-free: the policy found no place (nodes: 2 busy, 6 lacking "
      "units)");
  call_.request.demand = {1, 1, 4};  // more than node 2 has left
  EXPECT_EQ(Decided(finds_no_place_).shortage,
            (Shortage{.busy = 2, .lacking_units = 1, .rejected = 5}));
  call_.request.demand = {1, 2, 9};  // more than any two nodes have
  EXPECT_EQ(Decided(finds_no_place_).shortage,
            (Shortage{.busy = 2, .lacking_units = 6}));
}

TEST_F(ShortageTest, CountsUnitsOfSeveralNodesTogether) {
  call_.request.whole = false;
  call_.request.demand = {1, 2, 5};  // 1 unit of node 2, 4 of any other
  EXPECT_EQ(Decided(finds_no_place_).shortage,
            (Shortage{.busy = 2, .rejected = 6}));
  call_.request.demand = {1, 2, 6};  // 1 + 4 units are too few
  EXPECT_EQ(Decided(finds_no_place_).shortage,
            (Shortage{.busy = 2, .lacking_units = 1, .rejected = 5}));
  call_.request.demand = {1, 8, 21};  // all units of the machine
  EXPECT_EQ(Decided(finds_no_place_).shortage,
            (Shortage{.busy = 2, .rejected = 6}));
  call_.request.demand = {1, 8, 22};
  EXPECT_EQ(Decided(finds_no_place_).shortage,
            (Shortage{.busy = 2, .lacking_units = 6}));
  // Nodes 2 and 3 have 1 + 4 units.
  call_.candidates = Nodes({0, 2, 3});
  call_.request.demand = {1, 2, 5};
  EXPECT_EQ(Decided(finds_no_place_).shortage,
            (Shortage{.not_offered = 5, .busy = 1, .rejected = 2}));
}

TEST_F(ShortageTest, CountsNoRejectionWhenTheBudgetEnds) {
  call_.request.demand = Demand::Nodes(2);
  call_.candidates = Nodes({2, 3, 4, 5});
  const Decision decision = Decided(SearchesUntilBudgetEnds(), Budget(100));
  EXPECT_TRUE(decision.stopped_early);
  EXPECT_EQ(decision.shortage, (Shortage{.not_offered = 4, .busy = 1}));
  EXPECT_EQ(WhyText(decision, decision.trace),
            "searches: the budget ended before a place was found (nodes: 4 not "
            "offered, 1 busy)");
}

TEST_F(ShortageTest, CountsNodesThePolicyRejected) {
  call_.request.demand = Demand::Nodes(2);
  call_.candidates = Nodes({2, 3, 4, 5});
  ExpectShortage(
      finds_no_place_, {.not_offered = 4, .busy = 1, .rejected = 3},
      "finds-no-place: the policy found no place (nodes: 4 not offered, "
      "1 busy, 3 rejected by the policy)");
}

TEST_F(ShortageTest, AddsUpToTheMachine) {
  for (const bool whole : {true, false}) {
    for (std::uint32_t units = 0; units <= 20; units += 5) {
      call_.request.whole = whole;
      call_.request.demand = {2, 4, units};
      call_.candidates = units % 2 == 0 ? NodeSet() : Nodes({0, 2, 4, 6, 7});
      call_.excluded = whole ? Nodes({3, 4}) : NodeSet();
      const Shortage shortage = Decided(finds_no_place_).shortage;
      const Decision decision = Decided(finds_no_place_);
      EXPECT_EQ(shortage.not_offered + shortage.excluded + shortage.busy +
                    decision.available,
                8U);
      EXPECT_EQ(shortage.lacking_units + shortage.rejected, decision.available);
    }
  }
}

TEST(WhyTextTest, AddsLaterFacts) {
  Decision decision;
  decision.placed = true;
  decision.policy = "best-fit";
  decision.trace.Note("interval_nodes", std::int64_t{12});
  Trace more = decision.trace;
  more.Note("pairwise_total", std::int64_t{66});
  EXPECT_EQ(WhyText(decision, more),
            "best-fit: interval nodes 12, pairwise total 66");
}

TEST(WhyTextTest, NamesPolicyAndReasonWithoutCounts) {
  Decision decision;
  decision.policy = "best-fit";
  decision.reason = "the policy found no place";
  EXPECT_EQ(WhyText(decision, decision.trace),
            "best-fit: the policy found no place");
}

}  // namespace
}  // namespace coolspan
