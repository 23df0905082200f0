// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/tiers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "core/allocator.h"
#include "unit/core/allocate_calls.h"
#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TiersTest : public ::testing::Test {
 protected:
  // The members of available and required, of a request for whole nodes.
  struct Limited {
    std::vector<NodeId> available;
    std::vector<NodeId> required;
  };
  Limited Limit(const Request& request) const {
    const TieredRequest limited =
        LimitToTiers(request, available_, tiers_, UnitsByNode(units_));
    return {limited.available.Members(), limited.request.required.Members()};
  }
  static Request Nodes(NodeCount nodes) {
    Request request;
    request.demand = Demand::Nodes(nodes);
    return request;
  }
  static Request InUnits(std::uint32_t units, NodeCount min_nodes,
                         NodeCount max_nodes) {
    Request request;
    request.whole = false;
    request.demand = {min_nodes, max_nodes, units};
    return request;
  }

  // Node 0 is not available.
  NodeSet available_{8, std::vector<NodeId>{1, 2, 3, 4, 5, 6, 7}};
  std::vector<Tier> tiers_{0, 7, 3, 3, 9, 9, 7, 9};
  std::vector<Units> units_{4, 1, 1, 1, 8, 8, 1, 8};
};

TEST_F(TiersTest, TheLowestTierIsEnough) {
  const Limited limited = Limit(Nodes(2));
  EXPECT_THAT(limited.available, ElementsAre(2, 3));
  EXPECT_THAT(limited.required, IsEmpty());
}

TEST_F(TiersTest, ATierIsUsedUpBeforeTheNext) {
  const Limited limited = Limit(Nodes(3));
  EXPECT_THAT(limited.available, ElementsAre(1, 2, 3, 6));
  EXPECT_THAT(limited.required, ElementsAre(2, 3));
}

