// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/futures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

#include "policy/uniform_draw.h"

namespace coolspan {
namespace {

// The probability that one more job waits.
constexpr double kWaitsToo = 0.7;
// Less is the usual delay of schedulers: Slurm's sched_interval.
constexpr TimeMs kMinWaitMs = 60 * kMsPerSecond;
// Coming jobs of one future at most.
constexpr std::size_t kMaxJobs = 64;

// From 0 to 1, the latter excluded; the same on every platform.
double Uniform(std::mt19937_64& random) {
  constexpr int kUnusedBits = 11;
  constexpr double kUnit = 0x1p-53;
  return static_cast<double>(random() >> kUnusedBits) * kUnit;
}

}  // namespace

Futures::Futures(const MachineView& view, const Request& request,
                 NodeCount nodes)
    : now_ms_(view.now_ms()),
      seed_(request.seed),
      has_waited_(request.waited_ms > kMinWaitMs) {
  recent_.push_back({0, nodes, request.expected_run_ms});
  const RecentStarts* const starts = view.recent_starts();
  const std::size_t count = starts == nullptr ? 0 : starts->size();
  double known_ms = static_cast<double>(request.expected_run_ms);
  double known = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const RecentStart& start = (*starts)[i];
    recent_.push_back({0, start.nodes, start.expected_run_ms});
    if (start.expected_run_ms <= 0) continue;
    known_ms += static_cast<double>(start.expected_run_ms);
    known += 1;
  }
  horizon_ms_ = static_cast<TimeMs>(known_ms / known);
  for (ComingJob& job : recent_) {
    if (job.run_ms <= 0) job.run_ms = horizon_ms_;
  }
  if (count > 0) {
    mean_gap_ms_ = static_cast<double>(std::max<TimeMs>(
                       now_ms_ - (*starts)[0].start_ms, kMsPerSecond)) /
                   static_cast<double>(count);
  }
}

Future Futures::Draw(std::uint32_t index) const {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  std::mt19937_64 random(seed_ + kOdd * (index + std::uint64_t{1}));
  Future future;
  const auto add = [&](TimeMs submit_ms) {
    const std::size_t drawn =
        UniformDraw(random, static_cast<std::uint32_t>(recent_.size()));
    future.jobs.push_back(
        {submit_ms, recent_[drawn].nodes, recent_[drawn].run_ms});
  };
  while (has_waited_ && future.jobs.size() < kMaxJobs &&
         Uniform(random) < kWaitsToo) {
    add(now_ms_);
  }
  if (mean_gap_ms_ <= 0) return future;
  double after_ms = 0;
  while (future.jobs.size() < kMaxJobs) {
    after_ms -= mean_gap_ms_ * std::log(1 - Uniform(random));
    if (after_ms >= static_cast<double>(horizon_ms_)) break;
    add(now_ms_ + static_cast<TimeMs>(after_ms));
  }
  return future;
}

}  // namespace coolspan
