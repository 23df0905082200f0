// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_EVENT_LOOP_H_
#define COOLSPAN_REPLAY_EVENT_LOOP_H_

#include <functional>
#include <span>

#include "absl/status/status.h"
#include "replay/cluster.h"
#include "replay/estimates.h"
#include "replay/input/node_events.h"
#include "replay/input/workload.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {

// What happens in a run, both sorted by time.
struct Events {
  std::span<const WorkloadJob> jobs;
  std::span<const NodeEvent> nodes = {};
};

// Called after each pass of the scheduler, when no more jobs start or end at
// that instant; may move ends (Cluster::MoveEnd).
using AfterPass = std::function<void(Cluster& cluster)>;

// Runs all jobs to the last end. Instants are ends, node events, submits and
// the times at which the scheduler wants to wake. At one instant: all ends,
// then the node events, then the submits (first of the jobs that have ended
// because a node has failed), then one scheduling pass. A job of zero run time
// that starts in the pass ends in another round of the same instant, so that
// jobs that wait for its nodes start at that instant too.
// Errors: the allocator's; FAILED_PRECONDITION for a job that the policy does
// not place on the empty machine, or on the nodes that are available in the
// end.
absl::Status RunEvents(const Events& events, Estimates& estimates,
                       Scheduler& scheduler, Cluster& cluster,
                       AfterPass after_pass = nullptr);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_EVENT_LOOP_H_
