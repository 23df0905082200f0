// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_RUN_METRICS_H_
#define COOLSPAN_REPLAY_RUN_METRICS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "locality/locality.h"
#include "replay/cluster.h"
#include "replay/job_run.h"
#include "replay/room_meter.h"
#include "replay/workload.h"
#include "thermal/cooling.h"

namespace coolspan {

// A metric of a run under its name in reports; no value if it does not apply.
struct NamedValue {
  std::string name;
  std::optional<double> value;
};

// The measurements of a job start.
struct MeasuredStart {
  JobRun run;
  Locality locality;
  std::optional<Cooling> cooling;  // including the job; if there is a room
};

// Aggregates the metrics of one run. Each metric of an allocation has its mean
// over jobs and, by suffix: `_max`, `_sumsq` (sum of squares), `_tw` (mean
// weighted by run time), `_n2` (mean over jobs of two and more nodes) and
// `_per_node` (mean of metric / nodes of the job, for metrics that grow with
// the number of nodes): the aggregations of cpa-rd100-cplant-bender, section 3,
// Metrics. Not thread-safe.
class RunMetrics {
 public:
  explicit RunMetrics(NodeCount machine_nodes);
  RunMetrics(const RunMetrics&) = delete;
  RunMetrics& operator=(const RunMetrics&) = delete;

  void Add(const WorkloadJob& job, const Placement& placement,
           const MeasuredStart& start);

  std::uint64_t jobs() const { return decision_us_.size(); }
  // All metrics. wall_s: real time of the run. room: totals of the run.
  std::vector<NamedValue> Values(double wall_s,
                                 const RoomMeter::Totals* room = nullptr) const;

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
  void AppendEnergy(const RoomMeter::Totals& room,
                    std::vector<NamedValue>& values) const;
  void AppendRealTimes(double wall_s, std::vector<NamedValue>& values) const;

  const NodeCount machine_nodes_;

  std::vector<Sums> sums_;  // in VisitMetrics' order
  std::size_t next_sum_ = 0;
  double job_nodes_ = 0;  // of the job being added
  double job_run_s_ = 0;

  std::uint64_t jobs_two_and_more_ = 0;
  double run_s_ = 0;
  double wait_s_ = 0;
  double node_s_ = 0;
  TimeMs first_submit_ms_ = 0;
  TimeMs last_end_ms_ = 0;
  std::vector<float> decision_us_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_RUN_METRICS_H_
