// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_SCHEDULERS_FREE_PROFILE_H_
#define COOLSPAN_REPLAY_SCHEDULERS_FREE_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/types.h"

namespace coolspan {

// The number of free nodes in the future, a step function of time. Not
// thread-safe.
class FreeProfile {
 public:
  // Nothing is held from then on. The sum of two smaller times fits in TimeMs.
  static constexpr TimeMs kForeverMs = std::numeric_limits<TimeMs>::max() / 2;

  // All nodes are free from begin_ms on.
  FreeProfile(TimeMs begin_ms, NodeCount nodes);

  // nodes are held from begin_ms to end_ms. REQUIRES begin_ms not before the
  // start of the profile, and that many free nodes.
  void Hold(TimeMs begin_ms, TimeMs end_ms, NodeCount nodes);
  // REQUIRES that Hold held them.
  void Free(TimeMs begin_ms, TimeMs end_ms, NodeCount nodes);
  // The earliest time, at or after from_ms, with that many free nodes for that
  // time. REQUIRES at most all nodes; from_ms not before the start of the
  // profile.
  TimeMs EarliestFit(TimeMs from_ms, TimeMs duration_ms, NodeCount nodes) const;
  // The least number of free nodes in that time, which is not before the start
  // of the profile.
  NodeCount LeastFree(TimeMs begin_ms, TimeMs end_ms) const;
  // When more or fewer nodes become free; the start of the profile first.
  std::vector<TimeMs> Changes() const;
  // Moves the start of the profile to now_ms, which is not before it.
  void Forget(TimeMs now_ms);

 private:
  struct Step {
    TimeMs begin_ms;  // until the next step; of the last one, for ever
    NodeCount free;
  };
  std::size_t StepAt(TimeMs time_ms) const;
  std::size_t SplitAt(TimeMs time_ms);
  // Makes one step of two equal neighbours, the second one at this index.
  void Merge(std::size_t second);

  std::vector<Step> steps_;  // by begin_ms; never empty
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_SCHEDULERS_FREE_PROFILE_H_
