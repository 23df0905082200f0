// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "naive_scint.h"
#include "replay/schedulers/scint_moves.h"
#include "replay/schedulers/scint_problem.h"
#include "replay/schedulers/scint_search.h"
#include "unit/replay/simulated_runs.h"
#include "unit/replay/two_speed_machine.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;

constexpr TimeMs kSlotMs = 1'800'000;
constexpr std::size_t kSlots = 200;

// 24 nodes in 12 sites of two nodes.
class ScintTest : public ::testing::TestWithParam<bool> {
 protected:
  ScintProblem Problem(std::uint32_t seed, std::size_t jobs = 14) const {
    const TimeMs end_ms =
        static_cast<TimeMs>(kSlots) * kSlotMs + begin_of(seed);
    return ScintProblem(*machine_->room(),
                        ScintJobs(jobs, 1.5, 9, kSlotMs, seed), kSlotMs, end_ms,
                        end_ms);
  }
  // The first arrival, from which slots are counted.
  static TimeMs begin_of(std::uint32_t seed) {
    return ScintJobs(14, 1.5, 9, kSlotMs, seed).front().arrival_ms;
  }

  const std::shared_ptr<const Machine> machine_ =
      TwoSpeedMachine(10, 14, GetParam());
};

INSTANTIATE_TEST_SUITE_P(Idle, ScintTest, ::testing::Bool(),
                         [](const auto& idle) {
                           return idle.param ? "On" : "Off";
                         });

// Random changes of a feasible plan keep the capacity of sites and the number
// of nodes, and never start before the arrival.
TEST_P(ScintTest, MovesKeepPlansFeasible) {
  const ScintProblem problem = Problem(1);
  const NaiveScint naive(problem, kSlots);
  ScintPlan plan = ToScintPlan(problem, naive.Bfs());
  const ScintPlan first = plan;
  std::mt19937_64 random(5);
  ScintEnergy energy(problem);
  ScintMoves moves(problem, energy, random);
  std::size_t changed = 0;
  for (int i = 0; i < 3000; ++i) {
    if (i % 100 == 99) moves.Recombine(first, plan);
    const ScintMoves::Change change = moves.Draw(plan);
    changed += plan[change.job] == change.run ? 0 : 1;
    plan[change.job] = change.run;
    for (std::size_t k = 0; k < plan.size(); ++k) {
      const ScintJob& job = problem.jobs()[k];
      ASSERT_GE(plan[k].start_ms, job.arrival_ms);
      ASSERT_EQ(plan[k].end_ms, problem.EndOf(job, plan[k]));
      NodeCount nodes = 0;
      const auto free =
          energy.FreeIn(plan, k, plan[k].start_ms, plan[k].end_ms);
      for (const ScintPart& part : plan[k].parts) {
        nodes += part.nodes;
        ASSERT_LE(part.nodes, free[part.site]) << i;
      }
      ASSERT_EQ(nodes, job.nodes);
    }
  }
  EXPECT_GT(changed, 1000U);
}

TEST_P(ScintTest, EnergyIsEquation10) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const ScintProblem problem = Problem(seed);
    NaiveScint naive(problem, kSlots);
    ScintEnergy energy(problem);
    for (const NaivePlan& plan : {naive.Bfs(), naive.Evolve(4, 6, seed)}) {
      const double expected = naive.Joules(plan);
      EXPECT_NEAR(energy.Joules(ToScintPlan(problem, plan)), expected,
                  1e-9 * expected);
    }
  }
}

