// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/allocator.h"
#include "unit/core/allocate_calls.h"
#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;

// Six nodes of eight units, on which jobs use other numbers of CPUs.
class QuestionTest : public ::testing::Test {
 protected:
  static constexpr NodeCount kNodes = 6;

  QuestionTest() : allocator_(LineMachine(kNodes)) {
    allocator_.Sync(std::vector<Units>(kNodes, 8), {}, 0);
  }
  static AllocateCall Call(std::uint32_t job_id, Demand demand,
                           UsableByNode usable) {
    AllocateCall call = Ask(job_id, 1);
    call.request.whole = false;
    call.request.demand = demand;
    call.request.usable = std::make_shared<UsableByNode>(std::move(usable));
    return call;
  }
  // Empty: not placed.
  std::vector<NodeId> Place(const AllocateCall& call) {
    Budget budget;
    const auto decision = allocator_.Allocate(call, {LowestFree()}, budget);
    EXPECT_TRUE(decision.ok()) << decision.status();
    return (*decision)->placed ? (*decision)->allocation.nodes
                               : std::vector<NodeId>();
  }
  Units Free(NodeId node) const { return allocator_.ledger().free_units(node); }

  Allocator allocator_;
};

TEST_F(QuestionTest, NodesWithoutUsableUnitsAreNotChosen) {
  EXPECT_THAT(Place(Call(1, {2, 2, 2, false}, {{0}, {4}, {0}, {0}, {4}, {4}})),
              ElementsAre(1, 4));
  EXPECT_THAT(Place(Call(2, Demand::Nodes(3), {{0}, {0}, {1}, {1}, {0}, {1}})),
              ElementsAre(2, 3, 5));
}

TEST_F(QuestionTest, AsFewNodesAsHaveTheUnits) {
  EXPECT_THAT(Place(Call(1, {1, 6, 9, false}, UsableByNode(kNodes, {4}))),
              ElementsAre(0, 1, 2));
  EXPECT_THAT(Place(Call(2, {1, 6, 25, false}, UsableByNode(kNodes, {4}))),
              ElementsAre());
}

TEST_F(QuestionTest, AsManyNodesAsAreAvailable) {
  EXPECT_THAT(Place(Call(1, {1, 4, 5, true}, UsableByNode(kNodes, {4}))),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Place(Call(2, {1, 9, 5, true}, {{4}, {0}, {0}, {0}, {4}, {0}})),
              ElementsAre(0, 4));
}

// Two CPUs of each unit of the ledger.
TEST_F(QuestionTest, HoldsUnitsOfTheLedger) {
  EXPECT_THAT(Place(Call(1, {1, 6, 19, false}, UsableByNode(kNodes, {16, 2}))),
              ElementsAre(0, 1));
  EXPECT_EQ(Free(0), 0U) << "15 CPUs, and one on the other node";
  EXPECT_EQ(Free(1), 6U) << "4 CPUs";
}

// The resource manager may know less than the ledger.
TEST_F(QuestionTest, UsesNoMoreThanIsFree) {
  Place(Call(1, {1, 6, 12, false}, UsableByNode(kNodes, {16, 2})));
  EXPECT_EQ(Free(0), 2U);
  EXPECT_THAT(Place(Call(2, {1, 6, 16, false}, UsableByNode(kNodes, {16, 2}))),
              ElementsAre(0, 1));
  EXPECT_EQ(Free(0), 0U);
}

TEST_F(QuestionTest, UsableUnitsOfAnotherNumberOfNodesAreRefused) {
  Budget budget;
  EXPECT_TRUE(absl::IsInvalidArgument(
      allocator_
          .Allocate(Call(1, Demand::Nodes(1), {{1}, {1}}), {LowestFree()},
                    budget)
          .status()));
}

}  // namespace
}  // namespace coolspan
