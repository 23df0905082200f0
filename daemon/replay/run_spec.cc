// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/run_spec.h"

namespace coolspan {

std::vector<RunSpec> EveryRun(const RunLists& lists) {
  std::vector<RunSpec> runs;
  for (const SchedulerChoice& scheduler : lists.schedulers) {
    for (const std::shared_ptr<const Ordering>& ordering : lists.orderings) {
      for (const std::string& policy : lists.policies) {
        for (const std::uint64_t seed : lists.seeds) {
          runs.push_back({policy, ordering, scheduler, seed});
        }
      }
    }
  }
  return runs;
}

}  // namespace coolspan