// Energy is counted from a time on, with the power of a share of communication.
TEST_P(ScintTest, EnergyIsThatOfTheReplay) {
  const auto machine = TwoSpeedMachine(2, 2, GetParam());
  const Room& room = *machine->room();
  const std::vector<ScintJob> jobs = {{.arrival_ms = 0,
                                       .deadline_ms = 1'000'000,
                                       .work_ms = 100'000,
                                       .nodes = 2}};
  const auto joules = [&](TimeMs from_ms, std::optional<float> share) {
    const ScintProblem problem(room, jobs, 10'000, 0, 100'000, from_ms, share);
    ScintPlan plan(1);
    plan[0].parts = {{problem.SiteOf(0), 2}};
    plan[0].end_ms = 100'000;
    return ScintEnergy(problem).Joules(plan);
  };
  const double all_j = joules(0, std::nullopt);
  EXPECT_NEAR(joules(25'000, std::nullopt), 0.75 * all_j, 1e-9 * all_j);
  EXPECT_NEAR(joules(0, static_cast<float>(room.communication_share())), all_j,
              1e-6 * all_j);
  EXPECT_NE(joules(0, 0.9F), all_j);
}

TEST_P(ScintTest, FreeNodesAreThoseOfAllSlots) {
  const ScintProblem problem = Problem(3);
  NaiveScint naive(problem, kSlots);
  ScintEnergy energy(problem);
  const NaivePlan plan = naive.Evolve(4, 6, 3);
  const ScintPlan exact = ToScintPlan(problem, plan);
  for (std::size_t start = 0; start < 80; start += 3) {
    for (std::size_t slots = 1; slots < 12; slots += 2) {
      const std::size_t without = start % plan.size();
      const TimeMs start_ms =
          problem.begin_ms() + static_cast<TimeMs>(start) * kSlotMs;
      const auto free =
          energy.FreeIn(exact, without, start_ms,
                        start_ms + static_cast<TimeMs>(slots) * kSlotMs);
      for (std::size_t site = 0; site < free.size(); ++site) {
        ASSERT_EQ(free[site],
                  naive.Available(plan, without, site, start, slots));
      }
    }
  }
}

// With a twentieth of the paper's population and generations.
TEST_P(ScintTest, PlansAreAtLeastAsGoodAsNaiveOnes) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    const ScintProblem problem = Problem(seed);
    NaiveScint naive(problem, kSlots);
    const double naive_j = naive.Fitness(naive.Evolve(50, 15, seed));
    const ScintResult result =
        EvolvePlans(problem, {ToScintPlan(problem, naive.Bfs())}, seed, 30'000);
    EXPECT_LE(result.cost_j, naive_j);
    EXPECT_LE(result.evaluations, 30'000U);
    EXPECT_GT(result.generations, 0U);
    ScintEnergy energy(problem);
    EXPECT_EQ(energy.Cost(result.plan), result.cost_j);
  }
}

TEST_P(ScintTest, TheSameSeedGivesTheSamePlan) {
  const ScintProblem problem = Problem(2);
  const NaiveScint naive(problem, kSlots);
  const ScintPlan bfs = ToScintPlan(problem, naive.Bfs());
  std::vector<ScintResult> results(3);
  std::vector<std::thread> threads;
  for (ScintResult& result : results) {
    threads.emplace_back(
        [&] { result = EvolvePlans(problem, {bfs}, 11, 20'000); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results[0].plan, results[1].plan);
  EXPECT_EQ(results[0].plan, results[2].plan);
  EXPECT_NE(results[0].plan, EvolvePlans(problem, {bfs}, 12, 20'000).plan);
}

TEST_P(ScintTest, WithoutEvaluationsTheBestOfThePoolStays) {
  const ScintProblem problem = Problem(4);
  NaiveScint naive(problem, kSlots);
  const ScintPlan bfs = ToScintPlan(problem, naive.Bfs());
  const ScintPlan better = ToScintPlan(problem, naive.Evolve(20, 10, 1));
  ScintEnergy energy(problem);
  ASSERT_LT(energy.Cost(better), energy.Cost(bfs));
  const ScintResult result = EvolvePlans(problem, {bfs, better}, 1, 0);
  EXPECT_EQ(result.plan, better);
  EXPECT_EQ(result.evaluations, 0U);
}

// Section 4: the energy in the observed time with all nodes busy. A deadline
// that must be met outweighs all others.
TEST_P(ScintTest, MissedDeadlinesArePenalised) {
  const ScintProblem problem = Problem(1);
  const Room& room = *machine_->room();
  std::vector<double> watts(room.zone_count());
  double it_w = 0;
  for (NodeId node = 0; node < room.node_count(); ++node) {
    watts[room.ZoneOf(node)] +=
        room.PowerOf(node).idle_w +
        room.AddedWatts(node, room.communication_share());
  }
  double max_rise_k = 0;
  for (ZoneId i = 0; i < watts.size(); ++i) {
    double rise_k = 0;
    for (ZoneId j = 0; j < watts.size(); ++j) {
      rise_k += room.heat().At(i, j) * watts[j];
    }
    max_rise_k = std::max(max_rise_k, rise_k);
    it_w += watts[i];
  }
  const double seconds =
      static_cast<double>(kSlots) * static_cast<double>(kSlotMs) / 1000;
  const double expected =
      it_w * (1 + 1 / room.CopAt(room.redline_c() - max_rise_k)) * seconds;
  EXPECT_NEAR(problem.penalty_j(), expected, 1e-9 * expected);

  std::vector<ScintJob> jobs(problem.jobs().begin(), problem.jobs().end());
  const NaiveScint naive(problem, kSlots);
  const ScintPlan plan = ToScintPlan(problem, naive.Bfs());
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    jobs[k].deadline_ms = plan[k].end_ms;
  }
  jobs[2].deadline_ms -= 1;
  jobs[5].deadline_ms -= 1;
  jobs[5].must_meet = true;
  const ScintProblem late(room, jobs, kSlotMs, problem.min_end_ms(),
                          problem.min_end_ms());
  ScintEnergy energy(late);
  const double penalties =
      (energy.Cost(plan) - energy.Joules(plan)) / late.penalty_j();
  EXPECT_NEAR(penalties, static_cast<double>(jobs.size()) + 2, 1e-6);
}

TEST(ScintSchedulerTest, MeetsTheDeadlinesThatEasyMeetsWithLessEnergy) {
  for (const bool idle_on : {true, false}) {
    const auto machine = TwoSpeedMachine(10, 14, idle_on);
    std::vector<WorkloadJob> jobs;
    for (const ScintJob& job : ScintJobs(25, 1, 12, kSlotMs, 9)) {
      const TimeMs work_s = job.work_ms / 1000;
      jobs.push_back(Job(job.arrival_ms / 1000, work_s, job.nodes));
      jobs.back().deadline_ms = job.deadline_ms;
    }
    const PlacedRun easy = SimulateOn(*machine, jobs, "easy");
    const PlacedRun edf = SimulateOn(*machine, jobs, "edf-lrh");
    const PlacedRun scint =
        SimulateOn(*machine, jobs, "scint:evaluations=60000");
    ASSERT_TRUE(scint.status.ok()) << scint.status;
    std::vector<ScintJob> planned;
    for (std::size_t k = 0; k < jobs.size(); ++k) {
      const auto deadline_s = static_cast<double>(jobs[k].deadline_ms) / 1000;
      planned.push_back({.arrival_ms = jobs[k].submit_ms,
                         .deadline_ms = jobs[k].deadline_ms,
                         .work_ms = jobs[k].run_ms,
                         .nodes = jobs[k].nodes,
                         .must_meet = easy.ends_s[k] <= deadline_s});
      if (planned.back().must_meet) {
        EXPECT_LE(scint.ends_s[k], deadline_s) << k;
      }
    }
    const ScintProblem problem(*machine->room(), planned, kSlotMs, 0, 0);
    ScintEnergy energy(problem);
    const auto joules = [&](const PlacedRun& run) {
      ScintPlan plan;
      for (std::size_t k = 0; k < jobs.size(); ++k) {
        ScintRun one{.start_ms = std::llround(run.starts_s[k] * 1000),
                     .end_ms = std::llround(run.ends_s[k] * 1000),
                     .parts = {}};
        for (const NodeId node : run.nodes[k]) {
          one.parts.push_back({problem.SiteOf(node), 1});
        }
        plan.push_back(std::move(one));
      }
      return energy.Joules(plan);
    };
    EXPECT_LT(joules(scint), joules(edf));
    EXPECT_LT(joules(scint), joules(easy));
  }
}

// Planned back to back; the first runs longer than estimated.
TEST(ScintSchedulerTest, AnOverrunningJobDelaysTheNextOnItsNodes) {
  const auto machine = TwoSpeedMachine(0, 4);
  std::vector<WorkloadJob> jobs = {Job(0, 7200, 4, 3600), Job(0, 3600, 4)};
  for (WorkloadJob& job : jobs) job.deadline_ms = 3'600'000;
  const PlacedRun run = SimulateOn(*machine, jobs, "scint:evaluations=9000");
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_THAT(run.starts_s,
              ::testing::AnyOf(ElementsAre(0, 3600), ElementsAre(1800, 0)));
}

TEST(ScintSchedulerTest, JobsOfUnavailableNodesRunElsewhere) {
  const auto machine = TwoSpeedMachine(4, 4);
  std::vector<WorkloadJob> jobs = {Job(100, 3600, 2)};
  const std::vector<NodeEvent> events = {
      {.at_ms = 0, .state = NodeEvent::State::kDown, .nodes = {4, 5, 6, 7}}};
  const PlacedRun run =
      SimulateOn(*machine, jobs, "scint:evaluations=0", events);
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_THAT(run.nodes[0], ElementsAre(0, 1));
}

TEST(ScintSchedulerTest, JobsRunOnTheTypeTheyRequire) {
  const auto machine = TwoSpeedMachine(6, 6);
  std::vector<WorkloadJob> jobs;
  for (int i = 0; i < 6; ++i) {
    jobs.push_back(Job(i, 3600, 2));
    jobs.back().deadline_ms = 86'400'000;
    jobs.back().node_type = i % 2;
  }
  const PlacedRun run = SimulateOn(*machine, jobs, "scint:evaluations=20000");
  ASSERT_TRUE(run.status.ok()) << run.status;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    for (const NodeId node : run.nodes[k]) {
      EXPECT_EQ(node >= 6, jobs[k].node_type == 1);
    }
  }
}

}  // namespace
}  // namespace coolspan
