// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/allocate_calls.h"
#include "unit/core/line_machine.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Answers what a test tells it to, right or wrong.
class Scripted final : public Policy {
 public:
  explicit Scripted(std::vector<NodeId> nodes) : nodes_(std::move(nodes)) {}
  std::string_view name() const override { return "scripted"; }
  std::optional<Allocation> Place(const MachineView&, const Request&, Budget&,
                                  Trace&) const override {
    return Allocation{nodes_};
  }

 private:
  std::vector<NodeId> nodes_;
};

// Records what it is told of a job that runs on node 0.
class SeesEnds final : public Policy {
 public:
  std::string_view name() const override { return "sees-ends"; }
  std::optional<Allocation> Place(const MachineView& view, const Request&,
                                  Budget&, Trace& trace) const override {
    trace.Note("end_ms", std::int64_t{view.EndOn(0)});
    trace.Note("now_ms", std::int64_t{view.now_ms()});
    return std::nullopt;
  }
};

Trace Facts(TimeMs end_ms, TimeMs now_ms) {
  Trace trace;
  trace.Note("end_ms", std::int64_t{end_ms});
  trace.Note("now_ms", std::int64_t{now_ms});
  return trace;
}

class AllocatorTest : public ::testing::Test {
 protected:
  absl::StatusOr<Decision> Allocate(const AllocateCall& call) {
    Budget budget;
    const auto answer = allocator_.Allocate(call, {*policy_}, budget);
    if (!answer.ok()) return answer.status();
    return **answer;
  }
  std::vector<NodeId> Placed(const AllocateCall& call) {
    const auto decision = Allocate(call);
    EXPECT_TRUE(decision.ok()) << decision.status();
    if (!decision.ok()) return {};
    EXPECT_TRUE(decision->placed) << decision->reason;
    return decision->allocation.nodes;
  }
  absl::StatusCode Refused(const AllocateCall& call) {
    return Allocate(call).status().code();
  }
  NodeCount Free() const {
    return allocator_.ledger().availability()->free_whole_count;
  }

  std::shared_ptr<const Machine> machine_ = LineMachine(8);
  std::shared_ptr<const Policy> policy_ = std::make_shared<LowestFree>();
  Allocator allocator_{machine_};
};

TEST_F(AllocatorTest, PlacesAndHoldsTentatively) {
  const auto decision = Allocate(At(5, Ask(42, 3)));
  ASSERT_TRUE(decision.ok()) << decision.status();
  EXPECT_TRUE(decision->placed);
  EXPECT_EQ(decision->id, "42.0.1");
  EXPECT_EQ(decision->policy, "lowest-free");
  EXPECT_EQ(decision->available, 8U);
  EXPECT_EQ(decision->decided_ms, 5);
  EXPECT_EQ(decision->reason, "");
  EXPECT_EQ(Describe(decision->policy, decision->trace),
            "lowest-free: nodes 3");
  EXPECT_THAT(decision->allocation.nodes, ElementsAre(0, 1, 2));
  const Holding* held = allocator_.ledger().Find(42);
  ASSERT_NE(held, nullptr);
  EXPECT_FALSE(held->committed);
  EXPECT_EQ(held->expires_ms, 5 + Allocator::kTentativeMs);
  EXPECT_EQ(held->decision_id, "42.0.1");
  EXPECT_EQ(Free(), 5U);
}

TEST_F(AllocatorTest, ReportsWhyNothingIsPlaced) {
  Placed(Ask(1, 6));
  const auto decision = Allocate(Ask(2, 3));
  ASSERT_TRUE(decision.ok()) << decision.status();
  EXPECT_FALSE(decision->placed);
  EXPECT_EQ(decision->reason, "too few of the offered nodes are free");
  EXPECT_EQ(decision->available, 2U);
  EXPECT_EQ(allocator_.ledger().Find(2), nullptr);
}

