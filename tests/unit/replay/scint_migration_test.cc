// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/schedulers/scint_migration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "naive_scint.h"
#include "replay/node_speed.h"
#include "replay/schedulers/planned_moves.h"
#include "unit/replay/two_speed_machine.h"

namespace coolspan {
namespace {

using ::testing::ElementsAre;

constexpr TimeMs kSlotMs = 1'800'000;
constexpr std::size_t kSlots = 200;
constexpr std::uint64_t kEvaluations = 2000;

// Equation 10 between all times at which a piece starts or ends, from the
// definition: no state is carried from one interval to the next.
double NaiveJoules(const ScintProblem& problem, const MigratingPlan& plan) {
  const Room& room = problem.room();
  const ZoneId zones = room.zone_count();
  std::set<TimeMs> times = {problem.begin_ms(), problem.min_end_ms()};
  for (const MigratingRun& run : plan) {
    for (const ScintRun& piece : run) {
      times.insert({piece.start_ms, piece.end_ms});
    }
  }
  double joules = 0;
  for (auto at = times.begin(); std::next(at) != times.end(); ++at) {
    std::vector<double> watts(zones, 0.0);
    for (const MigratingRun& run : plan) {
      for (const ScintRun& piece : run) {
        if (*at < piece.start_ms || *at >= piece.end_ms) continue;
        for (const ScintPart& part : piece.parts) {
          const ScintSite& site = problem.sites()[part.site];
          watts[site.zone] += part.nodes * site.added_w;
        }
      }
    }
    double it_w = 0;
    for (ZoneId i = 0; i < zones; ++i) {
      if (room.idle_on() || watts[i] > 0) watts[i] += room.IdleWatts(i);
      it_w += watts[i];
    }
    double max_rise_k = 0;
    std::vector<double> row(zones);
    for (ZoneId i = 0; i < zones; ++i) {
      room.heat().CopyRow(i, row);
      double rise_k = 0;
      for (ZoneId j = 0; j < zones; ++j) rise_k += row[j] * watts[j];
      max_rise_k = std::max(max_rise_k, rise_k);
    }
    joules += it_w * (1 + 1 / room.CopAt(room.redline_c() - max_rise_k)) *
              static_cast<double>(*std::next(at) - *at) / 1000;
  }
  return joules;
}

// 24 nodes in 12 sites of two nodes, of two speeds.
class MigrateJobsTest : public ::testing::TestWithParam<bool> {
 protected:
  ScintProblem Problem(std::uint32_t seed) const {
    std::vector<ScintJob> jobs = ScintJobs(14, 1.5, 9, kSlotMs, seed);
    const TimeMs end_ms =
        static_cast<TimeMs>(kSlots) * kSlotMs + jobs.front().arrival_ms;
    return ScintProblem(*machine_->room(), std::move(jobs), kSlotMs, end_ms,
                        end_ms);
  }
  static ScintPlan FirstPlan(const ScintProblem& problem) {
    return ToScintPlan(problem, NaiveScint(problem, kSlots).Bfs());
  }

