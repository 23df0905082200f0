// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/linear_program.h"

#include <glpk.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "solver/glpk_call.h"

namespace coolspan {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kExact = 1e-7;

// max 3x + 2y, x + y <= 4, x + 3y <= 6, x <= 3.
TEST(SolveTest, SolvesALinearProgram) {
  LinearProgram program;
  const auto x = program.AddVariable(0, 3, -3);
  const auto y = program.AddVariable(0, kInfinity, -2);
  program.AddRow(-kInfinity, 4, {{x, 1}, {y, 1}});
  program.AddRow(-kInfinity, 6, {{x, 1}, {y, 3}});
  const Solution solution = Solve(program).value();
  EXPECT_EQ(solution.status, SolveStatus::kOptimal);
  EXPECT_NEAR(solution.objective, -11, kExact);
  EXPECT_NEAR(solution.bound, -11, kExact);
  EXPECT_THAT(solution.values,
              ElementsAre(DoubleNear(3, kExact), DoubleNear(1, kExact)));
}

// max 3x + 2y as above: raising the bound of x + y <= 4 by 1 gains 2.
TEST(SolveTest, PricesOfRows) {
  LinearProgram program;
  const auto x = program.AddVariable(0, 3, -3);
  const auto y = program.AddVariable(0, kInfinity, -2);
  program.AddRow(-kInfinity, 4, {{x, 1}, {y, 1}});
  program.AddRow(-kInfinity, 100, {{x, 1}, {y, 3}});
  const Solution solution = Solve(program).value();
  EXPECT_THAT(solution.row_prices,
              ElementsAre(DoubleNear(-2, kExact), DoubleNear(0, kExact)));
  EXPECT_EQ(solution.basis.variables[x], Standing::kAtHigh);
  EXPECT_EQ(solution.basis.variables[y], Standing::kBasic);
  EXPECT_EQ(solution.basis.rows[0], Standing::kAtHigh);
  EXPECT_EQ(solution.basis.rows[1], Standing::kBasic);
}

// Each program adds a row and a variable and starts from the last basis.
// Starting from its own basis, one iteration is enough; without it, it is not
// (at least once, or the test would prove nothing).
TEST(SolveTest, StartsFromAnEarlierBasis) {
  std::mt19937 random(4);
  const auto below = [&random](std::uint32_t bound) {
    return static_cast<double>(random() % bound);
  };
  LinearProgram program;
  for (int i = 0; i < 20; ++i) program.AddVariable(0, 1 + below(3), -below(9));
  Basis basis;
  int not_optimal_without_start = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<LinearProgram::Term> terms;
    for (LinearProgram::Variable v = 0; v < program.variables().size(); ++v) {
      terms.push_back({v, below(5)});
    }
    program.AddRow(-kInfinity, 10 + below(10), std::move(terms));
    program.AddVariable(0, 2, -below(9));
    if (round > 0) {
      basis.rows.push_back(Standing::kBasic);
      basis.variables.push_back(Standing::kAtLow);
    }
    SolveOptions options;
    options.start = basis;
    const Solution from_there = Solve(program, options).value();
    const Solution anew = Solve(program).value();
    EXPECT_NEAR(from_there.objective, anew.objective, kExact);
    basis = from_there.basis;
    options.start = basis;
    options.max_iterations = 1;
    EXPECT_EQ(Solve(program, options)->status, SolveStatus::kOptimal);
    options.start = {};
    if (Solve(program, options)->status != SolveStatus::kOptimal) {
      ++not_optimal_without_start;
    }
  }
  EXPECT_GT(not_optimal_without_start, 0);
}

