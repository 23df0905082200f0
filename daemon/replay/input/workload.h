// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_INPUT_WORKLOAD_H_
#define COOLSPAN_REPLAY_INPUT_WORKLOAD_H_

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/types.h"
#include "replay/input/trace_time.h"

namespace coolspan {

// A job's position in its workload, which is also its order in the queue.
using JobIndex = std::uint32_t;

inline constexpr TimeMs kNoDeadlineMs = std::numeric_limits<TimeMs>::max();

inline constexpr TimeMs kUnknownStartMs = std::numeric_limits<TimeMs>::min();

// What a trace says about a job besides its numbers.
struct RecordedJob {
  std::string id;             // 12, 12_3, 12+0
  std::vector<NodeId> nodes;  // ascending; empty unless needed
};

struct WorkloadJob {
  TimeMs submit_ms;
  TimeMs run_ms;
  TimeMs estimate_ms;
  std::int64_t number;  // in the log; copies have the same number
  NodeCount nodes;
  bool has_estimate = true;  // else estimate_ms is the run time
  std::int32_t user = -1;    // number in the log; -1: unknown
  std::int32_t group = -1;
  TimeMs deadline_ms = kNoDeadlineMs;
  // When it started, on the clock of the trace. Copies start as much later as
  // they arrive.
  TimeMs recorded_start_ms = kUnknownStartMs;
  const RecordedJob* recorded = nullptr;  // one of Workload::recorded
  NodeCount segment_nodes = 0;            // Request::segment_nodes
  // Of all its nodes, an index of Room::Description::types; -1: any. Obeyed by
  // the schedulers that group nodes.
  std::int32_t node_type = -1;
};

struct WorkloadOptions {
  // A job asks for ceil(ceil(processors * scale_up / scale_down) /
  // procs_per_node) nodes.
  std::uint32_t scale_up = 1;
  std::uint32_t scale_down = 1;
  std::uint32_t procs_per_node = 1;
  // Run times and estimates are multiplied by it (cpa-rd100-cplant-bender,
  // section 3: work multiple).
  double work_multiple = 1;
  // Each job is submitted this many times; copies arrive up to an hour after
  // the original, drawn with the seed (the same section: replication factor).
  std::uint32_t replicate = 1;
  // Replay jobs with a run time of zero; those with an unknown one (-1) are
  // always skipped.
  bool run_zero_run = false;
  // Jobs submitted before the first time or from the second on are skipped.
  TimeMs from_ms = std::numeric_limits<TimeMs>::min();
  TimeMs until_ms = std::numeric_limits<TimeMs>::max();
  // A job's deadline is its submit time plus this many run times; 0: none.
  double deadline_factor = 0;
  // Or this many estimates of the trace.
  bool deadline_by_estimate = false;
  // A job of partition K, 1 to this, requires nodes of type K - 1; 0: none
  // does.
  std::int32_t node_types = 0;
  // Skip jobs whose start is not known.
  bool needs_starts = false;
  // Not nullptr: read the nodes of jobs, and skip jobs whose nodes are not
  // known or not nodes of this machine.
  std::shared_ptr<const Machine> nodes_of = nullptr;
  // Not nullptr: jobs ask for segments within the blocks of this machine.
  // REQUIRES that it has blocks.
  std::shared_ptr<const Machine> segments_on = nullptr;
  // Nodes of a segment: jobs of more nodes ask for several, and their nodes are
  // rounded up; 0: each job is one segment. REQUIRES at most the nodes of a
  // base block without its spare ones.
  NodeCount segment_nodes = 0;
  // Each job arrives up to this much later, drawn with the seed.
  TimeMs jitter_ms = 0;
  // Applied last, to the sorted jobs.
  std::uint64_t max_jobs = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t seed = 0;

  bool DependsOnSeed() const { return replicate > 1 || jitter_ms > 0; }
};

// Counts of a log's lines: jobs + skipped() is the number of data lines.
struct TraceCounts {
  std::uint64_t jobs = 0;              // lines not skipped
  std::uint64_t zero_run = 0;          // run time zero, skipped
  std::uint64_t unknown_run = 0;       // run time unknown (below zero)
  std::uint64_t zero_run_jobs = 0;     // run time zero, not skipped
  std::uint64_t without_estimate = 0;  // of the jobs
  std::uint64_t zero_procs = 0;        // zero or unknown processors
  // More nodes than the machine has, or that do not fit on it as segments.
  std::uint64_t too_large = 0;
  std::uint64_t rounded_to_segments = 0;  // of the jobs
  std::uint64_t outside_window = 0;       // submitted before from_ms or after
  std::uint64_t steps = 0;                // parts of jobs
  std::uint64_t not_started = 0;          // jobs that never had nodes
  std::uint64_t unfinished = 0;           // jobs whose end is unknown
  std::uint64_t repeated = 0;             // the same run as in a line before
  std::uint64_t unknown_start = 0;        // needs_starts
  std::uint64_t unknown_nodes = 0;        // nodes_of
  std::string first_unknown_nodes;  // "FILE:LINE: ..." of the first such job
  std::uint64_t largest_nodes = 0;  // of the largest job that is too large
  std::uint64_t reordered = 0;      // submit time lower than in the line before
  std::uint64_t extra_fields = 0;
  // Of the jobs, before their nodes were rounded up.
  double requested_node_s = 0;
  // With nodes_of: jobs that shared a node with another one.
  std::uint64_t sharing = 0;

  std::uint64_t skipped() const {
    return zero_run + unknown_run + zero_procs + too_large + outside_window +
           steps + not_started + unfinished + repeated + unknown_start +
           unknown_nodes;
  }
};

// Jobs to replay, sorted by submit time; equal times in file order.
struct Workload {
  std::vector<WorkloadJob> jobs;
  TraceCounts counts;
  std::shared_ptr<const std::deque<RecordedJob>> recorded = nullptr;
  bool counts_nodes = false;  // TraceReader::counts_nodes
};

// Reads a trace of any format for a machine of that many nodes. Errors:
// OpenTrace's and those of the reader; INVALID_ARGUMENT for a file without
// jobs, a time or job number out of range, an invalid hostlist, more than 2^31
// jobs, and for starts or nodes that are needed and that no job has.
absl::StatusOr<Workload> LoadWorkload(const std::string& path,
                                      const WorkloadOptions& options,
                                      NodeCount machine_nodes);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_INPUT_WORKLOAD_H_
