// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_RUN_MAP_H_
#define COOLSPAN_REPLAY_RUN_MAP_H_

#include <cstdint>
#include <vector>

#include "core/types.h"

namespace coolspan {

// The machine at an instant of a run, after its events.
struct RunMap {
  TimeMs at_ms = 0;
  struct Job {
    std::int64_t number;  // in the log
    std::vector<NodeId> nodes;
  };
  std::vector<Job> jobs = {};
  // Of each direction of each link: traffic / capacity while the running jobs
  // communicate. Empty if jobs do not slow each other.
  struct LinkUse {
    VertexId from;
    VertexId to;
    double use;
  };
  std::vector<LinkUse> links = {};
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_RUN_MAP_H_
