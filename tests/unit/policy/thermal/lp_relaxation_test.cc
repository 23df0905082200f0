// SPDX-License-Identifier: GPL-3.0-or-later
// The relaxation of MPIT in rooms too large to try all sets.
#include "policy/thermal/lp_relaxation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "mesh_machine.h"
#include "policy/table.h"
#include "room_machine.h"

namespace coolspan {
namespace {

constexpr NodeCount kNodes = 800;
constexpr NodeCount kNodesToChoose = 150;
constexpr double kCommunicationShare = 0.3;

// Two nodes per zone, with more zones than branch and bound accepts.
class LpRelaxationTest : public testing::Test {
 protected:
  LpRelaxationTest() : free_(kNodes) {
    machine_ = InSomeRoom(MeshMachine(FlatGrid({kNodes})), kNodes / 2, 5);
    std::mt19937 random(1);
    for (NodeId node = 0; node < kNodes; ++node) {
      if (random() % 2 == 0) free_.Insert(node);
    }
    room_.emplace(*machine_, free_);
    choice_.emplace(Choice{free_, none_, 0, kNodesToChoose, 0});
    problem_.emplace(*room_->view(), *choice_, kCommunicationShare);
  }

  // The peak for fractional nodes, directly from
  //   T_i = T_i(0) + sum_g D[i, z(g)] w_g x_g
  // with the idle power of zones that are off divided among their nodes.
  double PeakOf(const InletConstraints& constraints,
                const std::vector<double>& nodes) const {
    double peak_c = 0;
    for (ZoneId i = 0; i < problem_->zone_count(); ++i) {
      double inlet_c = problem_->inlet_c()[i];
      for (std::size_t g = 0; g < nodes.size(); ++g) {
        inlet_c += problem_->heat().At(i, problem_->groups()[g].zone) *
                   nodes[g] * constraints.MinWatts(g);
      }
      peak_c = std::max(peak_c, inlet_c);
    }
    return peak_c;
  }
  void ExpectConsistent(const InletConstraints& constraints,
                        const LpRelaxation& relaxation) const {
    EXPECT_NEAR(
        std::accumulate(relaxation.nodes.begin(), relaxation.nodes.end(), 0.0),
        kNodesToChoose, 1e-6);
    for (std::size_t g = 0; g < relaxation.nodes.size(); ++g) {
      EXPECT_GE(relaxation.nodes[g], -1e-9);
      EXPECT_LE(relaxation.nodes[g], problem_->groups()[g].capacity + 1e-9);
    }
    EXPECT_NEAR(PeakOf(constraints, relaxation.nodes), relaxation.peak_c, 1e-6);
    EXPECT_LE(relaxation.prices.bound_c, relaxation.peak_c + 1e-9);
  }

  std::shared_ptr<const Machine> machine_;
  NodeSet free_;
  NodeSet none_{kNodes};
  std::optional<RoomWithJobs> room_;
  std::optional<Choice> choice_;
  std::optional<ThermalProblem> problem_;
};

TEST_F(LpRelaxationTest, SolvesTheProgramToTheTolerance) {
  for (const double tolerance_k : {0.0025, 1e-6}) {
    InletConstraints constraints(*problem_);
    Budget budget;
    const LpRelaxation relaxation =
        SolveRelaxation(constraints, tolerance_k, budget);
    EXPECT_EQ(relaxation.method, "lp");
    ExpectConsistent(constraints, relaxation);
    EXPECT_LE(relaxation.peak_c - relaxation.prices.bound_c, tolerance_k);
  }
}

// Starting from the best placement for equal weights, Frank-Wolfe closes most
// of the gap, and its bounds are consistent with the optimum of the program.
TEST_F(LpRelaxationTest, FrankWolfeClosesMostOfTheGap) {
  InletConstraints exact_constraints(*problem_);
  Budget budget;
  const LpRelaxation exact = SolveRelaxation(exact_constraints, 1e-7, budget);
  InletConstraints constraints(*problem_);
  const ZoneId zones = problem_->zone_count();
  LpRelaxation steps;
  constraints.SetPricesOfAllInlets(std::vector<double>(zones, 1.0 / zones),
                                   steps.prices);
  const auto counts = constraints.problem().Cheapest(steps.prices.of_group);
  steps.nodes.assign(counts.begin(), counts.end());
  steps.peak_c = PeakOf(constraints, steps.nodes);
  const double gap_before_k = steps.peak_c - steps.prices.bound_c;
  LowerPeakByFrankWolfe(constraints, 1e-4, budget, steps);
  EXPECT_EQ(steps.method, "first-order");
  ExpectConsistent(constraints, steps);
  EXPECT_LE(steps.prices.bound_c, exact.peak_c + 1e-9);
  EXPECT_GE(steps.peak_c, exact.prices.bound_c - 1e-9);
  EXPECT_LT(steps.peak_c - steps.prices.bound_c, gap_before_k / 10);
}

TEST_F(LpRelaxationTest, IsSoundForAnyBudget) {
  InletConstraints exact_constraints(*problem_);
  Budget unlimited;
  const LpRelaxation exact =
      SolveRelaxation(exact_constraints, 1e-7, unlimited);
  for (const std::uint64_t work : {0U, 3000U, 100'000U, 1'000'000U}) {
    InletConstraints constraints(*problem_);
    Budget budget(work);
    const LpRelaxation relaxation = SolveRelaxation(constraints, 1e-6, budget);
    ExpectConsistent(constraints, relaxation);
    EXPECT_LE(relaxation.prices.bound_c, exact.peak_c + 1e-9) << work;
    EXPECT_GE(relaxation.peak_c, exact.prices.bound_c - 1e-9) << work;
  }
}

// The time limit is reached while GLPK is running.
TEST_F(LpRelaxationTest, ATimeLimitStopsGlpk) {
  InletConstraints exact_constraints(*problem_);
  Budget unlimited;
  const LpRelaxation exact =
      SolveRelaxation(exact_constraints, 1e-7, unlimited);
  int calls = 0;
  Budget budget(Budget::kUnlimited, [&calls] { return ++calls > 2; });
  InletConstraints constraints(*problem_);
  const LpRelaxation relaxation = SolveRelaxation(constraints, 1e-7, budget);
  EXPECT_TRUE(budget.exhausted());
  ExpectConsistent(constraints, relaxation);
  EXPECT_LE(relaxation.prices.bound_c, exact.peak_c + 1e-9);
}

TEST_F(LpRelaxationTest, MpitReportsItsGaps) {
  const auto policy = MakePolicy("mpit", machine_,
                                 {MakeOrdering(*machine_, "row-major").value()})
                          .value();
  Request request;
  request.demand = Demand::Nodes(kNodesToChoose);
  Budget budget;
  Trace trace;
  policy->Place(MachineView(*machine_, free_, {}, 0, room_->view()), request,
                budget, trace);
  const auto number = [&trace](std::string_view name) {
    for (const Trace::Fact& fact : trace.facts()) {
      if (fact.name == name) return std::get<double>(fact.value);
    }
    return -1.0;
  };
  EXPECT_GE(number("relaxation_gap_k"), 0);
  EXPECT_LE(number("relaxation_gap_k"), 0.005);
  EXPECT_NEAR(number("gap_k"), number("peak_inlet_c") - number("bound_c"),
              1e-12);
}

}  // namespace
}  // namespace coolspan
