// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_RUN_SPEC_H_
#define COOLSPAN_REPLAY_RUN_SPEC_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ordering/ordering.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {

// One run of a workload.
struct RunSpec {
  std::string policy;                        // spec
  std::shared_ptr<const Ordering> ordering;  // of the policy and the spans
  SchedulerChoice scheduler = SchedulerChoice::Easy();
  std::uint64_t seed = 0;  // of random policies and run times
};

// What a replay compares: each with each.
struct RunLists {
  std::vector<std::string> policies;
  std::vector<std::shared_ptr<const Ordering>> orderings;
  std::vector<SchedulerChoice> schedulers = {SchedulerChoice::Easy()};
  std::vector<std::uint64_t> seeds = {0};
};
// By scheduler, ordering, policy and seed, the seed changes fastest.
std::vector<RunSpec> EveryRun(const RunLists& lists);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_RUN_SPEC_H_
