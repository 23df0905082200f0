// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_LINEAR_INDEX_POOL_H_
#define COOLSPAN_POLICY_LINEAR_INDEX_POOL_H_

#include <memory>
#include <mutex>
#include <vector>

#include "core/node_set.h"
#include "ordering/ordering.h"
#include "policy/linear/free_intervals.h"

namespace coolspan {

// A pool of indexes. Successive decisions may concern very different free sets
// (of different partitions, for example), so the pool keeps a few indexes and
// each decision takes the one that needs the fewest updates. Thread-safe.
class IndexPool {
 public:
  explicit IndexPool(std::shared_ptr<const Ordering> ordering);

  // An index of the requested set for one thread; the destructor returns it to
  // the pool.
  class Lease {
   public:
    Lease(IndexPool& pool, std::unique_ptr<FreeIntervals> index);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    FreeIntervals& operator*() const { return *index_; }
    FreeIntervals* operator->() const { return index_.get(); }

   private:
    IndexPool& pool_;
    std::unique_ptr<FreeIntervals> index_;
  };
  // REQUIRES that the pool outlives the lease.
  Lease Take(const NodeSet& free);

 private:
  static constexpr std::size_t kMaxIdle = 4;
  std::unique_ptr<FreeIntervals> TakeNearest(const NodeSet& free);
  void Return(std::unique_ptr<FreeIntervals> index);

  std::shared_ptr<const Ordering> ordering_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<FreeIntervals>> idle_;  // most recently used last
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_LINEAR_INDEX_POOL_H_
