// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_ESTIMATES_H_
#define COOLSPAN_REPLAY_ESTIMATES_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "core/spec/spec_options.h"
#include "core/types.h"
#include "replay/input/workload.h"

namespace coolspan {

// How the run times of jobs are estimated, which schedulers plan with.
struct EstimateRule {
  std::string spec = "trace";
  enum class Kind {
    kTrace,     // as in the trace; where it has none, the run time
    kFactor,    // run time times a factor
    kUserMean,  // mean run time of the user's last two jobs that have ended
  };
  Kind kind = Kind::kTrace;
  double factor = 1;
};

struct EstimateEntry {
  std::string_view name;
  std::string_view help;
  EstimateRule::Kind kind;
  std::span<const SpecOption> options = {};
};
std::span<const EstimateEntry> EstimateTable();
// spec: "trace", "factor:by=2", "user-mean". Error: INVALID_ARGUMENT for an
// unknown name or option.
absl::StatusOr<EstimateRule> ReadEstimateRule(std::string_view spec);

// The estimates of the jobs of one run. Not thread-safe.
//
// user-mean is the predictor of Tsafrir, Etsion, Feitelson, "Backfilling using
// system-generated predictions rather than user runtime estimates", IEEE TPDS
// 18(6), 2007: a job's estimate is set when it is submitted and is at most that
// of the trace, if it has one. For a user with one job that has ended it is the
// run time of that job; without, or if the user is unknown, the estimate of the
// trace. A job that exceeds it is then expected to run as long as the trace
// estimates: without that, a job that is expected to end at any moment leaves
// no time for backfilling.
class Estimates {
 public:
  // jobs must outlive the object.
  Estimates(std::span<const WorkloadJob> jobs, const EstimateRule& rule);

  TimeMs Of(JobIndex job) const {
    return set_.empty() ? jobs_[job].estimate_ms : set_[job];
  }
  // What is expected of a job that has run for Of(job); nothing more if it is
  // not longer.
  TimeMs Corrected(JobIndex job) const { return jobs_[job].estimate_ms; }
  bool Corrects() const { return rule_.kind == EstimateRule::Kind::kUserMean; }
  // The job is submitted; Of(job) may change.
  void Submitted(JobIndex job);
  void Ended(JobIndex job, TimeMs run_ms);

 private:
  struct LastRuns {
    std::array<TimeMs, 2> run_ms;  // the last one first
    int count = 0;
  };

  const std::span<const WorkloadJob> jobs_;
  const EstimateRule rule_;
  std::vector<TimeMs> set_;  // empty: those of the trace
  absl::flat_hash_map<std::int32_t, LastRuns> users_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_ESTIMATES_H_
