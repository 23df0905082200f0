// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "replay/workload_models/workload_model.h"

namespace coolspan {

// joint-bqp-task-mapping, section 5.3: Poisson arrivals, 20 jobs per hour;
// uniform sizes and run times.
JobSource MakeBqpJobs(NodeCount nodes, std::uint64_t seed) {
  constexpr NodeCount kMaxNodes = 16;
  return [max_nodes = std::min(kMaxNodes, nodes),
          random = std::mt19937_64(seed), now_s = 0.0]() mutable {
    constexpr double kMeanGapS = 180;
    constexpr double kShortestS = 60;
    constexpr double kLongestS = 1200;
    GeneratedJob job;
    now_s -= kMeanGapS * std::log(1 - DrawUnit(random));
    job.submit_s = now_s;
    job.nodes = 1 + static_cast<NodeCount>(DrawUnit(random) * max_nodes);
    job.run_s = kShortestS + (kLongestS - kShortestS) * DrawUnit(random);
    return job;
  };
}

}  // namespace coolspan
