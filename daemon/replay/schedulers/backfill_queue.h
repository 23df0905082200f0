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
#include "replay/workload.h"

namespace coolspan {

// A queue in the order of job indexes that finds the first job which may be
// backfilled without looking at every job, as a scan of 130,000 waiting jobs
// in each pass would.
//
// Jobs of about the same size (the same power of two) share a tree over their
// places in the queue, whose inner nodes have the least size and the least
// estimate below them. In all trees but the one around the limit every job is
// small enough or none is, so that a search there follows one path; around the
// limit it may have to turn back. Not thread-safe.
class BackfillQueue {
 public:
  // jobs: all that may ever be queued; outlives the queue.
  explicit BackfillQueue(std::span<const WorkloadJob> jobs);

  // REQUIRES a higher index than any inserted before.
  void Insert(JobIndex job);
  // REQUIRES a queued job.
  void Erase(JobIndex job);

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  JobIndex head() const { return head_; }  // REQUIRES !empty()

  // A job may start that fits now (nodes <= free) and either is expected to
  // end in time (estimate <= window) or takes no more than the extra nodes.
  struct Limits {
    NodeCount free;
    NodeCount extra;
    TimeMs window_ms;
  };
  // The first queued job with an index of at least from within the limits.
  std::optional<JobIndex> FirstWithin(JobIndex from,
                                      const Limits& limits) const;

 private:
  struct Least {
    TimeMs estimate_ms = std::numeric_limits<TimeMs>::max();
    NodeCount nodes = std::numeric_limits<NodeCount>::max();
  };
  class Tree {
   public:
    void Add(JobIndex job) { members_.push_back(job); }
    void Build();
    void Set(std::uint32_t place, Least value);
    std::optional<JobIndex> FirstWithin(JobIndex from,
                                        const Limits& limits) const;
    std::uint32_t size() const {
      return static_cast<std::uint32_t>(members_.size());
    }

   private:
    std::vector<JobIndex> members_;  // ascending, queued or not
    std::size_t leaves_ = 0;         // a power of two
    std::vector<Least> least_;       // from 1; place p is leaf leaves_ + p
  };

  static std::size_t TreeOf(NodeCount nodes);

  std::span<const WorkloadJob> jobs_;
  std::vector<Tree> trees_;            // by floor(log2(nodes))
  std::vector<std::uint32_t> places_;  // of each job in its tree
  std::vector<bool> queued_;
  std::size_t size_ = 0;
  JobIndex head_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_BACKFILL_QUEUE_H_