  const std::shared_ptr<const Machine> machine_ =
      TwoSpeedMachine(10, 14, GetParam());
  const MigrationOptions options_ = {
      .cost = {.pause_ms = 60'000, .j_per_node = 6'000}, .most = 3};
};

INSTANTIATE_TEST_SUITE_P(Idle, MigrateJobsTest, ::testing::Bool(),
                         [](const auto& idle) {
                           return idle.param ? "On" : "Off";
                         });

// Each piece has the nodes of the job, within the sites at all times, and the
// work of the job is done.
TEST_P(MigrateJobsTest, PlansStayFeasible) {
  std::size_t migrations = 0;
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const ScintProblem problem = Problem(seed);
    const ScintPlan first = FirstPlan(problem);
    const MigratingPlan plan =
        MigrateJobs(problem, first, options_, seed, kEvaluations);
    std::set<TimeMs> times;
    for (std::size_t k = 0; k < plan.size(); ++k) {
      const ScintJob& job = problem.jobs()[k];
      ASSERT_LE(plan[k].size(), options_.most + 1);
      migrations += plan[k].size() - 1;
      ASSERT_EQ(plan[k].front().start_ms, first[k].start_ms);
      if (first[k].end_ms <= job.deadline_ms) {
        ASSERT_LE(plan[k].back().end_ms, job.deadline_ms);
      }
      double done_ms = 0;  // at speed 1
      for (std::size_t i = 0; i < plan[k].size(); ++i) {
        const ScintRun& piece = plan[k][i];
        times.insert(piece.start_ms);
        NodeCount nodes = 0;
        for (const ScintPart& part : piece.parts) nodes += part.nodes;
        ASSERT_EQ(nodes, job.nodes);
        ASSERT_GT(piece.end_ms, piece.start_ms);
        if (i > 0) {
          ASSERT_EQ(piece.start_ms, plan[k][i - 1].end_ms);
          ASSERT_FALSE(piece.parts == plan[k][i - 1].parts);
        }
        const TimeMs pause_ms = i > 0 ? options_.cost.pause_ms : 0;
        done_ms +=
            static_cast<double>(piece.end_ms - piece.start_ms - pause_ms) *
            problem.SpeedOf(piece);
      }
      EXPECT_NEAR(done_ms, static_cast<double>(job.work_ms), 5.0);
    }
    for (const TimeMs now_ms : times) {
      std::vector<NodeCount> used(problem.sites().size(), 0);
      for (const MigratingRun& run : plan) {
        for (const ScintRun& piece : run) {
          if (now_ms < piece.start_ms || now_ms >= piece.end_ms) continue;
          for (const ScintPart& part : piece.parts) {
            used[part.site] += part.nodes;
          }
        }
      }
      for (std::size_t site = 0; site < used.size(); ++site) {
        ASSERT_LE(used[site], problem.sites()[site].nodes);
      }
    }
  }
  EXPECT_GT(migrations, 20U);
}

TEST_P(MigrateJobsTest, EnergyIsEquation10WithThatOfMigrations) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const ScintProblem problem = Problem(seed);
    const MigratingPlan plan =
        MigrateJobs(problem, FirstPlan(problem), options_, seed, kEvaluations);
    double nodes = 0;  // half the sum of |c_ik(m+1) - c_ikm|
    for (const MigratingRun& run : plan) {
      for (std::size_t i = 1; i < run.size(); ++i) {
        for (std::uint32_t site = 0; site < problem.sites().size(); ++site) {
          nodes +=
              0.5 * std::abs(static_cast<double>(run[i].NodesAt(site)) -
                             static_cast<double>(run[i - 1].NodesAt(site)));
        }
      }
    }
    const double expected =
        NaiveJoules(problem, plan) + nodes * options_.cost.j_per_node;
    EXPECT_NEAR(JoulesWithMigrations(problem, plan, options_.cost), expected,
                1e-9 * expected);
  }
}

TEST_P(MigrateJobsTest, SavesEnergy) {
  double without_j = 0;
  double with_all_j = 0;
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const ScintProblem problem = Problem(seed);
    const ScintPlan first = FirstPlan(problem);
    const double first_j = ScintEnergy(problem).Joules(first);
    const double with_j = JoulesWithMigrations(
        problem, MigrateJobs(problem, first, options_, seed, kEvaluations),
        options_.cost);
    ASSERT_LE(with_j, first_j);
    without_j += first_j;
    with_all_j += with_j;
  }
  EXPECT_LT(with_all_j, 0.99 * without_j);
}

TEST_P(MigrateJobsTest, NoMigrationAtAHighPriceOrWithoutLeave) {
  const ScintProblem problem = Problem(2);
  const ScintPlan first = FirstPlan(problem);
  MigrationOptions dear = options_;
  dear.cost.j_per_node = 1e12;
  MigrationOptions none = options_;
  none.most = 0;
  for (const MigrationOptions& options : {dear, none}) {
    const MigratingPlan plan =
        MigrateJobs(problem, first, options, 1, kEvaluations);
    for (std::size_t k = 0; k < plan.size(); ++k) {
      ASSERT_THAT(plan[k], ElementsAre(first[k]));
    }
  }
}

TEST_P(MigrateJobsTest, TheSameSeedGivesTheSamePlan) {
  const ScintProblem problem = Problem(3);
  const ScintPlan first = FirstPlan(problem);
  const MigratingPlan plan = MigrateJobs(problem, first, options_, 4, 500);
  EXPECT_EQ(plan, MigrateJobs(problem, first, options_, 4, 500));
  EXPECT_NE(plan, MigrateJobs(problem, first, options_, 5, 500));
}