TEST_F(AllocatorTest, MarksADecisionThatRanOutOfBudget) {
  Budget none(0);
  const auto answer = allocator_.Allocate(Ask(1, 1), {*policy_}, none);
  ASSERT_TRUE(answer.ok()) << answer.status();
  const Decision& decision = **answer;
  EXPECT_FALSE(decision.placed);
  EXPECT_TRUE(decision.stopped_early);
  EXPECT_EQ(decision.reason, "the budget ended before a place was found");
}

TEST_F(AllocatorTest, KeepsToOfferedRequiredAndExcludedNodes) {
  AllocateCall call = Ask(1, 3);
  call.candidates = NodeSet(8, std::vector<NodeId>{1, 2, 3, 5, 7});
  call.excluded = NodeSet(8, std::vector<NodeId>{2});
  call.request.required = NodeSet(8, std::vector<NodeId>{7});
  EXPECT_THAT(Placed(call), ElementsAre(1, 3, 7));
  call.job.job_id = 2;
  const auto decision = Allocate(call);
  EXPECT_FALSE(decision->placed);
  call.request.demand = Demand::Nodes(1);
  call.attempt = 2;
  EXPECT_EQ(Allocate(call)->reason, "a required node is not free");
}

TEST_F(AllocatorTest, RefusesRequestsTheMachineCannotMeet) {
  const auto invalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(Refused(Ask(1, 0)), invalid);
  EXPECT_EQ(Refused(Ask(1, 9)), invalid);
  AllocateCall call = Ask(1, 2);
  call.request.demand.max_nodes = 1;
  EXPECT_EQ(Refused(call), invalid);
  call = Ask(1, 2);
  call.candidates = NodeSet(9);
  EXPECT_EQ(Refused(call), invalid);
  call = Ask(1, 2);
  call.request.demand.units = 9;
  EXPECT_EQ(Refused(call), invalid);
  call = Ask(1, 1);
  call.request.required = NodeSet::All(8);
  EXPECT_EQ(Refused(call), invalid);
  call = Ask(1, 8);
  call.request.required = NodeSet::All(8);
  call.excluded = NodeSet(8, std::vector<NodeId>{3});
  EXPECT_EQ(Refused(call), invalid);
  EXPECT_EQ(Free(), 8U);
}

TEST_F(AllocatorTest, RepeatGetsTheSameAnswer) {
  const auto first = Placed(At(0, Ask(1, 3)));
  Placed(At(1, Ask(2, 3)));
  EXPECT_EQ(Placed(At(2, Ask(1, 3))), first);
  EXPECT_EQ(allocator_.ledger().Find(1)->expires_ms, Allocator::kTentativeMs);
  EXPECT_TRUE(allocator_.Commit(Runs(1, first), 3).as_decided);
  EXPECT_EQ(Placed(At(4, Ask(1, 3))), first);
  EXPECT_TRUE(allocator_.ledger().Find(1)->committed);
  EXPECT_EQ(Free(), 2U);
}

TEST_F(AllocatorTest, RepeatGetsTheSameRefusal) {
  Placed(Ask(1, 8));
  EXPECT_FALSE(Allocate(Ask(2, 1))->placed);
  allocator_.Release({1, 0}, 1);
  EXPECT_FALSE(Allocate(Ask(2, 1))->placed);
  EXPECT_THAT(Placed(Ask(2, 1, 2)), ElementsAre(0));
}

