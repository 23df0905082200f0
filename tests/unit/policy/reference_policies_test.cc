// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/reference_policies.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/allocator.h"
#include "mesh_machine.h"
#include "room_machine.h"

namespace coolspan {
namespace {

// The facts of a trace, by name.
template <typename Value>
std::optional<Value> ValueOf(const Decision& decision, std::string_view name) {
  std::optional<Value> value;
  for (const Trace::Fact& fact : decision.trace.facts()) {
    if (fact.name == name) value = std::get<Value>(fact.value);
  }
  return value;
}
std::optional<double> FactOf(const Decision& decision, std::string_view name) {
  return ValueOf<double>(decision, name);
}
std::optional<std::int64_t> CountOf(const Decision& decision,
                                    std::string_view name) {
  return ValueOf<std::int64_t>(decision, name);
}
std::optional<std::string_view> TextOf(const Decision& decision,
                                       std::string_view name) {
  return ValueOf<std::string_view>(decision, name);
}

// Chooses these nodes, or none.
class TakesThese final : public Policy {
 public:
  explicit TakesThese(std::vector<NodeId> nodes) : nodes_(std::move(nodes)) {}
  std::string_view name() const override { return "takes-these"; }
  std::optional<Allocation> Place(const MachineView& /*view*/,
                                  const Request& /*request*/, Budget& budget,
                                  Trace& trace) const override {
    trace.Note("its_own", 1.0);
    if (nodes_.empty() || !budget.Spend(1)) return std::nullopt;
    return Allocation{nodes_};
  }

