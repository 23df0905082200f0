// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/estimates.h"

#include <algorithm>
#include <cmath>

#include "replay/find_entry.h"

namespace coolspan {
namespace {

// Times a run time of 10^15 ms, the maximum of a trace, it fits in TimeMs.
constexpr double kMaxFactor = 1000;
constexpr std::array kFactorOptions = {
    SpecOption{"by", "factor of the run time", 1, 0, kMaxFactor, true},
};

constexpr EstimateEntry kEstimates[] = {
    {"trace", "as in the trace; where it has none, the run time",
     EstimateRule::Kind::kTrace},
    {"factor", "the run time times a factor", EstimateRule::Kind::kFactor,
     kFactorOptions},
    {"user-mean",
     "the mean run time of the user's last two jobs that have ended, at most "
     "the estimate of the trace; after it, that estimate",
     EstimateRule::Kind::kUserMean},
};

}  // namespace

std::span<const EstimateEntry> EstimateTable() { return kEstimates; }

absl::StatusOr<EstimateRule> ReadEstimateRule(std::string_view spec) {
  const absl::StatusOr<const EstimateEntry*> entry =
      FindEntry(EstimateTable(), "--estimates", SpecName(spec));
  if (!entry.ok()) return entry.status();
  const absl::StatusOr<SpecValues> values =
      ReadSpecValues("estimate", spec, (*entry)->options, {});
  if (!values.ok()) return values.status();
  const auto factor = values->find("by");
  return EstimateRule{.spec = std::string(spec),
                      .kind = (*entry)->kind,
                      .factor = factor == values->end() ? 1 : factor->second};
}

Estimates::Estimates(std::span<const WorkloadJob> jobs,
                     const EstimateRule& rule)
    : jobs_(jobs), rule_(rule) {
  if (rule.kind == EstimateRule::Kind::kTrace) return;
  set_.reserve(jobs.size());
  for (const WorkloadJob& job : jobs) {
    set_.push_back(rule.kind == EstimateRule::Kind::kFactor
                       ? static_cast<TimeMs>(std::llround(
                             static_cast<double>(job.run_ms) * rule.factor))
                       : job.estimate_ms);
  }
}

void Estimates::Submitted(JobIndex job) {
  if (rule_.kind != EstimateRule::Kind::kUserMean) return;
  const auto last = users_.find(jobs_[job].user);
  if (last == users_.end()) return;
  const LastRuns& runs = last->second;
  const TimeMs mean_ms =
      runs.count == 1 ? runs.run_ms[0] : (runs.run_ms[0] + runs.run_ms[1]) / 2;
  set_[job] = jobs_[job].has_estimate
                  ? std::min(mean_ms, jobs_[job].estimate_ms)
                  : mean_ms;
}

void Estimates::Ended(JobIndex job, TimeMs run_ms) {
  if (rule_.kind != EstimateRule::Kind::kUserMean || jobs_[job].user < 0) {
    return;
  }
  LastRuns& runs = users_[jobs_[job].user];
  runs.run_ms[1] = runs.run_ms[0];
  runs.run_ms[0] = run_ms;
  runs.count = std::min(runs.count + 1, 2);
}

}  // namespace coolspan
