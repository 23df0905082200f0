// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/schedulers/free_profile.h"

#include <algorithm>
#include <iterator>

namespace coolspan {

FreeProfile::FreeProfile(TimeMs begin_ms, NodeCount nodes)
    : steps_{{begin_ms, nodes}} {}

std::size_t FreeProfile::StepAt(TimeMs time_ms) const {
  const auto after = std::upper_bound(
      steps_.begin(), steps_.end(), time_ms,
      [](TimeMs time, const Step& step) { return time < step.begin_ms; });
  return static_cast<std::size_t>(std::prev(after) - steps_.begin());
}

std::size_t FreeProfile::SplitAt(TimeMs time_ms) {
  const std::size_t step = StepAt(time_ms);
  if (steps_[step].begin_ms == time_ms) return step;
  steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(step) + 1,
                {time_ms, steps_[step].free});
  return step + 1;
}

void FreeProfile::Merge(std::size_t second) {
  if (second == 0 || steps_[second - 1].free != steps_[second].free) return;
  steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(second));
}

void FreeProfile::Hold(TimeMs begin_ms, TimeMs end_ms, NodeCount nodes) {
  end_ms = std::min(end_ms, kForeverMs);
  if (begin_ms >= end_ms) return;
  const std::size_t begin = SplitAt(begin_ms);
  const std::size_t end = SplitAt(end_ms);
  for (std::size_t i = begin; i < end; ++i) steps_[i].free -= nodes;
  Merge(end);
  Merge(begin);
}

void FreeProfile::Free(TimeMs begin_ms, TimeMs end_ms, NodeCount nodes) {
  // NodeCount is unsigned and wraps around.
  Hold(begin_ms, end_ms, static_cast<NodeCount>(-nodes));
}

TimeMs FreeProfile::EarliestFit(TimeMs from_ms, TimeMs duration_ms,
                                NodeCount nodes) const {
  for (std::size_t i = StepAt(from_ms);; ++i) {
    while (steps_[i].free < nodes) ++i;
    const TimeMs begin_ms = std::max(steps_[i].begin_ms, from_ms);
    while (i + 1 < steps_.size() &&
           steps_[i + 1].begin_ms - begin_ms < duration_ms &&
           steps_[i + 1].free >= nodes) {
      ++i;
    }
    if (i + 1 == steps_.size() ||
        steps_[i + 1].begin_ms - begin_ms >= duration_ms) {
      return begin_ms;
    }
  }
}

NodeCount FreeProfile::LeastFree(TimeMs begin_ms, TimeMs end_ms) const {
  std::size_t i = StepAt(begin_ms);
  NodeCount least = steps_[i].free;
  while (++i < steps_.size() && steps_[i].begin_ms < end_ms) {
    least = std::min(least, steps_[i].free);
  }
  return least;
}

std::vector<TimeMs> FreeProfile::Changes() const {
  std::vector<TimeMs> changes;
  for (const Step& step : steps_) changes.push_back(step.begin_ms);
  return changes;
}

void FreeProfile::Forget(TimeMs now_ms) {
  const std::size_t now = StepAt(now_ms);
  steps_.erase(steps_.begin(),
               steps_.begin() + static_cast<std::ptrdiff_t>(now));
  steps_.front().begin_ms = now_ms;
}

}  // namespace coolspan