 private:
  std::vector<NodeId> nodes_;
};

class ReferencePoliciesTest : public ::testing::Test {
 protected:
  // Of a job of two nodes on a line of four in two zones, all free.
  Decision Decide(std::vector<NodeId> chosen, std::vector<NodeId> coolest,
                  std::vector<NodeId> compact, Budget budget = Budget()) {
    const auto mesh = MeshMachine(FlatGrid({4}));
    // The first zone warms the second.
    const auto machine =
        InRoom(*mesh, RoomDescription(4, 2, {0, 0, 0.015625, 0.0078125}));
    Allocator allocator(machine);
    AllocateCall call;
    call.job = {1, 0};
    call.request.demand = Demand::Nodes(2);
    call.request.communication_share = 0.5F;
    const MachineSnapshot snapshot = allocator.SnapshotFor(call);
    Budget unlimited;
    const TakesThese policy(std::move(chosen));
    Decision decision = *allocator.Allocate(call, {policy}, unlimited).value();
    // Whoever waits for nodes has them by now, and the ledger goes on.
    EXPECT_EQ(decision.trace.facts().size(), 1U + 4);
    EXPECT_TRUE(allocator.Release(call.job, 0));
    NoteComparison({std::make_shared<TakesThese>(std::move(coolest)),
                    std::make_shared<TakesThese>(std::move(compact))},
                   snapshot, call, decision, budget, decision.trace);
    return decision;
  }
  // Of the pair's own zone: 150 W more each of node 0 and 1 warm the other
  // zone by 1/64 K a watt, those of 2 and 3 by 1/128.
  static constexpr double kBeforeC = 15 + 200 * 0.0234375;
};

TEST_F(ReferencePoliciesTest, NotesTheCostOfTheCoolestChoice) {
  const Decision decision = Decide({0, 3}, {2, 3}, {});
  EXPECT_EQ(decision.allocation.nodes, (std::vector<NodeId>{0, 3}));
  EXPECT_EQ(FactOf(decision, "its_own"), 1);
  EXPECT_EQ(decision.trace.facts().size(), 1U + 4 + 4);
  EXPECT_NEAR(FactOf(decision, "peak_inlet_after_c").value(),
              kBeforeC + 150 * (0.015625 + 0.0078125), 6e-4);
  EXPECT_NEAR(FactOf(decision, "coolest_peak_inlet_c").value(),
              kBeforeC + 300 * 0.0078125, 6e-4);
  EXPECT_EQ(CountOf(decision, "pairwise_total"), 3);
  EXPECT_EQ(CountOf(decision, "coolest_pairwise_total"), 1);
  EXPECT_LT(FactOf(decision, "coolest_cooling_added_w").value(),
            FactOf(decision, "cooling_added_w").value());
}

TEST_F(ReferencePoliciesTest, NotesTheCostOfTheMostCompactChoice) {
  const Decision decision = Decide({0, 3}, {}, {0, 1});
  EXPECT_NEAR(FactOf(decision, "compact_peak_inlet_c").value(),
              kBeforeC + 300 * 0.015625, 6e-4);
  EXPECT_EQ(CountOf(decision, "pairwise_total"), 3);
  EXPECT_EQ(CountOf(decision, "compact_pairwise_total"), 1);
  EXPECT_GT(FactOf(decision, "compact_cooling_added_w").value(),
            FactOf(decision, "cooling_added_w").value());
}

// Of two as compact it is the cooler.
TEST_F(ReferencePoliciesTest, TheCoolestMayBeTheMostCompact) {
  const Decision decision = Decide({0, 3}, {2, 3}, {0, 1});
  EXPECT_EQ(FactOf(decision, "compact_peak_inlet_c"),
            FactOf(decision, "coolest_peak_inlet_c"));
}

TEST_F(ReferencePoliciesTest, TheDecisionItselfMayBeTheBest) {
  Decision decision = Decide({2, 3}, {0, 1}, {1, 3});
  EXPECT_EQ(FactOf(decision, "coolest_peak_inlet_c"),
            FactOf(decision, "peak_inlet_after_c"));
  EXPECT_EQ(CountOf(decision, "compact_pairwise_total"), 1);
  EXPECT_EQ(FactOf(decision, "compact_cooling_added_w"),
            FactOf(decision, "cooling_added_w"));
  decision = Decide({0, 3}, {}, {});  // no place was found
  EXPECT_EQ(FactOf(decision, "coolest_peak_inlet_c"), std::nullopt);
  EXPECT_EQ(TextOf(decision, "compared"), std::nullopt);
}

// What was not asked in time is not said to be the best.
TEST_F(ReferencePoliciesTest, DeadlineBeforeTheComparison) {
  int asked = 0;
  const Decision one =
      Decide({0, 3}, {2, 3}, {0, 1},
             Budget(Budget::kUnlimited, [&asked] { return ++asked > 3; }));
  EXPECT_EQ(CountOf(one, "pairwise_total"), 3);
  EXPECT_EQ(CountOf(one, "coolest_pairwise_total"), 1);
  EXPECT_EQ(CountOf(one, "compact_pairwise_total"), std::nullopt);
  EXPECT_EQ(FactOf(one, "compact_peak_inlet_c"), std::nullopt);
  EXPECT_EQ(TextOf(one, "compared"), "no time");

  const Decision none = Decide({0, 3}, {2, 3}, {0, 1},
                               Budget(Budget::kUnlimited, [] { return true; }));
  EXPECT_EQ(CountOf(none, "pairwise_total"), std::nullopt)
      << "it takes quadratic time too";
  EXPECT_EQ(CountOf(none, "coolest_pairwise_total"), std::nullopt);
  EXPECT_EQ(TextOf(none, "compared"), "no time");
}

// One that ends in the middle of its search says nothing either.
TEST_F(ReferencePoliciesTest, DeadlineDuringTheComparison) {
  int asked = 0;
  const Decision decision =
      Decide({0, 3}, {2, 3}, {0, 1},
             Budget(Budget::kUnlimited, [&asked] { return ++asked > 1; }));
  EXPECT_EQ(CountOf(decision, "coolest_pairwise_total"), std::nullopt);
  EXPECT_EQ(TextOf(decision, "compared"), "no time");
}

}  // namespace
}  // namespace coolspan
