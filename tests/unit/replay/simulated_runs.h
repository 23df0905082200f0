// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_REPLAY_SIMULATED_RUNS_H_
#define COOLSPAN_TESTS_UNIT_REPLAY_SIMULATED_RUNS_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/types.h"
#include "replay/cluster.h"
#include "replay/event_loop.h"
#include "replay/input/workload.h"
#include "replay/ports/allocator_port.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {

// Chooses any free nodes; does not place jobs of the refused size.
class CountingPort final : public AllocatorPort {
 public:
  explicit CountingPort(NodeCount refused = 0) : refused_(refused) {}
  absl::StatusOr<Answer> Choose(const Ask& ask,
                                std::vector<NodeId>& nodes) override {
    nodes.assign(ask.nodes, 0);
    return Answer{.placed = ask.nodes != refused_};
  }
  absl::StatusOr<Answer> Preview(std::size_t, const Ask& ask,
                                 std::vector<NodeId>& nodes) override {
    return Choose(ask, nodes);
  }
  absl::Status Commit(JobKey, TimeMs, const std::vector<NodeId>&,
                      std::optional<float>) override {
    return absl::OkStatus();
  }
  absl::Status Release(JobKey, TimeMs) override { return absl::OkStatus(); }
  absl::Status Finish() override { return absl::OkStatus(); }

 private:
  NodeCount refused_;
};

// A job with times in seconds; estimate 0: the run time.
inline WorkloadJob Job(TimeMs submit_s, TimeMs run_s, NodeCount nodes,
                       TimeMs estimate_s = 0) {
  return {.submit_ms = submit_s * 1000,
          .run_ms = run_s * 1000,
          .estimate_ms = (estimate_s == 0 ? run_s : estimate_s) * 1000,
          .number = 0,
          .nodes = nodes,
          .user = -1,
          .group = -1};
}

struct SimulatedRun {
  std::vector<TimeMs> starts_ms;  // by job, -1 for one that never started
  std::vector<JobIndex> order;    // in which they started
  absl::Status status;
};

// REQUIRES jobs sorted by submit time.
inline SimulatedRun Simulate(std::span<const WorkloadJob> jobs,
                             NodeCount machine_nodes,
                             const std::string& scheduler_name,
                             NodeCount refused = 0,
                             const EstimateRule& rule = {}) {
  SimulatedRun run;
  run.starts_ms.assign(jobs.size(), -1);
  CountingPort port(refused);
  Estimates estimates(jobs, rule);
  Cluster cluster(
      {.jobs = jobs,
       .estimates = estimates,
       .machine_nodes = machine_nodes,
       .seed = 0},
      port,
      [&run, jobs](const Placement& placement) -> absl::StatusOr<JobRun> {
        run.starts_ms[placement.job] = placement.start_ms();
        run.order.push_back(placement.job);
        return JobRun{.run_ms = jobs[placement.job].run_ms,
                      .communication_share = {}};
      },
      [](const JobEnd&) {});
  const auto scheduler = SchedulerChoice::Create(scheduler_name)
                             ->Make({.jobs = jobs, .estimates = estimates});
  run.status = RunEvents({.jobs = jobs}, estimates, *scheduler, cluster);
  return run;
}

// The starts in whole seconds.
inline std::vector<TimeMs> StartsS(std::span<const WorkloadJob> jobs,
                                   NodeCount machine_nodes,
                                   const std::string& scheduler_name) {
  std::vector<TimeMs> starts =
      Simulate(jobs, machine_nodes, scheduler_name).starts_ms;
  for (TimeMs& start : starts) start /= 1000;
  return starts;
}

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_REPLAY_SIMULATED_RUNS_H_
