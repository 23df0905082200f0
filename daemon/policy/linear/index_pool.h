// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_LINEAR_INDEX_POOL_H_
#define COOLSPAN_POLICY_LINEAR_INDEX_POOL_H_

#include <memory>

#include "core/lease_pool.h"
#include "core/node_set.h"
#include "ordering/ordering.h"
#include "policy/linear/free_intervals.h"

namespace coolspan {

// A pool of indexes. Successive decisions may concern very different free sets
// (of different partitions, for example), so the pool keeps a few indexes and
// each decision takes the one that needs the fewest updates. Thread-safe.
class IndexPool {
 public:
  using Lease = LeasePool<FreeIntervals>::Lease;

  explicit IndexPool(std::shared_ptr<const Ordering> ordering);

  // An index of the set. REQUIRES that the pool outlives the lease.
  Lease Take(const NodeSet& free);

 private:
  const std::shared_ptr<const Ordering> ordering_;
  LeasePool<FreeIntervals> pool_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_LINEAR_INDEX_POOL_H_
