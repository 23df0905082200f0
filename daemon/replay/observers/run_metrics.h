// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_RUN_METRICS_H_
#define COOLSPAN_REPLAY_OBSERVERS_RUN_METRICS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/types.h"
#include "replay/observers/run_observer.h"
#include "replay/run_report.h"

namespace coolspan {

// Aggregates the metrics of one run. Each metric of an allocation has its mean
// over jobs and, by suffix: `_max`, `_sumsq` (sum of squares), `_tw` (mean
// weighted by run time), `_n2` (mean over jobs of two and more nodes) and
// `_per_node` (mean of metric / nodes of the job, for metrics that grow with
// the number of nodes): the aggregations of cpa-rd100-cplant-bender, section 3,
// Metrics. Not thread-safe.
class RunMetrics final : public RunObserver {
 public:
  // begin_ms: the first submit, or the end of the warm-up; totals are counted
  // from then on. runs_change: the run times of started jobs change.
  RunMetrics(NodeCount machine_nodes, TimeMs begin_ms,
             bool runs_change = false);

  absl::Status Started(const JobStart& start) override;
  void Ended(const JobEnd& end) override;
  void Report(RunReport& report) const override;

  std::uint64_t jobs() const { return jobs_; }
  std::vector<NamedValue> Values() const;

 private:
  struct Sums {
    std::string name;
    bool grows_with_job = false;
    bool applies = true;
    double sum = 0;
    double max = -std::numeric_limits<double>::infinity();
    double squares = 0;
    double weighted = 0;
    double two_and_more = 0;
    double per_node = 0;
  };
  void AddValue(std::string_view name, std::optional<double> value);
  double MakespanS() const;
  void AppendAllocations(std::vector<NamedValue>& values) const;
  void AppendTotals(std::vector<NamedValue>& values) const;
  void CorrectRun(const JobEnd& end);

  const NodeCount machine_nodes_;
  const TimeMs begin_ms_;
  const bool runs_change_;
  // Of a running job, as it was added.
  struct Added {
    double run_s = 0;
    std::vector<double> values;  // by sum
  };
  absl::flat_hash_map<JobIndex, Added> added_;  // if runs change

  std::vector<Sums> sums_;  // in VisitMetrics' order
  std::size_t next_sum_ = 0;
  double job_nodes_ = 0;  // of the job being added
  double job_run_s_ = 0;

  std::uint64_t jobs_ = 0;
  std::uint64_t jobs_two_and_more_ = 0;
  std::uint64_t stopped_early_ = 0;
  double run_s_ = 0;
  double wait_s_ = 0;
  // Of the starts that a failed node has ended.
  struct Failed {
    std::uint64_t starts = 0;
    double run_s = 0;
    double wait_s = 0;
  };
  Failed failed_;
  double node_s_ = 0;
  TimeMs last_end_ms_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_RUN_METRICS_H_
