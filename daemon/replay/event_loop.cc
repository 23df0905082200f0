// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/event_loop.h"

#include <fmt/format.h>

#include <algorithm>

namespace coolspan {
namespace {

// The earlier of the next submit and the next end. REQUIRES one of them.
TimeMs NextInstant(std::span<const WorkloadJob> waiting,
                   const Cluster& cluster) {
  if (waiting.empty()) return cluster.next_end_ms();
  const TimeMs submit_ms = waiting.front().submit_ms;
  return cluster.idle() ? submit_ms
                        : std::min(submit_ms, cluster.next_end_ms());
}

}  // namespace

absl::Status RunEvents(std::span<const WorkloadJob> jobs, Scheduler& scheduler,
                       Cluster& cluster) {
  JobIndex next = 0;
  while (next < jobs.size() || !cluster.idle()) {
    const TimeMs now_ms = NextInstant(jobs.subspan(next), cluster);
    if (absl::Status ended = cluster.AdvanceTo(now_ms); !ended.ok()) {
      return ended;
    }
    for (; next < jobs.size() && jobs[next].submit_ms <= now_ms; ++next) {
      scheduler.Submit(next);
    }
    if (absl::Status passed = scheduler.Schedule(cluster); !passed.ok()) {
      return passed;
    }
  }
  if (scheduler.empty()) return absl::OkStatus();
  const WorkloadJob& stuck = jobs[scheduler.head()];
  return absl::FailedPreconditionError(
      fmt::format("job {} of {} nodes cannot be placed on the empty machine",
                  stuck.number, stuck.nodes));
}

}  // namespace coolspan
