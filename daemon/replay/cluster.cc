// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/cluster.h"

#include <chrono>

namespace coolspan {
namespace {

// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", 2014): neighbouring jobs get unrelated seeds.
std::uint64_t SeedOf(std::uint64_t seed, JobIndex job) {
  std::uint64_t z = seed + (std::uint64_t{job} + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

absl::StatusOr<bool> Cluster::Start(JobIndex index) {
  using Clock = std::chrono::steady_clock;
  const WorkloadJob& job = jobs_[index];
  const AllocatorPort::Ask ask = {.job_id = index + 1,
                                  .nodes = job.nodes,
                                  .seed = SeedOf(seed_, index),
                                  .now_ms = now_ms_};
  const Clock::time_point asked = Clock::now();
  absl::StatusOr<bool> placed = port_.Choose(ask, chosen_);
  const std::chrono::duration<double, std::micro> taken = Clock::now() - asked;
  if (!placed.ok() || !*placed) return placed;
  if (absl::Status noted = on_start_({.job = index,
                                      .ask = ask,
                                      .nodes = chosen_,
                                      .decision_us = taken.count()});
      !noted.ok()) {
    return noted;
  }
  if (absl::Status committed = port_.Commit(ask.job_id, now_ms_, chosen_);
      !committed.ok()) {
    return committed;
  }
  const RunningJob running{now_ms_ + job.estimate_ms, job.nodes, index};
  running_.insert(running);
  ends_.emplace(now_ms_ + job.run_ms, running);
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
    if (absl::Status released = port_.Release(ended.job + 1, now_ms);
        !released.ok()) {
      return released;
    }
  }
  return absl::OkStatus();
}

}  // namespace coolspan
