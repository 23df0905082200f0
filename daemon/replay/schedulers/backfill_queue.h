// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SCHEDULERS_BACKFILL_QUEUE_H_
#define COOLSPAN_REPLAY_SCHEDULERS_BACKFILL_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/types.h"
#include "replay/estimates.h"
#include "replay/input/workload.h"

namespace coolspan {

// A queue in the order of job indexes that finds the first job that may be
// backfilled without a scan: real logs have passes with 130,000 waiting jobs.
//
// Jobs with the same floor(log2(nodes)) share a segment tree over their
// positions in the queue; each inner node has the minimum size and the minimum
// estimate below it. Except in the tree whose sizes include the limit, either
// all jobs or no jobs are small enough, so a search follows one path; in that
// tree it may have to backtrack. Not thread-safe.
class BackfillQueue {
 public:
  // jobs: all that may be queued. They and their estimates must outlive the
  // queue.
  BackfillQueue(std::span<const WorkloadJob> jobs, const Estimates& estimates);

  // The estimate of the job must not change until Erase. REQUIRES a higher
  // index than any inserted before.
  void Insert(JobIndex job);
  // REQUIRES a queued job.
  void Erase(JobIndex job);

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  JobIndex head() const { return head_; }  // REQUIRES !empty()

  // A job may start if it fits now (nodes <= free) and either its estimate ends
  // in time (estimate_ms <= window_ms) or nodes <= extra.
  struct Limits {
    NodeCount free;
    NodeCount extra;
    TimeMs window_ms;
  };
  // The first queued job within the limits with an index of at least from.
  std::optional<JobIndex> FirstWithin(JobIndex from,
                                      const Limits& limits) const;

 private:
  struct Minima {
    TimeMs estimate_ms = std::numeric_limits<TimeMs>::max();
    NodeCount nodes = std::numeric_limits<NodeCount>::max();
  };
  class Tree {
   public:
    void Add(JobIndex job) { members_.push_back(job); }
    void Build();
    void Set(std::uint32_t place, Minima value);
    std::optional<JobIndex> FirstWithin(JobIndex from,
                                        const Limits& limits) const;
    std::uint32_t size() const {
      return static_cast<std::uint32_t>(members_.size());
    }

   private:
    std::vector<JobIndex> members_;  // ascending, queued or not
    std::size_t leaves_ = 0;         // a power of two
    std::vector<Minima> minima_;     // root at 1; place p at leaves_ + p
  };

  static std::size_t TreeOf(NodeCount nodes);

  std::span<const WorkloadJob> jobs_;
  const Estimates& estimates_;
  std::vector<Tree> trees_;            // by floor(log2(nodes))
  std::vector<std::uint32_t> places_;  // of each job, in its tree
  std::vector<bool> queued_;
  std::size_t size_ = 0;
  JobIndex head_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_BACKFILL_QUEUE_H_
