// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SCHEDULERS_HEAD_RESERVATION_H_
#define COOLSPAN_REPLAY_SCHEDULERS_HEAD_RESERVATION_H_

#include <algorithm>
#include <vector>

#include "replay/cluster.h"
#include "replay/schedulers/free_profile.h"

namespace coolspan {

// The shadow time, at which the head of the queue is expected to start, and the
// extra nodes: those it then leaves free.
struct Reservation {
  TimeMs shadow_ms;
  NodeCount extra;
};

// Adds up the nodes of running jobs by estimated end until the head fits. A job
// that has exceeded its estimate counts as ending now; several such jobs are
// sorted by size. While too many nodes are unavailable for the head, it is
// never expected to start. Not thread-safe.
class HeadReservation {
 public:
  // free: the free nodes for the head. nodes_of(job): the nodes that the end of
  // a running job makes free for it.
  template <typename NodesOf>
  Reservation Find(const Cluster& cluster, NodeCount free, NodeCount head,
                   const NodesOf& nodes_of) {
    const TimeMs now_ms = cluster.now_ms();
    const auto& running = cluster.running();
    overdue_.clear();
    auto next = running.begin();
    for (; next != running.end() && next->estimated_end_ms <= now_ms; ++next) {
      overdue_.push_back(nodes_of(*next));
    }
    std::sort(overdue_.begin(), overdue_.end());
    for (const NodeCount nodes : overdue_) {
      free += nodes;
      if (free >= head) return Reservation{now_ms, free - head};
    }
    for (; next != running.end(); ++next) {
      free += nodes_of(*next);
      if (free >= head) return Reservation{next->estimated_end_ms, free - head};
    }
    return Reservation{FreeProfile::kForeverMs, 0};
  }

 private:
  std::vector<NodeCount> overdue_;  // kept to reuse its memory
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_HEAD_RESERVATION_H_
