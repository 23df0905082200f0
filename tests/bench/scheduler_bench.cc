// SPDX-License-Identifier: GPL-3.0-or-later
// Targets, on two cores of about 3 GHz, in a room of 50 chassis of 10 nodes:
//   EdfLrh        milliseconds a pass with up to 200 waiting jobs
//   Scint         10 s for 40 jobs over three days, with at most the energy of
//                 NaiveScint (spatio-temporal-scint, section 7.6: 300
//                 generations of 1,000)
// joules: fitness of the plan.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "mesh_machine.h"
#include "naive_scint.h"
#include "replay/event_loop.h"
#include "replay/schedulers/scheduler.h"
#include "replay/schedulers/scint_search.h"
#include "room_machine.h"

namespace coolspan {
namespace {

constexpr TimeMs kSlotMs = 1'800'000;
constexpr std::size_t kSlots = 240;

// The power of spatio-temporal-scint, table 3; speeds 2.5 and 1 would give run
// times between slots, so the fast ones have 2.
std::shared_ptr<const Machine> Chassis(bool idle_on) {
  Room::Description room = RoomDescription(500, 50, RandomHeat(50, 1.1e-4, 3));
  room.types = {{242, 417, 417, 2}, {182, 254, 254, 1}};
  for (NodeId node = 300; node < 500; ++node) room.type_of[node] = 1;
  room.idle_on = idle_on;
  return InRoom(*MeshMachine(FlatGrid({500})), std::move(room));
}

ScintProblem ProblemOf40Jobs(const Machine& machine) {
  return {*machine.room(), ScintJobs(40, 3, 100, kSlotMs, 5), kSlotMs,
          static_cast<TimeMs>(kSlots) * kSlotMs,
          static_cast<TimeMs>(kSlots) * kSlotMs};
}

void Scint(benchmark::State& state) {
  const auto machine = Chassis(state.range(0) != 0);
  const ScintProblem problem = ProblemOf40Jobs(*machine);
  const ScintPlan first =
      ToScintPlan(problem, NaiveScint(problem, kSlots).Bfs());
  ScintResult result;
  for (auto _ : state) result = EvolvePlans(problem, {first}, 1, 300'000);
  state.counters["joules"] = result.cost_j;
}
BENCHMARK(Scint)
    ->ArgName("idle_on")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->Iterations(1);

void NaiveScintOfThePaper(benchmark::State& state) {
  const auto machine = Chassis(state.range(0) != 0);
  const ScintProblem problem = ProblemOf40Jobs(*machine);
  NaiveScint naive(problem, kSlots);
  double joules = 0;
  for (auto _ : state) joules = naive.Fitness(naive.Evolve(1000, 300, 1));
  state.counters["joules"] = joules;
}
BENCHMARK(NaiveScintOfThePaper)
    ->ArgName("idle_on")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kSecond)
    ->Iterations(1);

// A pass with that many waiting jobs, none of which can start.
void EdfLrh(benchmark::State& state) {
  const auto machine = Chassis(true);
  std::vector<WorkloadJob> jobs;
  std::minstd_rand random(1);
  const auto waiting = static_cast<JobIndex>(state.range(0));
  for (JobIndex i = 0; i < waiting; ++i) {
    const TimeMs run_ms = (1 + static_cast<TimeMs>(random() % 20)) * kSlotMs;
    jobs.push_back(
        {.submit_ms = 0,
         .run_ms = run_ms,
         .estimate_ms = run_ms,
         .number = 0,
         .nodes = static_cast<NodeCount>(1 + random() % 100),
         .deadline_ms = run_ms * (1 + static_cast<TimeMs>(random() % 8))});
  }
  Estimates estimates(jobs, {});
  // A port that places nothing keeps all jobs waiting.
  class NoPort final : public AllocatorPort {
   public:
    absl::StatusOr<Answer> Choose(const Ask&, std::vector<NodeId>&) override {
      return Answer{};
    }
    absl::StatusOr<Answer> Preview(std::size_t, const Ask&,
                                   std::vector<NodeId>&) override {
      return Answer{};
    }
    absl::Status Commit(JobKey, TimeMs, const std::vector<NodeId>&,
                        std::optional<float>) override {
      return absl::OkStatus();
    }
    absl::Status Release(JobKey, TimeMs) override { return absl::OkStatus(); }
    absl::Status Finish() override { return absl::OkStatus(); }
  } port;
  Cluster cluster(
      {.jobs = jobs,
       .estimates = estimates,
       .machine_nodes = 500,
       .seed = 0,
       .room = machine->room().get()},
      port, [](const Placement&) -> absl::StatusOr<JobRun> { return JobRun{}; },
      [](const JobEnd&) {});
  const auto scheduler = SchedulerChoice::Create("edf-lrh")->Make(
      {.jobs = jobs, .estimates = estimates, .machine = machine.get()});
  for (JobIndex job = 0; job < waiting; ++job) scheduler->Submit(job);
  for (auto _ : state) {
    benchmark::DoNotOptimize(scheduler->Schedule(cluster).ok());
  }
}
BENCHMARK(EdfLrh)->ArgName("waiting")->Arg(10)->Arg(50)->Arg(200)->Unit(
    benchmark::kMillisecond);

}  // namespace
}  // namespace coolspan
