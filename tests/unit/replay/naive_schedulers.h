// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_REPLAY_NAIVE_SCHEDULERS_H_
#define COOLSPAN_TESTS_UNIT_REPLAY_NAIVE_SCHEDULERS_H_

#include <algorithm>
#include <limits>
#include <list>
#include <utility>
#include <vector>

#include "replay/input/workload.h"

namespace coolspan {

// FCFS and EASY by plain scans, directly from their definitions and without
// code of the daemon: the reference for the event loop, the schedulers and
// their index.
class NaiveSimulation {
 public:
  NaiveSimulation(std::vector<WorkloadJob> jobs, NodeCount machine_nodes,
                  bool backfill)
      : jobs_(std::move(jobs)), free_(machine_nodes), backfill_(backfill) {}

  std::vector<TimeMs> StartsMs() {
    starts_.assign(jobs_.size(), -1);
    std::size_t submitted = 0;
    for (;;) {
      TimeMs next = std::numeric_limits<TimeMs>::max();
      if (submitted < jobs_.size()) next = jobs_[submitted].submit_ms;
      for (const std::size_t job : running_) {
        next = std::min(next, starts_[job] + jobs_[job].run_ms);
      }
      if (next == std::numeric_limits<TimeMs>::max()) return starts_;
      now_ = next;
      for (auto it = running_.begin(); it != running_.end();) {
        const bool ended = starts_[*it] + jobs_[*it].run_ms <= now_;
        if (ended) free_ += jobs_[*it].nodes;
        it = ended ? running_.erase(it) : std::next(it);
      }
      while (submitted < jobs_.size() && jobs_[submitted].submit_ms <= now_) {
        queue_.push_back(submitted++);
      }
      Pass();
    }
  }

 private:
  void Start(std::size_t job) {
    starts_[job] = now_;
    free_ -= jobs_[job].nodes;
    running_.push_back(job);
  }

  void Pass() {
    while (!queue_.empty() && jobs_[queue_.front()].nodes <= free_) {
      Start(queue_.front());
      queue_.pop_front();
    }
    if (queue_.empty() || !backfill_) return;
    std::vector<std::pair<TimeMs, NodeCount>> ends;
    for (const std::size_t job : running_) {
      ends.emplace_back(std::max(starts_[job] + jobs_[job].estimate_ms, now_),
                        jobs_[job].nodes);
    }
    std::sort(ends.begin(), ends.end());
    const NodeCount head = jobs_[queue_.front()].nodes;
    NodeCount available = free_;
    std::size_t i = 0;
    while (available < head) available += ends[i++].second;
    const TimeMs shadow = ends[i - 1].first;
    NodeCount extra = available - head;
    for (auto it = std::next(queue_.begin()); it != queue_.end();) {
      const WorkloadJob& job = jobs_[*it];
      const bool in_time = now_ + job.estimate_ms <= shadow;
      if (job.nodes > free_ || (!in_time && job.nodes > extra)) {
        ++it;
        continue;
      }
      if (!in_time) extra -= job.nodes;
      Start(*it);
      it = queue_.erase(it);
    }
  }

  const std::vector<WorkloadJob> jobs_;
  NodeCount free_;
  const bool backfill_;
  TimeMs now_ = 0;
  std::vector<TimeMs> starts_;
  std::vector<std::size_t> running_;
  std::list<std::size_t> queue_;
};

// Conservative backfilling on a list of reservations, for jobs that do not run
// longer than estimated and run for at least 1 ms.
class NaiveConservative {
 public:
  NaiveConservative(std::vector<WorkloadJob> jobs, NodeCount machine_nodes)
      : jobs_(std::move(jobs)), machine_nodes_(machine_nodes) {}

  std::vector<TimeMs> StartsMs() {
    starts_.assign(jobs_.size(), -1);
    promised_ms.assign(jobs_.size(), -1);
    std::size_t submitted = 0;
    for (;;) {
      TimeMs now = std::numeric_limits<TimeMs>::max();
      if (submitted < jobs_.size()) now = jobs_[submitted].submit_ms;
      for (const Held& held : held_) {
        now = std::min(now,
                       starts_[held.job] < 0 ? held.begin : RealEnd(held.job));
      }
      if (now == std::numeric_limits<TimeMs>::max()) return starts_;
      bool early = false;
      std::erase_if(held_, [&](const Held& held) {
        const bool ended = starts_[held.job] >= 0 && RealEnd(held.job) <= now;
        early |= ended && held.begin + jobs_[held.job].estimate_ms > now;
        return ended;
      });
      for (Held& held : held_) {
        if (!early || starts_[held.job] >= 0) continue;
        held.begin = EarliestBegin(held.job, now);
      }
      for (; submitted < jobs_.size() && jobs_[submitted].submit_ms <= now;
           ++submitted) {
        const TimeMs begin = EarliestBegin(submitted, now);
        promised_ms[submitted] = begin;
        held_.push_back({submitted, begin});
      }
      for (const Held& held : held_) {
        if (held.begin <= now && starts_[held.job] < 0) {
          starts_[held.job] = now;
        }
      }
    }
  }

  std::vector<TimeMs> promised_ms;  // the first reservation of each job

 private:
  struct Held {
    std::size_t job;
    TimeMs begin;
  };

  TimeMs RealEnd(std::size_t job) const {
    return starts_[job] + jobs_[job].run_ms;
  }

  // Beside all other holders.
  TimeMs EarliestBegin(std::size_t job, TimeMs now) const {
    std::vector<TimeMs> candidates = {now};
    for (const Held& held : held_) {
      const TimeMs end = held.begin + jobs_[held.job].estimate_ms;
      if (held.job != job && end > now) candidates.push_back(end);
    }
    std::sort(candidates.begin(), candidates.end());
    for (const TimeMs begin : candidates) {
      if (Fits(job, begin)) return begin;
    }
    return -1;
  }

  bool Fits(std::size_t job, TimeMs begin) const {
    const TimeMs end = begin + jobs_[job].estimate_ms;
    std::vector<TimeMs> instants = {begin};
    for (const Held& held : held_) {
      if (held.begin > begin && held.begin < end) {
        instants.push_back(held.begin);
      }
    }
    for (const TimeMs instant : instants) {
      NodeCount used = jobs_[job].nodes;
      for (const Held& held : held_) {
        const bool at_instant =
            held.begin <= instant &&
            instant < held.begin + jobs_[held.job].estimate_ms;
        if (held.job != job && at_instant) used += jobs_[held.job].nodes;
      }
      if (used > machine_nodes_) return false;
    }
    return true;
  }

  const std::vector<WorkloadJob> jobs_;
  const NodeCount machine_nodes_;
  std::vector<TimeMs> starts_;
  std::vector<Held> held_;  // running and reserved, by job
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_REPLAY_NAIVE_SCHEDULERS_H_
