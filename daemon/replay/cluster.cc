// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/cluster.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "replay/node_speed.h"
#include "replay/split_mix.h"

namespace coolspan {
namespace {

constexpr JobIndex kNoJob = std::numeric_limits<JobIndex>::max();

// Whole seconds, as resource managers limit jobs; at least 1.
std::int64_t SecondsOf(TimeMs estimate_ms) {
  return std::max<TimeMs>(estimate_ms - 1, 0) / kMsPerSecond + 1;
}

}  // namespace

Cluster::Cluster(const Setup& setup, AllocatorPort& port, OnStart on_start,
                 OnEnd on_end, OnSubmit on_submit, OnChange on_change,
                 OnMove on_move)
    : setup_(setup),
      free_nodes_(setup.machine_nodes),
      available_(NodeSet::All(setup.machine_nodes)),
      free_(available_),
      job_on_(setup.has_node_events ? setup.machine_nodes : 0, kNoJob),
      port_(port),
      on_start_(std::move(on_start)),
      on_end_(std::move(on_end)),
      on_submit_(std::move(on_submit)),
      on_change_(std::move(on_change)),
      on_move_(std::move(on_move)) {}

JobKey Cluster::KeyOf(JobIndex index) const {
  const auto restarts = restarts_.find(index);
  return {.job_id = index + 1,
          .restart = restarts == restarts_.end() ? 0 : restarts->second};
}

TimeMs Cluster::OnNodes(TimeMs estimate_ms,
                        std::span<const NodeId> nodes) const {
  return setup_.room == nullptr
             ? estimate_ms
             : AtSpeed(estimate_ms, SlowestSpeed(*setup_.room, nodes));
}

absl::StatusOr<bool> Cluster::Start(JobIndex index, const NodeSet* within) {
  using Clock = std::chrono::steady_clock;
  const WorkloadJob& job = setup_.jobs[index];
  const NodeSet* offered = unavailable_nodes_ > 0 ? &available_ : nullptr;
  if (within != nullptr) {
    within_ = *within;
    within_ &= available_;
    offered = &within_;
  }
  const AllocatorPort::Ask ask = {
      .job = KeyOf(index),
      .nodes = job.nodes,
      .seed = SplitMix(setup_.seed, index),
      .now_ms = now_ms_,
      .available = offered,
      .recorded_nodes =
          job.recorded == nullptr ? nullptr : &job.recorded->nodes,
      .communication_share = setup_.communication_share,
      .expected_run_s = SecondsOf(estimate_ms(index)),
      .waited_ms = std::max<TimeMs>(now_ms_ - job.submit_ms, 0),
      .segment_nodes = job.segment_nodes};
  const Clock::time_point begin = Clock::now();
  const absl::StatusOr<AllocatorPort::Answer> answer =
      port_.Choose(ask, chosen_);
  const std::chrono::duration<double, std::micro> taken = Clock::now() - begin;
  if (!answer.ok()) return answer.status();
  if (!answer->placed) return false;
  const absl::StatusOr<JobRun> run =
      on_start_({.job = index,
                 .ask = ask,
                 .nodes = chosen_,
                 .decision_us = taken.count(),
                 .stopped_early = answer->stopped_early});
  if (!run.ok()) return run.status();
  if (absl::Status committed =
          port_.Commit(ask.job, now_ms_, chosen_, run->communication_share);
      !committed.ok()) {
    return committed;
  }
  const RunningJob running{now_ms_ + OnNodes(estimate_ms(index), chosen_),
                           job.nodes, index};
  running_.insert(running);
  const TimeMs end_ms = now_ms_ + run->run_ms;
  runs_.emplace(index, Run{.start_ms = now_ms_,
                           .end_ms = end_ms,
                           .job = running,
                           .nodes = chosen_,
                           .communication_share = run->communication_share});
  ends_.emplace(end_ms, running);
  SetHeld(chosen_, index);
  return true;
}

void Cluster::SetHeld(const std::vector<NodeId>& nodes, JobIndex index) {
  free_nodes_ -= static_cast<NodeCount>(nodes.size());
  for (const NodeId node : nodes) free_.Erase(node);
  if (!setup_.has_node_events) return;
  for (const NodeId node : nodes) job_on_[node] = index;
}

void Cluster::SetFree(const std::vector<NodeId>& nodes) {
  free_nodes_ += static_cast<NodeCount>(nodes.size());
  for (const NodeId node : nodes) free_.Insert(node);
  if (!setup_.has_node_events) return;
  for (const NodeId node : nodes) {
    job_on_[node] = kNoJob;
    if (available_.Contains(node)) continue;
    --free_nodes_;
    free_.Erase(node);
  }
}

absl::Status Cluster::Migrate(JobIndex index, const NodeSet& to,
                              const MigrationCost& cost) {
  Run& run = runs_.find(index)->second;
  const std::vector<NodeId> nodes = to.Members();
  NodeCount moved = 0;
  for (const NodeId node : nodes) {
    moved +=
        std::binary_search(run.nodes.begin(), run.nodes.end(), node) ? 0 : 1;
  }
  if (moved == 0) return absl::OkStatus();
  if (on_move_ != nullptr) {
    on_move_({.job = index,
              .from = run.nodes,
              .to = nodes,
              .since_ms = run.since_ms,
              .now_ms = now_ms_,
              .moved_nodes = moved,
              .energy_j = moved * cost.j_per_node});
  }
  absl::Status released = port_.Release(KeyOf(index), now_ms_);
  if (!released.ok()) return released;
  ++restarts_[index];
  absl::Status committed =
      port_.Commit(KeyOf(index), now_ms_, nodes, run.communication_share);
  if (!committed.ok()) return committed;
  const auto moved_end = [&](TimeMs end_ms) {
    const auto speed = [&](const std::vector<NodeId>& of) {
      return setup_.room == nullptr ? 1 : SlowestSpeed(*setup_.room, of);
    };
    return EndAfterMove(end_ms, run.paused_ms, now_ms_, cost.pause_ms,
                        speed(run.nodes), speed(nodes));
  };
  RunningJob job = run.job;
  job.estimated_end_ms = moved_end(job.estimated_end_ms);
  const TimeMs end_ms = moved_end(run.end_ms);
  SetFree(run.nodes);
  run.nodes = nodes;
  run.since_ms = now_ms_;
  run.paused_ms = now_ms_ + cost.pause_ms;
  SetHeld(run.nodes, index);
  job.nodes = static_cast<NodeCount>(nodes.size());
  Replace(run, job);
  MoveEnd(index, end_ms);
  return absl::OkStatus();
}

void Cluster::MoveEnd(JobIndex index, TimeMs end_ms) {
  Run& run = runs_.find(index)->second;
  run.end_ms = end_ms;
  ends_.emplace(end_ms, run.job);
  DropMovedEnds();
}

void Cluster::DropMovedEnds() {
  while (!ends_.empty()) {
    const auto run = runs_.find(ends_.top().second.job);
    if (run != runs_.end() && run->second.end_ms == ends_.top().first) {
      return;
    }
    ends_.pop();
  }
}

absl::Status Cluster::EndJob(JobIndex index, bool failed) {
  const Run run = std::move(runs_.extract(index).mapped());
  running_.erase(run.job);
  ended_.push_back(index);
  if (!failed) setup_.estimates.Ended(index, now_ms_ - run.start_ms);
  on_end_({.job = index,
           .nodes = run.nodes,
           .start_ms = run.start_ms,
           .now_ms = now_ms_,
           .failed = failed,
           .end_ms = run.end_ms,
           .submit_ms = setup_.jobs[index].submit_ms,
           .since_ms = run.since_ms});
  SetFree(run.nodes);
  const JobKey key = KeyOf(index);
  if (failed) restarts_[index] = key.restart + 1;
  return port_.Release(key, now_ms_);
}

absl::Status Cluster::AdvanceTo(TimeMs now_ms) {
  now_ms_ = now_ms;
  ended_.clear();
  while (!ends_.empty() && ends_.top().first <= now_ms) {
    const JobIndex ending = ends_.top().second.job;
    ends_.pop();
    if (absl::Status ended = EndJob(ending, false); !ended.ok()) return ended;
    DropMovedEnds();
  }
  CorrectEstimates();
  return absl::OkStatus();
}

void Cluster::Replace(Run& run, const RunningJob& job) {
  running_.erase(run.job);
  run.job = job;
  running_.insert(job);
}

void Cluster::CorrectEstimates() {
  has_corrected_ = false;
  if (!setup_.estimates.Corrects()) return;
  std::vector<RunningJob> overdue;
  for (const RunningJob& job : running_) {
    if (job.estimated_end_ms > now_ms_) break;
    overdue.push_back(job);
  }
  for (RunningJob job : overdue) {
    Run& run = runs_.find(job.job)->second;
    job.estimated_end_ms =
        run.start_ms + OnNodes(setup_.estimates.Corrected(job.job), run.nodes);
    if (job.estimated_end_ms <= run.job.estimated_end_ms) continue;
    Replace(run, job);
    has_corrected_ = true;
  }
}

absl::Status Cluster::Change(const NodeEvent& event,
                             std::vector<JobIndex>& failed) {
  const bool returns = event.state == NodeEvent::State::kResume;
  std::vector<NodeId> changed;
  for (const NodeId node : event.nodes) {
    if (available_.Contains(node) == returns) continue;
    changed.push_back(node);
    if (job_on_[node] != kNoJob) {
      Run& run = runs_.find(job_on_[node])->second;
      RunningJob job = run.job;
      job.nodes += returns ? 1 : -1;
      Replace(run, job);
    }
    if (returns) {
      available_.Insert(node);
      --unavailable_nodes_;
      if (job_on_[node] == kNoJob) {
        ++free_nodes_;
        free_.Insert(node);
      }
    } else {
      available_.Erase(node);
      ++unavailable_nodes_;
      if (job_on_[node] == kNoJob) {
        --free_nodes_;
        free_.Erase(node);
      }
    }
  }
  if (on_change_ != nullptr && !changed.empty()) {
    on_change_({now_ms_, changed, returns});
  }
  if (event.state != NodeEvent::State::kDown) return absl::OkStatus();
  for (const NodeId node : event.nodes) {
    const JobIndex job = job_on_[node];
    if (job == kNoJob) continue;
    if (absl::Status ended = EndJob(job, true); !ended.ok()) return ended;
    failed.push_back(job);
  }
  DropMovedEnds();
  return absl::OkStatus();
}

}  // namespace coolspan
