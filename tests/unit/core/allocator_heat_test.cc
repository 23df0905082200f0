// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/allocator.h"
#include "mesh_machine.h"
#include "room_machine.h"
#include "unit/core/allocate_calls.h"

namespace coolspan {
namespace {

// Takes these nodes and no others, if they are free.
class Takes final : public Policy {
 public:
  // name: a literal, which decisions refer to. "slow": as long as it may.
  Takes(std::string_view name, std::vector<NodeId> nodes)
      : name_(name), nodes_(std::move(nodes)) {}

  std::string_view name() const override { return name_; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& /*request*/, Budget& budget,
                                  Trace& trace) const override {
    budget.Spend(1);
    while (name_ == "slow" && budget.Spend(1)) continue;
    trace.Note(name_ == "cooler" ? "cooler_was_asked" : "policy_was_asked",
               1.0);
    const bool free = std::all_of(
        nodes_.begin(), nodes_.end(),
        [&view](NodeId node) { return view.available().Contains(node); });
    if (!free) return std::nullopt;
    return Allocation{nodes_};
  }

 private:
  const std::string_view name_;
  const std::vector<NodeId> nodes_;
};

std::shared_ptr<const Policy> Cooler(std::vector<NodeId> nodes) {
  return std::make_shared<Takes>("cooler", std::move(nodes));
}

// Four nodes, each of its own zone; they warm themselves by 0.01, 0.02, 0.04
// and 0.08 K/W: a job of communication share 0 makes 300 W, so 18, 21, 27 and
// 39 C; idle, 16, 17, 19 and 23 C.
class RedlineGuardTest : public ::testing::Test {
 protected:
  Decision Decide(std::vector<NodeId> own,
                  const std::shared_ptr<const Policy>& cooler,
                  Budget budget = Budget(), std::string_view name = "own") {
    Room::Description room = RoomDescription(
        4, 4, {0.01, 0, 0, 0, 0, 0.02, 0, 0, 0, 0, 0.04, 0, 0, 0, 0, 0.08});
    room.redline_c = redline_c_;
    room.communication_share = 0;
    Allocator allocator(InRoom(*MeshMachine(FlatGrid({4})), std::move(room)));
    const Takes policy(name, std::move(own));
    const auto decision =
        allocator.Allocate(Ask(1, 1), {policy, cooler.get()}, budget);
    EXPECT_TRUE(decision.ok()) << decision.status();
    const Holding* const held = allocator.ledger().Find(1);
    EXPECT_EQ(held->nodes, (*decision)->allocation.nodes);
    return **decision;
  }
  static std::string Why(const Decision& decision) {
    return Describe(decision.policy, decision.trace);
  }

  double redline_c_ = 30;
};

TEST_F(RedlineGuardTest, KeepsNodesBelowTheRedline) {
  const Decision decision = Decide({2}, Cooler({0}));
  EXPECT_EQ(decision.allocation.nodes, std::vector<NodeId>{2});
  EXPECT_FALSE(decision.guarded);
  EXPECT_FALSE(decision.over_redline);
  EXPECT_EQ(Why(decision).find("cooler"), std::string::npos);
}

TEST_F(RedlineGuardTest, TakesAndReportsCoolerNodes) {
  const Decision decision = Decide({3}, Cooler({0}));
  EXPECT_EQ(decision.allocation.nodes, std::vector<NodeId>{0});
  EXPECT_TRUE(decision.guarded);
  EXPECT_FALSE(decision.over_redline);
  EXPECT_EQ(decision.policy, "own");
  EXPECT_EQ(
      Why(decision).find(
          "own: cooler was asked 1, redline guard took cooler nodes, chosen "
          "by cooler, unguarded peak inlet 39 C, peak inlet before 23 C, "
          "peak inlet after 23 C, cooling added "),
      0U)
      << Why(decision);
}

TEST_F(RedlineGuardTest, TakesTheLowestExcess) {
  redline_c_ = 22;
  const Decision decision = Decide({3}, Cooler({2}));
  EXPECT_EQ(decision.allocation.nodes, std::vector<NodeId>{2});
  EXPECT_TRUE(decision.guarded);
  EXPECT_TRUE(decision.over_redline);
  EXPECT_NE(Why(decision).find("over redline 5 K,"), std::string::npos)
      << Why(decision);
}

TEST_F(RedlineGuardTest, KeepsNodesIfNoneAreCooler) {
  const auto expect_own = [this](const std::shared_ptr<const Policy>& cooler,
                                 const std::string& says) {
    const Decision decision = Decide({3}, cooler);
    EXPECT_EQ(decision.allocation.nodes, std::vector<NodeId>{3});
    EXPECT_FALSE(decision.guarded);
    EXPECT_TRUE(decision.over_redline);
    EXPECT_NE(Why(decision).find("policy was asked 1" + says +
                                 ", peak inlet before 23 C, peak inlet after "
                                 "39 C, over redline 9 K"),
              std::string::npos)
        << Why(decision);
  };
  expect_own(nullptr, "");
  expect_own(Cooler({3}), ", redline guard found no cooler nodes");
  // Answers that break the contract: none, two, one that there is not.
  expect_own(Cooler({}), ", redline guard found no cooler nodes");
  expect_own(Cooler({0, 1}), ", redline guard found no cooler nodes");
  expect_own(Cooler({1, 0}), ", redline guard found no cooler nodes");
}

TEST_F(RedlineGuardTest, StopsAtTheDeadline) {
  const Decision decision = Decide({3}, Cooler({0}), Budget(0));
  EXPECT_EQ(decision.allocation.nodes, std::vector<NodeId>{3});
  EXPECT_NE(Why(decision).find("redline guard no time for cooler nodes"),
            std::string::npos)
      << Why(decision);
}

TEST_F(RedlineGuardTest, HasBudgetAfterASlowPolicy) {
  const Decision decision = Decide({3}, Cooler({0}), Budget(1000), "slow");
  EXPECT_EQ(decision.allocation.nodes, std::vector<NodeId>{0});
  EXPECT_TRUE(decision.guarded);
  EXPECT_FALSE(decision.stopped_early);
}

TEST_F(RedlineGuardTest, APolicyThatStoppedEarlyIsMarked) {
  const Decision decision = Decide({3}, Cooler({3}), Budget(1000), "slow");
  EXPECT_EQ(decision.allocation.nodes, std::vector<NodeId>{3});
  EXPECT_TRUE(decision.stopped_early);
}

}  // namespace
}  // namespace coolspan
