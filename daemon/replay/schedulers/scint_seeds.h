// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SCHEDULERS_SCINT_SEEDS_H_
#define COOLSPAN_REPLAY_SCHEDULERS_SCINT_SEEDS_H_

#include <vector>

#include "replay/schedulers/scheduler.h"
#include "replay/schedulers/scint_problem.h"

namespace coolspan {

// Where a job runs in a simulation.
struct SeedRun {
  TimeMs start_ms = 0;
  TimeMs end_ms = 0;
  std::vector<NodeId> nodes;
};
// By job.
using SeedPlan = std::vector<SeedRun>;

// What online schedulers would do with these jobs, if each ran as long as
// estimated: the first plan is the basic feasible solution, first come, first
// served with backfilling on the first free nodes. The others are on the nodes
// with the least recirculated heat, by edf-lrh with its deadlines or with those
// that the first plan can meet among them; the last plan is made offline, with
// the jobs that meet their deadlines in the first one before all others. If
// jobs require node types, only schedulers that obey them are simulated.
// Errors: RunEvents'.
absl::StatusOr<std::vector<SeedPlan>> SimulateSeeds(
    const SchedulerSetup& setup);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_SCINT_SEEDS_H_