// A program that takes some hundred iterations: stop is asked on the way, and
// continuing leads to the same optimum.
TEST(SolveTest, IsStoppedBetweenIterations) {
  std::mt19937 random(4);
  const auto below = [&random](std::uint32_t bound) {
    return static_cast<double>(random() % bound);
  };
  LinearProgram program;
  for (int i = 0; i < 300; ++i) program.AddVariable(0, 3, -1 - below(99));
  for (int row = 0; row < 200; ++row) {
    std::vector<LinearProgram::Term> terms;
    for (LinearProgram::Variable v = 0; v < 300; ++v) {
      terms.push_back({v, below(50)});
    }
    program.AddRow(-kInfinity, 1000 + below(99), std::move(terms));
  }
  const Solution whole = Solve(program).value();
  ASSERT_EQ(whole.status, SolveStatus::kOptimal);
  int asked = 0;
  SolveOptions options;
  options.stop = [&asked] {
    ++asked;
    return false;
  };
  const Solution in_portions = Solve(program, options).value();
  EXPECT_EQ(in_portions.status, SolveStatus::kOptimal);
  EXPECT_NEAR(in_portions.objective, whole.objective, 1e-6);
  EXPECT_GT(asked, 0);
  const int needed = asked;
  asked = 0;
  options.stop = [&asked] { return ++asked == 1; };
  EXPECT_NE(Solve(program, options)->status, SolveStatus::kOptimal);
  EXPECT_EQ(asked, 1);
  EXPECT_GE(needed, asked);
}

