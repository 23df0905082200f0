// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/event_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/counted.h"

namespace coolspan {
namespace {

class EventLoop {
 public:
  EventLoop(const Events& events, Estimates& estimates, Scheduler& scheduler,
            Cluster& cluster, AfterPass after_pass)
      : jobs_(events.jobs),
        node_events_(events.nodes),
        estimates_(estimates),
        scheduler_(scheduler),
        cluster_(cluster),
        after_pass_(std::move(after_pass)) {}

  absl::Status Run() {
    for (;;) {
      const std::optional<TimeMs> now_ms = NextInstant();
      if (!now_ms.has_value()) break;
      // Another pass on the idle machine starts nothing either.
      const bool last_chance =
          cluster_.idle() && jobs_.empty() && node_events_.empty();
      if (absl::Status passed = Pass(*now_ms); !passed.ok()) return passed;
      if (after_pass_ != nullptr) after_pass_(cluster_);
      if (cluster_.idle() && (last_chance || IsDone())) break;
    }
    return scheduler_.empty() ? absl::OkStatus() : Stuck();
  }

 private:
  bool IsDone() const { return jobs_.empty() && scheduler_.empty(); }

  std::optional<TimeMs> NextInstant() const {
    std::optional<TimeMs> next;
    const auto take = [&next](TimeMs time_ms) {
      next = std::min(next.value_or(time_ms), time_ms);
    };
    if (!jobs_.empty()) take(jobs_.front().submit_ms);
    if (!node_events_.empty()) take(node_events_.front().at_ms);
    if (!cluster_.idle()) take(cluster_.next_end_ms());
    if (const std::optional<TimeMs> wake_ms = scheduler_.wake_ms()) {
      take(*wake_ms);
    }
    return next;
  }

  absl::Status Pass(TimeMs now_ms) {
    if (absl::Status ended = cluster_.AdvanceTo(now_ms); !ended.ok()) {
      return ended;
    }
    if (absl::Status changed = ChangeNodes(now_ms); !changed.ok()) {
      return changed;
    }
    for (; !jobs_.empty() && jobs_.front().submit_ms <= now_ms;
         jobs_ = jobs_.subspan(1)) {
      estimates_.Submitted(next_job_);
      scheduler_.Submit(next_job_);
      cluster_.Submitted(next_job_);
      ++next_job_;
    }
    return scheduler_.Schedule(cluster_);
  }

  absl::Status ChangeNodes(TimeMs now_ms) {
    if (node_events_.empty() || node_events_.front().at_ms > now_ms) {
      return absl::OkStatus();
    }
    std::vector<JobIndex> failed;
    for (; !node_events_.empty() && node_events_.front().at_ms <= now_ms;
         node_events_ = node_events_.subspan(1)) {
      absl::Status changed = cluster_.Change(node_events_.front(), failed);
      if (!changed.ok()) return changed;
    }
    std::sort(failed.begin(), failed.end());
    for (const JobIndex job : failed) {
      scheduler_.Submit(job);
      cluster_.Submitted(job);
    }
    scheduler_.NodesChanged();
    return absl::OkStatus();
  }

  absl::Status Stuck() const {
    const WorkloadJob& stuck = cluster_.job(scheduler_.head());
    const std::string where =
        cluster_.unavailable_nodes() == 0
            ? "on the empty machine"
            : fmt::format("with {} unavailable",
                          Counted(cluster_.unavailable_nodes(), "node"));
    return absl::FailedPreconditionError(
        fmt::format("job {} of {} nodes cannot be placed {}", stuck.number,
                    stuck.nodes, where));
  }

  std::span<const WorkloadJob> jobs_;       // not submitted yet
  std::span<const NodeEvent> node_events_;  // still to come
  JobIndex next_job_ = 0;
  Estimates& estimates_;
  Scheduler& scheduler_;
  Cluster& cluster_;
  AfterPass after_pass_;  // may be empty
};

}  // namespace

absl::Status RunEvents(const Events& events, Estimates& estimates,
                       Scheduler& scheduler, Cluster& cluster,
                       AfterPass after_pass) {
  return EventLoop(events, estimates, scheduler, cluster, std::move(after_pass))
      .Run();
}

}  // namespace coolspan
