// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/cluster.h"

#include <chrono>

#include "replay/split_mix.h"

namespace coolspan {

absl::StatusOr<bool> Cluster::Start(JobIndex index) {
  using Clock = std::chrono::steady_clock;
  const WorkloadJob& job = setup_.jobs[index];
  const AllocatorPort::Ask ask = {
      .job_id = index + 1,
      .nodes = job.nodes,
      .seed = SplitMix(setup_.seed, index),
      .now_ms = now_ms_,
      .communication_share = setup_.communication_share};
  const Clock::time_point begin = Clock::now();
  absl::StatusOr<bool> placed = port_.Choose(ask, chosen_);
  const std::chrono::duration<double, std::micro> taken = Clock::now() - begin;
  if (!placed.ok() || !*placed) return placed;
  const absl::StatusOr<JobRun> run = on_start_({.job = index,
                                                .ask = ask,
                                                .nodes = chosen_,
                                                .decision_us = taken.count()});
  if (!run.ok()) return run.status();
  if (absl::Status committed =
          port_.Commit(ask.job_id, now_ms_, chosen_, run->communication_share);
      !committed.ok()) {
    return committed;
  }
  const RunningJob running{now_ms_ + job.estimate_ms, job.nodes, index};
  running_.insert(running);
  ends_.emplace(now_ms_ + run->run_ms, running);
  free_nodes_ -= job.nodes;
  return true;
}

absl::Status Cluster::AdvanceTo(TimeMs now_ms) {
  now_ms_ = now_ms;
  while (!ends_.empty() && ends_.top().first <= now_ms) {
    const RunningJob ended = ends_.top().second;
    ends_.pop();
    running_.erase(ended);
    free_nodes_ += ended.nodes;
    on_end_(ended.job, now_ms);
    if (absl::Status released = port_.Release(ended.job + 1, now_ms);
        !released.ok()) {
      return released;
    }
  }
  return absl::OkStatus();
}

}  // namespace coolspan