TEST(SolveTest, AStartThatIsNotABasisIsReplacedOneOfWrongSizeRefused) {
  LinearProgram program;
  const auto x = program.AddVariable(0, 3, -3);
  program.AddRow(-kInfinity, 2, {{x, 1}});
  SolveOptions options;
  options.start = {{Standing::kBasic}, {Standing::kBasic}};
  EXPECT_NEAR(Solve(program, options)->objective, -6, kExact);
  options.start = {{Standing::kBasic}, {}};
  EXPECT_EQ(Solve(program, options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SolveTest, TermsOfOneVariableAddUp) {
  LinearProgram program;
  const auto x = program.AddVariable(0, kInfinity, -1);
  program.AddRow(-kInfinity, 6, {{x, 1}, {x, 2}});
  EXPECT_NEAR(Solve(program)->objective, -2, kExact);
}

TEST(SolveTest, InfeasibleAndUnboundedPrograms) {
  LinearProgram none;
  const auto x = none.AddVariable(0, 1, 1);
  none.AddRow(2, 3, {{x, 1}});
  EXPECT_EQ(Solve(none)->status, SolveStatus::kInfeasible);
  LinearProgram unbounded;
  unbounded.AddVariable(-kInfinity, 0, 1);
  EXPECT_EQ(Solve(unbounded)->status, SolveStatus::kUnbounded);
  LinearProgram no_integer;
  const auto y = no_integer.AddVariable(0, 1, 1, LinearProgram::Kind::kInteger);
  no_integer.AddRow(0.25, 0.75, {{y, 1}});
  EXPECT_EQ(Solve(no_integer)->status, SolveStatus::kInfeasible);
}

TEST(SolveTest, AnEmptyProgram) {
  const Solution solution = Solve(LinearProgram()).value();
  EXPECT_EQ(solution.status, SolveStatus::kOptimal);
  EXPECT_EQ(solution.objective, 0);
}

LinearProgram Knapsack(const std::vector<int>& worth,
                       const std::vector<int>& weight, int capacity) {
  LinearProgram program;
  std::vector<LinearProgram::Term> terms;
  for (std::size_t i = 0; i < worth.size(); ++i) {
    const auto take = program.AddBinary(-worth[i]);
    terms.push_back({take, static_cast<double>(weight[i])});
  }
  program.AddRow(-kInfinity, capacity, terms);
  return program;
}

// By trying all subsets.
int NaiveBest(const std::vector<int>& worth, const std::vector<int>& weight,
              int capacity) {
  int best = 0;
  for (std::uint32_t taken = 0; taken < 1U << worth.size(); ++taken) {
    int sum = 0;
    int load = 0;
    for (std::size_t i = 0; i < worth.size(); ++i) {
      if ((taken >> i & 1U) == 0) continue;
      sum += worth[i];
      load += weight[i];
    }
    if (load <= capacity) best = std::max(best, sum);
  }
  return best;
}

TEST(SolveTest, KnapsacksAgainstTryingAllSubsets) {
  constexpr std::uint32_t kSeed = 7;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 50; ++round) {
    std::vector<int> worth(10);
    std::vector<int> weight(10);
    for (int& w : worth) w = static_cast<int>(1 + random() % 50);
    for (int& w : weight) w = static_cast<int>(1 + random() % 50);
    const Solution solution =
        Solve(Knapsack(worth, weight, 100), {.seconds = 60}).value();
    EXPECT_EQ(solution.status, SolveStatus::kOptimal);
    EXPECT_NEAR(solution.objective, -NaiveBest(worth, weight, 100), kExact);
    EXPECT_NEAR(solution.bound, solution.objective, kExact);
  }
}

TEST(SolveTest, WithoutTimeTheSolutionIsNoWorseThanTheIncumbent) {
  const LinearProgram program = Knapsack({3, 4, 5}, {2, 3, 4}, 6);
  const Solution solution =
      Solve(program, {.seconds = 0, .incumbent = {1, 1, 0}}).value();
  EXPECT_TRUE(solution.status == SolveStatus::kFeasible ||
              solution.status == SolveStatus::kOptimal);
  EXPECT_LE(solution.objective, -7 + kExact);
  EXPECT_LE(solution.bound, -8 + kExact);
}

TEST(SolveTest, ABetterSolutionReplacesTheIncumbent) {
  const LinearProgram program = Knapsack({3, 4, 5}, {2, 3, 4}, 6);
  const Solution solution = Solve(program, {.incumbent = {1, 1, 0}}).value();
  EXPECT_EQ(solution.status, SolveStatus::kOptimal);
  EXPECT_NEAR(solution.objective, -8, kExact);
  EXPECT_THAT(solution.values,
              ElementsAre(DoubleNear(1, kExact), DoubleNear(0, kExact),
                          DoubleNear(1, kExact)));
}

TEST(SolveTest, RefusesInvalidPrograms) {
  LinearProgram swapped_bounds;
  swapped_bounds.AddVariable(1, 0, 0);
  EXPECT_EQ(Solve(swapped_bounds).status().code(),
            absl::StatusCode::kInvalidArgument);
  LinearProgram unknown_variable;
  unknown_variable.AddVariable(0, 1, 0);
  unknown_variable.AddRow(0, 1, {{1, 1.0}});
  EXPECT_THAT(std::string(Solve(unknown_variable).status().message()),
              HasSubstr("variable 1"));
  LinearProgram nan_cost;
  nan_cost.AddVariable(0, 1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(Solve(nan_cost).ok());
  LinearProgram fine;
  fine.AddVariable(0, 1, 0);
  EXPECT_FALSE(Solve(fine, {.incumbent = {0, 0}}).ok());
}

TEST(SolveTest, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  ASSERT_TRUE(Solve(Knapsack({3, 4, 5}, {2, 3, 4}, 6)).ok());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(SolveTest, ThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  std::vector<double> answers(4);
  for (double& answer : answers) {
    threads.emplace_back([&answer] {
      for (int round = 0; round < 20; ++round) {
        answer = Solve(Knapsack({3, 4, 5}, {2, 3, 4}, 6))->objective;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double answer : answers) EXPECT_NEAR(answer, -8, kExact);
}

TEST(CallGlpkTest, AnAbortOfGlpkIsReturnedAsFalse) {
  const auto add_no_rows = [](void*) {
    glp_prob* problem = glp_create_prob();
    glp_add_rows(problem, 0);
  };
  EXPECT_FALSE(CallGlpk(add_no_rows, nullptr));
  EXPECT_TRUE(Solve(Knapsack({3, 4, 5}, {2, 3, 4}, 6)).ok());
}

}  // namespace
}  // namespace coolspan
