// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/input/shared_nodes.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace coolspan {
namespace {

struct LatestEnd {
  TimeMs end_ms = std::numeric_limits<TimeMs>::min();
  std::size_t job = 0;
};

}  // namespace

std::uint64_t CountSharingJobs(std::span<const WorkloadJob> jobs,
                               NodeCount machine_nodes) {
  std::vector<std::size_t> by_start(jobs.size());
  std::iota(by_start.begin(), by_start.end(), std::size_t{0});
  std::stable_sort(
      by_start.begin(), by_start.end(), [jobs](std::size_t a, std::size_t b) {
        return jobs[a].recorded_start_ms < jobs[b].recorded_start_ms;
      });
  // A job that overlaps an earlier one also overlaps the earlier one that ends
  // last, and these two overlap each other.
  std::vector<LatestEnd> latest(machine_nodes);
  std::vector<bool> shares(jobs.size(), false);
  for (const std::size_t index : by_start) {
    const WorkloadJob& job = jobs[index];
    const TimeMs end_ms = job.recorded_start_ms + job.run_ms;
    for (const NodeId node : job.recorded->nodes) {
      LatestEnd& before = latest[node];
      if (before.end_ms > job.recorded_start_ms) {
        shares[index] = true;
        shares[before.job] = true;
      }
      if (end_ms > before.end_ms) before = {end_ms, index};
    }
  }
  return static_cast<std::uint64_t>(
      std::count(shares.begin(), shares.end(), true));
}

}  // namespace coolspan
