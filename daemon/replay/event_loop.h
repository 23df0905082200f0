// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_EVENT_LOOP_H_
#define COOLSPAN_REPLAY_EVENT_LOOP_H_

#include <span>

#include "absl/status/status.h"
#include "replay/cluster.h"
#include "replay/schedulers/scheduler.h"
#include "replay/workload.h"

namespace coolspan {

// Runs jobs, sorted by submit time, to the last end. At one instant: all ends,
// then all submits in their order, then one scheduling pass. A job of zero run
// time that starts in the pass ends in another round of the same instant, so
// that jobs that wait for its nodes start at that instant too.
// Errors: the allocator's; FAILED_PRECONDITION for a job that the policy does
// not place on the empty machine.
absl::Status RunEvents(std::span<const WorkloadJob> jobs, Scheduler& scheduler,
                       Cluster& cluster);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_EVENT_LOOP_H_
