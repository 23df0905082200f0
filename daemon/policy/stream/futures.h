// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_FUTURES_H_
#define COOLSPAN_POLICY_STREAM_FUTURES_H_

#include <cstdint>
#include <vector>

#include "core/policy.h"
#include "core/request.h"
#include "core/types.h"

namespace coolspan {

// A job that may come.
struct ComingJob {
  TimeMs submit_ms = 0;
  NodeCount nodes = 0;
  TimeMs run_ms = 0;
};
// Coming jobs by submit time, up to an end.
struct Future {
  std::vector<ComingJob> jobs;
};

// Possible futures of the stream, drawn from its recent starts and the job that
// is placed: sizes and run times together, with exponential gaps of the recent
// mean. If the job has waited longer than schedulers usually take, others
// probably wait behind it: so many are due at once, geometrically distributed.
// Jobs of unknown run time run as long as the mean of the others.
class Futures {
 public:
  // nodes: of the job. REQUIRES a job of known run time.
  Futures(const MachineView& view, const Request& request, NodeCount nodes);

  // How far a future reaches: the mean run time of the recent jobs.
  TimeMs horizon_ms() const { return horizon_ms_; }
  // The futures of one seed are the same whatever their order.
  Future Draw(std::uint32_t index) const;

 private:
  TimeMs now_ms_;
  std::uint64_t seed_;
  bool has_waited_;
  double mean_gap_ms_ = 0;  // 0: not known
  TimeMs horizon_ms_ = 0;
  std::vector<ComingJob> recent_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_FUTURES_H_
