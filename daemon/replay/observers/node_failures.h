// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_NODE_FAILURES_H_
#define COOLSPAN_REPLAY_OBSERVERS_NODE_FAILURES_H_

#include <cstdint>

#include "replay/observers/run_observer.h"

namespace coolspan {

// Adds up what is lost when nodes fail. Not thread-safe.
class NodeFailures final : public RunObserver {
 public:
  // Counts from begin_ms on.
  explicit NodeFailures(TimeMs begin_ms) : begin_ms_(begin_ms) {}
  void Ended(const JobEnd& end) override;
  // requeues (jobs that a failed node has ended) and lost_node_s (the node
  // seconds that they had run for).
  void Report(RunReport& report) const override;

 private:
  const TimeMs begin_ms_;
  std::uint64_t requeues_ = 0;
  double lost_node_s_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_NODE_FAILURES_H_