// A job that starts on the slow nodes meets its deadline only if it moves when
// the fast ones are free.
TEST_P(MigrateJobsTest, AMigrationCanMeetADeadline) {
  const auto machine = TwoSpeedMachine(4, 6, GetParam());
  const std::vector<ScintJob> jobs = {{.arrival_ms = 0,
                                       .deadline_ms = 1'000'000,
                                       .work_ms = 100'000,
                                       .nodes = 6},
                                      {.arrival_ms = 0,
                                       .deadline_ms = 240'000,
                                       .work_ms = 400'000,
                                       .nodes = 4}};
  const ScintProblem problem(*machine->room(), jobs, 10'000, 500'000, 500'000);
  ScintPlan plan(2);
  for (std::uint32_t site = 0; site < problem.sites().size(); ++site) {
    const std::size_t job = problem.sites()[site].speed > 1 ? 0 : 1;
    plan[job].parts.push_back({site, problem.sites()[site].nodes});
  }
  plan[0].end_ms = 50'000;
  plan[1].end_ms = 400'000;
  const MigratingPlan moved = MigrateJobs(
      problem, plan,
      {.cost = {.pause_ms = 10'000, .j_per_node = 6'000}, .most = 3}, 1, 5000);
  ASSERT_GE(moved[1].size(), 2U);
  EXPECT_EQ(moved[1].back().end_ms, 235'000);  // 50 + 10 + 350 / 2
}

// A replay does as planned, to the millisecond.
TEST_P(MigrateJobsTest, ReplaysFollowThePlan) {
  std::vector<WorkloadJob> jobs;
  for (const ScintJob& job : ScintJobs(14, 1.5, 9, kSlotMs, 6)) {
    jobs.push_back({.submit_ms = job.arrival_ms,
                    .run_ms = job.work_ms,
                    .estimate_ms = job.work_ms,
                    .number = 0,
                    .nodes = job.nodes,
                    .deadline_ms = job.deadline_ms});
  }
  std::size_t moved_nodes = 0;
  double moved_j = 0;
  const PlacedRun run =
      SimulateOn(*machine_, jobs,
                 "scint:evaluations=20000:migrations=2:migration-time=30:"
                 "migration-power=50",
                 {}, [&](const JobMove& move) {
                   moved_nodes += move.moved_nodes;
                   moved_j += move.energy_j;
                 });
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_GT(moved_nodes, 0U);
  EXPECT_DOUBLE_EQ(moved_j, 1500.0 * static_cast<double>(moved_nodes));
  const PlacedRun still =
      SimulateOn(*machine_, jobs, "scint:evaluations=20000");
  EXPECT_EQ(run.starts_s, still.starts_s);
  EXPECT_NE(run.ends_s, still.ends_s);
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (still.ends_s[k] * 1000 <= static_cast<double>(jobs[k].deadline_ms)) {
      EXPECT_LE(run.ends_s[k] * 1000, static_cast<double>(jobs[k].deadline_ms));
    }
  }
}

TEST(PlannedMovesTest, OfSeveralDueMovesOfAJobTheLastIsLeft) {
  using Move = PlannedMoves::Move;
  PlannedMoves moves;
  for (const Move& move :
       {Move{10, 1, 1}, Move{20, 1, 2}, Move{15, 2, 1}, Move{30, 1, 3}}) {
    moves.Add(move);
  }
  EXPECT_THAT(moves.Due(9), ElementsAre());
  EXPECT_THAT(moves.Due(10), ElementsAre(Move{10, 1, 1}));
  EXPECT_EQ(moves.NextAfter(10), 15);
  // The first one still waits for nodes.
  EXPECT_THAT(moves.Due(20), ElementsAre(Move{15, 2, 1}, Move{20, 1, 2}));
  moves.Remove({20, 1, 2});
  EXPECT_THAT(moves.Due(29), ElementsAre(Move{15, 2, 1}));
  EXPECT_EQ(moves.NextAfter(29), 30);
  moves.Forget(1);
  EXPECT_EQ(moves.NextAfter(29), std::nullopt);
  EXPECT_THAT(moves.Due(40), ElementsAre(Move{15, 2, 1}));
}

}  // namespace
}  // namespace coolspan