TEST_F(AllocatorTest, ANewAttemptReplacesTheOlder) {
  Placed(Ask(1, 3));
  EXPECT_THAT(Placed(Ask(1, 5, 2)), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(Free(), 3U);
  EXPECT_EQ(Refused(Ask(1, 3, 1)), absl::StatusCode::kAborted);
  Placed(Ask(2, 3));
  EXPECT_FALSE(Allocate(Ask(1, 6, 3))->placed);
  EXPECT_EQ(allocator_.ledger().Find(1), nullptr);
}

TEST_F(AllocatorTest, DoesNotGiveTentativeNodesToAnother) {
  const auto first = Placed(At(0, Ask(1, 5)));
  EXPECT_FALSE(Allocate(At(9'999, Ask(2, 5)))->placed);
  EXPECT_EQ(Placed(At(10'000, Ask(2, 5, 2))), first);
  EXPECT_EQ(Refused(At(10'001, Ask(1, 5))), absl::StatusCode::kAborted);
}

TEST_F(AllocatorTest, RenewsAnExpiredAnswerIfItsNodesAreFree) {
  const auto first = Placed(At(0, Ask(1, 5)));
  EXPECT_THAT(allocator_.AdvanceTo(10'000), ElementsAre(JobKey{1, 0}));
  EXPECT_EQ(Free(), 8U);
  EXPECT_EQ(Placed(At(15'000, Ask(1, 5))), first);
  EXPECT_EQ(allocator_.ledger().Find(1)->expires_ms, 25'000);
}

TEST_F(AllocatorTest, ForgetsAnswersAfterAWhile) {
  Placed(At(0, Ask(1, 5)));
  allocator_.AdvanceTo(Allocator::kRememberMs);
  Placed(At(Allocator::kRememberMs, Ask(2, 2)));
  EXPECT_THAT(Placed(At(Allocator::kRememberMs, Ask(1, 5))),
              ElementsAre(2, 3, 4, 5, 6));
}

TEST_F(AllocatorTest, RepeatsAForgottenAnswerFromItsHolding) {
  const auto nodes = Placed(At(0, Ask(1, 3)));
  allocator_.Commit(Runs(1, nodes), 1);
  EXPECT_EQ(Placed(At(10 * Allocator::kRememberMs, Ask(1, 3))), nodes);
  EXPECT_EQ(Refused(Ask(1, 3, 2)), absl::StatusCode::kFailedPrecondition);
}

TEST_F(AllocatorTest, TimeNeverGoesBack) {
  Placed(At(20'000, Ask(1, 2)));
  EXPECT_EQ(Allocate(At(5, Ask(2, 2)))->decided_ms, 20'000);
  EXPECT_THAT(allocator_.AdvanceTo(0), IsEmpty());
  EXPECT_EQ(allocator_.now_ms(), 20'000);
}

TEST_F(AllocatorTest, SetClockMovesTimeBack) {
  constexpr TimeMs kAheadMs = 3'600'000;
  Placed(At(kAheadMs, Ask(1, 2)));
  allocator_.SetClock(1000);
  EXPECT_EQ(allocator_.now_ms(), 1000);
  EXPECT_EQ(allocator_.ledger().next_expiry_ms(),
            1000 + Allocator::kTentativeMs);
  EXPECT_THAT(allocator_.AdvanceTo(1000 + Allocator::kTentativeMs),
              ElementsAre(JobKey{1, 0}));
  // Forgotten in time too: another policy is asked.
  allocator_.AdvanceTo(1000 + Allocator::kRememberMs);
  policy_ = std::make_shared<Scripted>(std::vector<NodeId>{6, 7});
  EXPECT_THAT(Placed(Ask(1, 2)), ElementsAre(6, 7));
}

TEST_F(AllocatorTest, MarksRepeats) {
  EXPECT_FALSE(Allocate(Ask(1, 2))->is_repeat);
  EXPECT_TRUE(Allocate(Ask(1, 2))->is_repeat);
  allocator_.Commit(Runs(1, {5, 6}), 1);
  EXPECT_TRUE(Allocate(Ask(1, 2))->is_repeat) << "committed on others";
  EXPECT_FALSE(Allocate(Ask(2, 2))->is_repeat);
  EXPECT_FALSE(Allocate(At(Allocator::kTentativeMs + 1, Ask(2, 2)))->is_repeat)
      << "held anew";
}

TEST_F(AllocatorTest, CommitsTheNodesSlurmGave) {
  const auto decided = Placed(Ask(1, 2));
  EXPECT_THAT(decided, ElementsAre(0, 1));
  const auto result = allocator_.Commit(Runs(1, {6, 7}), 1);
  EXPECT_FALSE(result.as_decided);
  EXPECT_THAT(result.disputed, IsEmpty());
  EXPECT_EQ(allocator_.ledger().Find(1)->decision_id, "");
  EXPECT_THAT(Placed(Ask(2, 2)), ElementsAre(0, 1));
}

TEST_F(AllocatorTest, DisputesAnOlderHoldingContradictedByACommit) {
  allocator_.Commit(Runs(1, {0, 1, 2}), 0);
  Placed(Ask(3, 2));
  EXPECT_THAT(allocator_.Commit(Runs(2, {2, 3}), 1).disputed,
              ElementsAre(JobKey{1, 0}));
  EXPECT_TRUE(allocator_.ledger().Find(1)->disputed);
  EXPECT_EQ(allocator_.ledger().Find(3), nullptr);
  EXPECT_EQ(Refused(Ask(3, 2)), absl::StatusCode::kAborted);
}

TEST_F(AllocatorTest, CommitsAfterExpiry) {
  const auto nodes = Placed(At(0, Ask(1, 2)));
  EXPECT_TRUE(allocator_.Commit(Runs(1, nodes), 11'000).as_decided);
  EXPECT_EQ(allocator_.ledger().Find(1)->decision_id, "1.0.1");
  EXPECT_TRUE(allocator_.Commit(Runs(1, nodes), 12'000).as_decided);
}

TEST_F(AllocatorTest, RefusesASecondStartOfARunningJob) {
  allocator_.Commit(Runs(1, {0}), 0);
  EXPECT_EQ(Refused(Ask(1, 1, 5)), absl::StatusCode::kFailedPrecondition);
}

TEST_F(AllocatorTest, ALaterRunEndsTheEarlier) {
  allocator_.Commit(Runs(1, {0, 1}), 0);
  EXPECT_THAT(Placed(Ask(1, 3, 1, 1)), ElementsAre(0, 1, 2));
  EXPECT_EQ(Refused(Ask(1, 1, 9, 0)), absl::StatusCode::kAborted);
  EXPECT_FALSE(allocator_.Release({1, 0}, 1));
  EXPECT_FALSE(allocator_.Commit(Runs(1, {7}), 1).as_decided);
  EXPECT_THAT(allocator_.ledger().Find(1)->nodes, ElementsAre(0, 1, 2));
  EXPECT_TRUE(allocator_.Release({1, 1}, 2));
  EXPECT_EQ(Free(), 8U);
}

TEST_F(AllocatorTest, DoesNotPlaceARunThatIsOver) {
  Placed(Ask(1, 2));
  EXPECT_TRUE(allocator_.Release({1, 0}, 1));
  EXPECT_FALSE(allocator_.Release({1, 0}, 1));
  EXPECT_EQ(Refused(Ask(1, 2)), absl::StatusCode::kAborted);
  EXPECT_EQ(Free(), 8U);
}

TEST_F(AllocatorTest, ResizesToTheGivenNodes) {
  const auto nodes = Placed(Ask(1, 3));
  allocator_.Commit(Runs(1, nodes), 1);
  allocator_.Resize(Runs(1, {1}), 2);
  EXPECT_THAT(allocator_.ledger().Find(1)->nodes, ElementsAre(1));
  EXPECT_EQ(Free(), 7U);
  allocator_.Resize(Runs(9, {4}), 3);
  EXPECT_EQ(Free(), 6U);
}

TEST_F(AllocatorTest, AResizedJobKeepsItsDecision) {
  const auto decision = Allocate(Ask(1, 3));
  allocator_.Commit(Runs(1, decision->allocation.nodes), 1);
  allocator_.Resize(Runs(1, {0, 1}), 2);
  EXPECT_EQ(allocator_.ledger().Find(1)->decision_id, decision->id);
  allocator_.Resize(Runs(1, {0, 1, 2, 3}), 3);
  EXPECT_EQ(allocator_.ledger().Find(1)->decision_id, decision->id);
  allocator_.Sync(std::vector<Units>(8, 4), {Runs(1, {0})}, 4);
  EXPECT_EQ(allocator_.ledger().Find(1)->decision_id, decision->id);
  allocator_.Resize(Runs(1, {7}), 5);
  EXPECT_EQ(allocator_.ledger().Find(1)->decision_id, "")
      << "other nodes are not those of a resized job";
}

TEST_F(AllocatorTest, ANarrowedStartIsNotTheDecision) {
  Placed(Ask(1, 3));
  EXPECT_FALSE(allocator_.Commit(Runs(1, {0, 1}), 1).as_decided);
  EXPECT_EQ(allocator_.ledger().Find(1)->decision_id, "");
}

TEST_F(AllocatorTest, PlacesOnTheNodesOfSuspendedJobs) {
  allocator_.Commit(Runs(1, {0, 1, 2, 3, 4, 5, 6, 7}), 0);
  EXPECT_THAT(allocator_.Suspend({1, 1}, true, 1), IsEmpty());
  EXPECT_FALSE(Allocate(Ask(2, 8))->placed);
  EXPECT_THAT(allocator_.Suspend({1, 0}, true, 2), IsEmpty());
  const auto nodes = Placed(Ask(2, 2, 2));
  allocator_.Commit(Runs(2, nodes), 3);
  EXPECT_THAT(allocator_.Suspend({1, 0}, false, 4), ElementsAre(JobKey{2, 0}));
}

TEST_F(AllocatorTest, SharesNodesByUnits) {
  Allocator shared(machine_, std::vector<Units>(8, 4));
  Budget budget;
  AllocateCall call = Ask(1, 2);
  call.request.whole = false;
  call.request.demand = {2, 8, 7};
  const auto first = shared.Allocate(call, {*policy_}, budget);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_THAT((*first)->allocation.nodes, ElementsAre(0, 1));
  EXPECT_THAT(shared.ledger().Find(1)->units, ElementsAre(4, 3));
  call.job.job_id = 2;
  call.request.demand = Demand::Nodes(1);
  EXPECT_THAT((*shared.Allocate(call, {*policy_}, budget))->allocation.nodes,
              ElementsAre(1));
  EXPECT_THAT(
      (*shared.Allocate(Ask(3, 6), {*policy_}, budget))->allocation.nodes,
      ElementsAre(2, 3, 4, 5, 6, 7));
}

TEST_F(AllocatorTest, SyncReplacesHoldings) {
  const auto kept = Placed(At(0, Ask(1, 2)));
  allocator_.Commit(Runs(1, kept), 1);
  allocator_.Commit(Runs(2, {2, 3}), 1);
  allocator_.Commit(Runs(3, {4}), 1);
  const auto tentative = Placed(At(2, Ask(4, 1)));
  EXPECT_THAT(tentative, ElementsAre(5));
  Placed(At(2, Ask(5, 1)));
  EXPECT_THAT(allocator_.Sync({}, {Runs(1, kept), Runs(2, {3, 6})}, 3),
              ElementsAre(JobKey{2, 0}, JobKey{3, 0}));
  EXPECT_EQ(allocator_.ledger().Find(1)->decision_id, "1.0.1");
  EXPECT_THAT(allocator_.ledger().Find(2)->nodes, ElementsAre(3, 6));
  EXPECT_EQ(allocator_.ledger().Find(3), nullptr);
  EXPECT_THAT(allocator_.ledger().Find(4)->nodes, ElementsAre(5));
  EXPECT_EQ(allocator_.ledger().Find(5), nullptr);
  EXPECT_EQ(Refused(At(4, Ask(3, 1, 0))), absl::StatusCode::kAborted);
}

TEST_F(AllocatorTest, SyncBringsBackAnEarlierRun) {
  Placed(At(0, Ask(1, 2, 1, 1)));
  allocator_.Sync({}, {Runs(1, {6})}, 1);
  EXPECT_THAT(allocator_.ledger().Find(1)->nodes, ElementsAre(6));
  EXPECT_TRUE(allocator_.Release(JobKey{1, 0}, 2));
  EXPECT_EQ(allocator_.ledger().Find(1), nullptr);
}

TEST_F(AllocatorTest, RestoresStoredHoldings) {
  const auto nodes = Placed(At(0, Ask(1, 2)));
  allocator_.Commit(Runs(1, nodes), 1);
  const auto tentative = Placed(At(2, Ask(2, 3)));
  Allocator restored(machine_);
  for (const auto& holding : allocator_.ledger().Holdings()) {
    restored.Restore(*holding);
  }
  Budget budget;
  EXPECT_EQ((*restored.Allocate(At(3, Ask(1, 2)), {*policy_}, budget))
                ->allocation.nodes,
            nodes);
  EXPECT_EQ((*restored.Allocate(At(3, Ask(2, 3)), {*policy_}, budget))
                ->allocation.nodes,
            tentative);
  EXPECT_TRUE(restored.Commit(Runs(2, tentative), 4).as_decided);
}

TEST_F(AllocatorTest, PreviewsWithAnyPolicy) {
  Placed(Ask(1, 2));
  const Scripted last({6, 7});
  Budget budget;
  const auto preview = allocator_.Preview(Ask(2, 2), {last}, budget);
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_EQ(preview->policy, "scripted");
  EXPECT_THAT(preview->allocation.nodes, ElementsAre(6, 7));
  EXPECT_EQ(allocator_.ledger().Find(2), nullptr);
  EXPECT_THAT(
      allocator_.Preview(Ask(1, 8, 2), {*policy_}, budget)->allocation.nodes,
      ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_F(AllocatorTest, ExpectsJobsToEnd) {
  const auto seen = [&](TimeMs now_ms) {
    Budget budget;
    const auto preview =
        allocator_.Preview(At(now_ms, Ask(9, 1)), {SeesEnds()}, budget);
    EXPECT_TRUE(preview.ok()) << preview.status();
    return Describe("", preview->trace);
  };
  AllocateCall call = At(100, Ask(1, 1));
  call.request.expected_run_ms = 7'000;
  Placed(call);
  EXPECT_EQ(seen(200), Describe("", Facts(7'100, 200)));
  allocator_.Commit(Runs(1, {0}), 300);
  EXPECT_EQ(seen(400), Describe("", Facts(7'100, 400)));
  Allocator::Fact extended = Runs(1, {0});
  extended.expected_end_ms = 9'000;
  allocator_.Commit(extended, 500);
  EXPECT_EQ(seen(600), Describe("", Facts(9'000, 600)));
  allocator_.Resize(Runs(1, {0}), 650);
  EXPECT_EQ(seen(660), Describe("", Facts(9'000, 660))) << "as before";
  Allocator::Fact unlimited = Runs(1, {0});
  unlimited.expected_end_ms = Allocator::Fact::kNotLimited;
  allocator_.Resize(unlimited, 670);
  EXPECT_EQ(seen(680), Describe("", Facts(kUnknownEnd, 680)));
  allocator_.Sync({}, {Runs(2, {0})}, 700);
  EXPECT_EQ(seen(800), Describe("", Facts(kUnknownEnd, 800)));
}

TEST_F(AllocatorTest, EndsDoNotOverflow) {
  AllocateCall call = At(100, Ask(1, 1));
  call.request.expected_run_ms = std::numeric_limits<TimeMs>::max();
  Placed(call);
  EXPECT_EQ(allocator_.ledger().availability()->ends[0],
            std::numeric_limits<TimeMs>::max());
}

TEST_F(AllocatorTest, RejectsAnswersThatBreakThePolicyContract) {
  Placed(Ask(1, 2));
  for (const std::vector<NodeId>& wrong :
       {std::vector<NodeId>{1, 2}, {2}, {2, 3, 4}, {3, 2}, {2, 2}, {7, 8}}) {
    policy_ = std::make_shared<Scripted>(wrong);
    const auto decision = Allocate(Ask(2, 2));
    EXPECT_EQ(decision.status().code(), absl::StatusCode::kInternal);
    EXPECT_THAT(std::string(decision.status().message()),
                HasSubstr("broke its contract"));
  }
  AllocateCall requires_seven = Ask(2, 2);
  requires_seven.request.required = NodeSet(8, std::vector<NodeId>{7});
  policy_ = std::make_shared<Scripted>(std::vector<NodeId>{2, 3});
  EXPECT_EQ(Refused(requires_seven), absl::StatusCode::kInternal);
  EXPECT_EQ(Free(), 6U);
}

}  // namespace
}  // namespace coolspan
