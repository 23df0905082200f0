// SPDX-License-Identifier: GPL-3.0-or-later
// Conservative backfilling (Mu'alem, Feitelson, "Utilization, predictability,
// workloads, and user runtime estimates in scheduling the IBM SP2 with
// backfilling", IEEE TPDS 12(6), 2001): each job gets a reservation when it is
// submitted, at the earliest time that delays no other reservation. When a job
// ends early, the reservations are moved forward one after the other in submit
// order; none is moved back.
//
// While a job runs longer than estimated, or the policy does not place a job
// although enough nodes are free, the reservations cannot be kept; then all are
// made anew in submit order. Each such pass, and each early end, costs the
// number of reservations times the length of the profile; so only the first
// `depth` jobs of the queue have one, as with bf_max_job_test in Slurm.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "replay/schedulers/free_profile.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

class Conservative final : public Scheduler {
 public:
  explicit Conservative(const SchedulerSetup& setup)
      : jobs_(setup.jobs),
        estimates_(setup.estimates),
        depth_(static_cast<std::size_t>(setup.values.at("depth"))),
        profile_(0, 0) {}

  // A job that is submitted again gets its reservation when all are made anew.
  void Submit(JobIndex job) override {
    if (job < next_) {
      unreserved_.push_back(job);
      return;
    }
    others_.push_back(job);
    next_ = job + 1;
  }
  void NodesChanged() override { is_kept_ = false; }
  bool empty() const override {
    return starts_.empty() && unreserved_.empty() && others_.empty();
  }
  std::uint64_t most_beyond_depth() const override {
    return most_beyond_depth_;
  }
  JobIndex head() const override {
    if (!starts_.empty()) return starts_.begin()->first;
    return unreserved_.empty() ? others_.front() : unreserved_.front();
  }

  // The first reservation; a job behind it in the queue, whose end was awaited,
  // may have moved forward. While the reservations are not kept, an end is
  // awaited.
  std::optional<TimeMs> wake_ms() const override {
    if (!is_kept_ || by_start_.empty()) return std::nullopt;
    return by_start_.begin()->first;
  }

  absl::Status Schedule(Cluster& cluster) override {
    const TimeMs now_ms = cluster.now_ms();
    const bool early = TakeEnds(cluster);
    const auto& running = cluster.running();
    const bool overrun =
        !running.empty() && running.begin()->estimated_end_ms <= now_ms;
    if (!is_kept_ || overrun || cluster.has_corrected()) {
      MakeAnew(cluster);
      is_kept_ = !overrun;
    } else if (early) {
      MoveForward(now_ms);
    }
    for (;;) {
      while (starts_.size() < depth_ && !others_.empty()) {
        Reserve(others_.front(), now_ms);
        others_.pop_front();
      }
      most_beyond_depth_ = std::max(most_beyond_depth_, others_.size());
      const std::size_t reserved = starts_.size();
      if (absl::Status started = StartDue(cluster); !started.ok()) {
        return started;
      }
      if (starts_.size() == reserved || others_.empty()) break;
    }
    return absl::OkStatus();
  }

 private:
  // At least 1 ms, so that a job holds its nodes.
  TimeMs DurationOf(JobIndex job) const {
    return std::clamp<TimeMs>(estimates_.Of(job), 1, FreeProfile::kForeverMs);
  }

  // Returns whether a job has ended before its estimated end.
  bool TakeEnds(const Cluster& cluster) {
    const TimeMs now_ms = cluster.now_ms();
    if (is_kept_) profile_.Forget(now_ms);
    bool early = false;
    for (const JobIndex job : cluster.ended()) {
      const auto held = held_until_.find(job);
      if (is_kept_ && held->second.until_ms > now_ms) {
        profile_.Free(now_ms, held->second.until_ms, held->second.nodes);
        early = true;
      }
      held_until_.erase(held);
    }
    return early;
  }