TEST_F(TiersTest, AllTiers) {
  const Limited limited = Limit(Nodes(7));
  EXPECT_THAT(limited.available, ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(limited.required, ElementsAre(1, 2, 3, 6));
}

TEST_F(TiersTest, RequiredNodesCountFirst) {
  Request request = Nodes(3);
  request.required = NodeSet(8, std::vector<NodeId>{4});
  const Limited limited = Limit(request);
  EXPECT_THAT(limited.available, ElementsAre(2, 3, 4));
  EXPECT_THAT(limited.required, ElementsAre(4));
  request.demand = Demand::Nodes(1);
  EXPECT_THAT(Limit(request).available, ElementsAre(4));
}

TEST_F(TiersTest, UnitsOpenATierToo) {
  EXPECT_THAT(Limit(InUnits(4, 1, 8)).available, ElementsAre(1, 2, 3, 6));
  const Limited limited = Limit(InUnits(5, 1, 8));
  EXPECT_THAT(limited.available, ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(limited.required, ElementsAre(1, 2, 3, 6));
}

TEST_F(TiersTest, LowerTiersThatTakeTooManyNodesAreNotRequired) {
  const Limited limited = Limit(InUnits(16, 1, 2));
  EXPECT_THAT(limited.available, ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(limited.required, IsEmpty());
}

TEST_F(TiersTest, AsManyLowerTiersAreRequiredAsLeaveEnoughUnits) {
  // Nodes 1, 2, 3, 6 have one unit each, the others eight.
  const Limited limited = Limit(InUnits(16, 1, 5));
  EXPECT_THAT(limited.available, ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(limited.required, ElementsAre(2, 3));
  EXPECT_THAT(Limit(InUnits(24, 1, 3)).required, IsEmpty());
  EXPECT_THAT(Limit(InUnits(12, 1, 5)).required, ElementsAre(1, 2, 3, 6));
}

TEST_F(TiersTest, RequiredNodesThatAreNotAvailableAreNotAdded) {
  Request request = Nodes(2);
  request.required = NodeSet(8, std::vector<NodeId>{0});
  const Limited limited = Limit(request);
  EXPECT_THAT(limited.available, ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(limited.required, ElementsAre(0));
}

TEST_F(TiersTest, WithoutAFitNothingIsLimited) {
  for (const Request& request : {Nodes(8), InUnits(30, 1, 8)}) {
    const Limited limited = Limit(request);
    EXPECT_THAT(limited.available, ElementsAre(1, 2, 3, 4, 5, 6, 7));
    EXPECT_THAT(limited.required, IsEmpty());
  }
}

// The tiers of the chosen nodes, from a plain greedy computation.
TEST_F(TiersTest, DecisionsTakeTheLowestTiers) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const NodeCount nodes = 20;
    Allocator allocator(LineMachine(nodes));
    std::vector<NodeId> busy;
    AllocateCall call;
    for (NodeId node = 0; node < nodes; ++node) {
      if (random() % 3 == 0) busy.push_back(node);
      call.tiers.push_back(random() % 4);
    }
    if (!busy.empty()) allocator.Commit(Runs(7, busy), 0);
    std::vector<Tier> free;
    for (NodeId node = 0; node < nodes; ++node) {
      if (!std::binary_search(busy.begin(), busy.end(), node))
        free.push_back(call.tiers[node]);
    }
    if (free.empty()) continue;
    std::sort(free.begin(), free.end());
    const auto wanted = static_cast<NodeCount>(1 + random() % free.size());
    free.resize(wanted);
    call.job = {1, 0};
    call.attempt = 1;
    call.request.demand = Demand::Nodes(wanted);
    Budget budget;
    const LowestFree policy;
    const auto decision = allocator.Allocate(call, {policy}, budget);
    ASSERT_TRUE(decision.ok() && (*decision)->placed) << decision.status();
    std::vector<Tier> taken;
    for (const NodeId node : (*decision)->allocation.nodes) {
      taken.push_back(call.tiers[node]);
    }
    std::sort(taken.begin(), taken.end());
    EXPECT_EQ(taken, free);
  }
}

// Whether the required nodes and the best of the others meet the demand.
bool IsFeasible(const TieredRequest& question,
                const std::vector<Units>& units) {
  const Demand& demand = question.request.demand;
  std::uint32_t sum = 0;
  NodeCount count = 0;
  std::vector<Units> others;
  question.available.ForEach([&](NodeId node) {
    const NodeSet& required = question.request.required;
    if (required.size() == 0 || !required.Contains(node)) {
      others.push_back(units[node]);
      return;
    }
    sum += units[node];
    ++count;
  });
  std::sort(others.begin(), others.end(), std::greater<>());
  for (const Units more : others) {
    if (count >= demand.min_nodes && sum >= demand.units) break;
    sum += more;
    ++count;
  }
  return count >= demand.min_nodes && count <= demand.max_nodes &&
         sum >= demand.units;
}

TEST_F(TiersTest, WhatFitsWithoutTiersFitsWithThem) {
  std::mt19937 random(2);
  const auto upto = [&random](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  int feasible = 0;
  for (int round = 0; round < 5000; ++round) {
    const NodeCount nodes = 12;
    std::vector<Units> units(nodes);
    std::vector<Tier> tiers(nodes);
    for (NodeId node = 0; node < nodes; ++node) {
      units[node] = 1 + upto(2) * upto(8);
      tiers[node] = upto(3);
    }
    const NodeCount min_nodes = 1 + upto(4);
    const Request request =
        InUnits(min_nodes + upto(24), min_nodes, min_nodes + upto(4));
    const NodeSet all = NodeSet::All(nodes);
    if (!IsFeasible({all, request}, units)) continue;
    ++feasible;
    EXPECT_TRUE(IsFeasible(
        LimitToTiers(request, all, tiers, UnitsByNode(units)), units))
        << "round " << round;
  }
  EXPECT_GT(feasible, 1000);
}

TEST_F(TiersTest, TiersOfAnotherSizeAreRefused) {
  Allocator allocator(LineMachine(8));
  AllocateCall call = Ask(1, 2);
  call.tiers = {1, 2, 3};
  Budget budget;
  EXPECT_TRUE(absl::IsInvalidArgument(
      allocator.Allocate(call, {LowestFree()}, budget).status()));
}

}  // namespace
}  // namespace coolspan
