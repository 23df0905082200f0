// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SCHEDULERS_SCINT_MIGRATION_H_
#define COOLSPAN_REPLAY_SCHEDULERS_SCINT_MIGRATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "replay/cluster.h"
#include "replay/schedulers/scint_problem.h"

namespace coolspan {

// The run of a job in one or more pieces: each but the first begins, with other
// nodes, when the one before ends. C_k of spatio-temporal-scint, section 3.5.
using MigratingRun = std::vector<ScintRun>;
// By job.
using MigratingPlan = std::vector<MigratingRun>;

struct MigrationOptions {
  Cluster::MigrationCost cost;
  std::size_t most = 0;  // migrations of a job
};

// The nodes that a job does not keep, summed over its migrations: E^mig of
// equation 9 without P^mig t^mig.
NodeCount MigratedNodes(const MigratingRun& run);

// E^total of equation 10 with E^mig, in joules.
double JoulesWithMigrations(const ScintProblem& problem,
                            const MigratingPlan& plan,
                            const Cluster::MigrationCost& cost);

// Lets jobs of a plan move while they run where that saves more energy than it
// costs, or meets a deadline. A job pauses when it moves; it makes no other job
// later, and misses no deadline that it meets. Never worse than the plan. At
// most max_evaluations other plans are evaluated. REQUIRES a plan within the
// nodes of each site.
MigratingPlan MigrateJobs(const ScintProblem& problem, const ScintPlan& plan,
                          const MigrationOptions& options, std::uint64_t seed,
                          std::uint64_t max_evaluations);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_SCINT_MIGRATION_H_