  void Reserve(JobIndex job, TimeMs from_ms) {
    if (jobs_[job].nodes > available_) {
      unreserved_.push_back(job);
      return;
    }
    const TimeMs duration_ms = DurationOf(job);
    const TimeMs start_ms =
        profile_.EarliestFit(from_ms, duration_ms, jobs_[job].nodes);
    profile_.Hold(start_ms, start_ms + duration_ms, jobs_[job].nodes);
    starts_[job] = start_ms;
    by_start_.insert({start_ms, job});
  }

  void MoveForward(TimeMs now_ms) {
    for (auto& [job, start_ms] : starts_) {
      const TimeMs duration_ms = DurationOf(job);
      const NodeCount nodes = jobs_[job].nodes;
      profile_.Free(start_ms, start_ms + duration_ms, nodes);
      const TimeMs earlier_ms =
          profile_.EarliestFit(now_ms, duration_ms, nodes);
      profile_.Hold(earlier_ms, earlier_ms + duration_ms, nodes);
      if (earlier_ms == start_ms) continue;
      by_start_.erase({start_ms, job});
      by_start_.insert({earlier_ms, job});
      start_ms = earlier_ms;
    }
  }

  void MakeAnew(const Cluster& cluster) {
    const TimeMs now_ms = cluster.now_ms();
    available_ = cluster.free_nodes();
    for (const RunningJob& job : cluster.running()) available_ += job.nodes;
    profile_ = FreeProfile(now_ms, available_);
    for (const RunningJob& job : cluster.running()) {
      Held& held = held_until_[job.job];
      held = {std::max(job.estimated_end_ms, now_ms + 1), job.nodes};
      profile_.Hold(now_ms, held.until_ms, held.nodes);
    }
    std::vector<JobIndex> waiting;
    waiting.swap(unreserved_);
    for (const auto& [job, start_ms] : starts_) waiting.push_back(job);
    starts_.clear();
    by_start_.clear();
    std::sort(waiting.begin(), waiting.end());
    for (const JobIndex job : waiting) Reserve(job, now_ms);
  }

  absl::Status StartDue(Cluster& cluster) {
    const TimeMs now_ms = cluster.now_ms();
    std::vector<JobIndex> due;
    for (const auto& [start_ms, job] : by_start_) {
      if (start_ms > now_ms) break;
      due.push_back(job);
    }
    for (const JobIndex job : due) {
      // Beyond the range of the profile, nodes are not held.
      const bool fits = jobs_[job].nodes <= cluster.free_nodes();
      const absl::StatusOr<bool> started = fits ? cluster.Start(job) : false;
      if (!started.ok()) return started.status();
      if (!*started) {
        is_kept_ = false;
        continue;
      }
      held_until_[job] = {now_ms + DurationOf(job), jobs_[job].nodes};
      by_start_.erase({starts_[job], job});
      starts_.erase(job);
    }
    return absl::OkStatus();
  }

  const std::span<const WorkloadJob> jobs_;
  const Estimates& estimates_;
  const std::size_t depth_;
  FreeProfile profile_;
  bool is_kept_ = false;     // the profile and the reservations are up to date
  NodeCount available_ = 0;  // nodes of the profile
  // Without a reservation: so many nodes are unavailable, or the job has been
  // submitted again.
  std::vector<JobIndex> unreserved_;
  std::deque<JobIndex> others_;  // without a reservation, behind the others
  absl::btree_map<JobIndex, TimeMs> starts_;               // reserved
  absl::btree_set<std::pair<TimeMs, JobIndex>> by_start_;  // the same
  struct Held {
    TimeMs until_ms;
    NodeCount nodes;
  };
  absl::flat_hash_map<JobIndex, Held> held_until_;  // of the running jobs
  JobIndex next_ = 0;  // jobs below have been submitted
  std::size_t most_beyond_depth_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> MakeConservative(const SchedulerSetup& setup) {
  return std::make_unique<Conservative>(setup);
}

}  // namespace coolspan
