// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/input/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "absl/status/status.h"
#include "core/block_space.h"
#include "core/hostlist.h"
#include "replay/input/shared_nodes.h"
#include "replay/input/trace_reader.h"

namespace coolspan {
namespace {

constexpr TimeMs kCopySpreadMs = 3'600'000;
constexpr std::uint64_t kMaxJobs = std::uint64_t{1} << 31;

// A user or group; -1 if it is not a number of one.
std::int32_t IdOf(double number) {
  constexpr double kMax = std::numeric_limits<std::int32_t>::max();
  return number >= 0 && number <= kMax ? static_cast<std::int32_t>(number) : -1;
}

std::uint64_t CeilDivide(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

// Clamped to 2^40: more than any machine has, and its product with a 20-bit
// scale fits in 64 bits.
std::uint64_t WholeProcessors(double processors) {
  constexpr double kMax = 1099511627776.0;  // 2^40
  return static_cast<std::uint64_t>(std::min(std::ceil(processors), kMax));
}

void Delay(WorkloadJob& job, TimeMs delay_ms) {
  job.submit_ms += delay_ms;
  if (job.recorded_start_ms != kUnknownStartMs) {
    job.recorded_start_ms += delay_ms;
  }
}

class Loader {
 public:
  Loader(const WorkloadOptions& options, NodeCount machine_nodes)
      : options_(options), machine_nodes_(machine_nodes) {
    if (options.segments_on == nullptr) return;
    const Blocks& blocks = *options.segments_on->topology().blocks();
    const std::vector<NodeCount> free =
        FreeByBlock(blocks, NodeSet::All(machine_nodes));
    largest_segment_ = BlockSpaceOf(blocks, free).largest_job;
    if (options.segment_nodes == 0) return;
    max_segments_ = CountSegments(blocks, free, options.segment_nodes);
  }

  absl::StatusOr<Workload> Load(const std::string& path) {
    absl::StatusOr<std::unique_ptr<TraceReader>> reader = OpenTrace(path);
    if (!reader.ok()) return reader.status();
    if (absl::Status fits = CheckOptions(**reader, path); !fits.ok()) {
      return fits;
    }
    for (;;) {
      const absl::StatusOr<bool> more = (*reader)->Next();
      if (!more.ok()) return more.status();
      if (!*more) break;
      if (absl::Status taken = Take(**reader); !taken.ok()) return taken;
    }
    if (absl::Status any = CheckCounts(path); !any.ok()) return any;
    workload_.counts_nodes = (*reader)->counts_nodes();
    return Finish(path);
  }

 private:
  absl::Status CheckOptions(const TraceReader& reader,
                            const std::string& path) const {
    if (reader.counts_nodes() && options_.procs_per_node != 1) {
      return absl::InvalidArgumentError(
          fmt::format("--procs-per-node: not allowed with {}, in which the "
                      "size of a job is its nodes",
                      path));
    }
    if (options_.nodes_of == nullptr) return absl::OkStatus();
    if (!reader.has_nodes()) {
      return absl::InvalidArgumentError(
          fmt::format("policy recorded: {} does not name the nodes of jobs "
                      "(expected the output of sacct with column NodeList)",
                      path));
    }
    if (options_.scale_up != options_.scale_down) {
      return absl::InvalidArgumentError(
          "--scale-procs: not allowed with policy recorded, which gives a job "
          "the nodes that it had");
    }
    return absl::OkStatus();
  }

  absl::Status CheckCounts(const std::string& path) const {
    const TraceCounts& counts = workload_.counts;
    if (counts.jobs + counts.skipped() == 0) {
      return absl::InvalidArgumentError(
          fmt::format("{}: no jobs (expected a log in the Standard Workload "
                      "Format, or the output of sacct --parsable2)",
                      path));
    }
    if (counts.jobs == 0 && counts.unknown_start > 0) {
      return absl::InvalidArgumentError(
          fmt::format("scheduler recorded: {} has no start times (expected "
                      "wait times in field 3, -1 for unknown values)",
                      path));
    }
    if (counts.jobs == 0 && counts.unknown_nodes > 0) {
      return absl::InvalidArgumentError(
          fmt::format("policy recorded: {}", counts.first_unknown_nodes));
    }
    return absl::OkStatus();
  }

  // The count of the first reason to skip the job, whatever its nodes; nullptr:
  // none.
  std::uint64_t* SkippedBy(const TraceJob& job) {
    TraceCounts& counts = workload_.counts;
    switch (job.use) {
      case TraceJob::Use::kStep:
        return &counts.steps;
      case TraceJob::Use::kNotStarted:
        return &counts.not_started;
      case TraceJob::Use::kUnfinished:
        return &counts.unfinished;
      case TraceJob::Use::kRepeated:
        return &counts.repeated;
      case TraceJob::Use::kJob:
        break;
    }
    if (job.run_s < 0) return &counts.unknown_run;
    if (job.run_s == 0 && !options_.run_zero_run) return &counts.zero_run;
    if (job.size <= 0) return &counts.zero_procs;
    if (!IsInWindow(job.submit_s)) return &counts.outside_window;
    if (options_.needs_starts && !job.start_s.has_value()) {
      return &counts.unknown_start;
    }
    return nullptr;
  }

  absl::Status Take(const TraceReader& reader) {
    const TraceJob& job = reader.job();
    TraceCounts& counts = workload_.counts;
    counts.extra_fields += job.extra_fields;
    if (job.use != TraceJob::Use::kStep) {
      if (job.submit_s < previous_submit_s_) ++counts.reordered;
      previous_submit_s_ = job.submit_s;
    }
    if (std::uint64_t* const count = SkippedBy(job)) {
      ++*count;
      return absl::OkStatus();
    }
    const std::uint64_t nodes =
        CeilDivide(CeilDivide(WholeProcessors(job.size) * options_.scale_up,
                              options_.scale_down),
                   options_.procs_per_node);
    const std::uint64_t in_segments = RoundedToSegments(nodes);
    if (in_segments > machine_nodes_ || !FitsAsSegments(in_segments)) {
      ++counts.too_large;
      counts.largest_nodes = std::max(counts.largest_nodes, nodes);
      return absl::OkStatus();
    }
    if (in_segments > nodes) ++counts.rounded_to_segments;
    return Add(reader, static_cast<NodeCount>(in_segments));
  }

  // The nodes of a segment of a job.
  std::uint64_t SegmentOf(std::uint64_t nodes) const {
    if (options_.segments_on == nullptr) return 0;
    return options_.segment_nodes == 0
               ? nodes
               : std::min<std::uint64_t>(nodes, options_.segment_nodes);
  }

  std::uint64_t RoundedToSegments(std::uint64_t nodes) const {
    const std::uint64_t segment = SegmentOf(nodes);
    return segment == 0 ? nodes : CeilDivide(nodes, segment) * segment;
  }

  // On the empty machine.
  bool FitsAsSegments(std::uint64_t nodes) const {
    const std::uint64_t segment = SegmentOf(nodes);
    if (segment == 0) return true;
    return segment == nodes ? nodes <= largest_segment_
                            : nodes / segment <= max_segments_;
  }

  bool IsInWindow(double submit_s) const {
    const double submit_ms = submit_s * static_cast<double>(kMsPerSecond);
    return submit_ms >= static_cast<double>(options_.from_ms) &&
           submit_ms < static_cast<double>(options_.until_ms);
  }

  absl::Status Add(const TraceReader& reader, NodeCount nodes) {
    const TraceJob& job = reader.job();
    const double run_s = job.run_s * options_.work_multiple;
    const double estimate_s =
        std::max(job.estimate_s, 0.0) * options_.work_multiple;
    for (const double time_s :
         {job.submit_s, run_s, estimate_s, job.start_s.value_or(0)}) {
      if (std::abs(time_s) > kMaxTraceTimeS) {
        return absl::InvalidArgumentError(reader.At(
            fmt::format("time of {} s is out of range (expected at most {} s)",
                        time_s, kMaxTraceTimeS)));
      }
    }
    if (std::trunc(job.number) != job.number ||
        std::abs(job.number) > kMaxTraceTimeS) {
      return absl::InvalidArgumentError(reader.At(fmt::format(
          "job number {} is not valid (expected a whole number up to {})",
          job.number, kMaxTraceTimeS)));
    }
    const absl::StatusOr<const RecordedJob*> recorded = Record(reader, nodes);
    if (!recorded.ok()) return recorded.status();
    if (options_.nodes_of != nullptr && *recorded == nullptr) {
      return absl::OkStatus();
    }
    ++workload_.counts.jobs;
    workload_.counts.requested_node_s += job.size * options_.scale_up /
                                         options_.scale_down /
                                         options_.procs_per_node * run_s;
    if (job.run_s == 0) ++workload_.counts.zero_run_jobs;
    if (!job.has_estimate) ++workload_.counts.without_estimate;
    workload_.jobs.push_back(
        {.submit_ms = ToMs(job.submit_s),
         .run_ms = ToMs(run_s),
         .estimate_ms = ToMs(estimate_s),
         .number = static_cast<std::int64_t>(job.number),
         .nodes = nodes,
         .has_estimate = job.has_estimate,
         .user = IdOf(job.user),
         .group = IdOf(job.group),
         .recorded_start_ms =
             job.start_s.has_value() ? ToMs(*job.start_s) : kUnknownStartMs,
         .recorded = *recorded,
         .segment_nodes = static_cast<NodeCount>(SegmentOf(nodes)),
         .node_type = NodeTypeOf(job)});
    return absl::OkStatus();
  }

  std::int32_t NodeTypeOf(const TraceJob& job) const {
    const bool is_type =
        job.partition >= 1 && job.partition <= options_.node_types;
    return is_type ? static_cast<std::int32_t>(job.partition) - 1 : -1;
  }

  // The id and the nodes of a job, if they are of use; nullptr: they are not,
  // or with nodes_of the job is skipped.
  absl::StatusOr<const RecordedJob*> Record(const TraceReader& reader,
                                            NodeCount nodes) {
    const TraceJob& job = reader.job();
    RecordedJob recorded{.id = std::string(job.id), .nodes = {}};
    if (options_.nodes_of != nullptr) {
      const absl::StatusOr<std::string> problem =
          ReadNodes(reader, nodes, recorded.nodes);
      if (!problem.ok()) return problem.status();
      if (!problem->empty()) {
        TraceCounts& counts = workload_.counts;
        if (counts.unknown_nodes++ == 0) {
          counts.first_unknown_nodes =
              reader.At(fmt::format("job {}: {}", job.id, *problem));
        }
        return nullptr;
      }
    } else if (job.id.find_first_of("_+") == std::string_view::npos) {
      return nullptr;  // the number says it all
    }
    recorded_->push_back(std::move(recorded));
    return &recorded_->back();
  }

  // Why the nodes of the job are not known; empty: they are.
  absl::StatusOr<std::string> ReadNodes(const TraceReader& reader,
                                        NodeCount expected,
                                        std::vector<NodeId>& nodes) const {
    const std::string_view list = reader.job().nodes;
    if (list.empty()) return "no nodes (expected a hostlist)";
    const auto names = ExpandHostlist(list);
    if (!names.ok()) {
      const std::string message(names.status().message());
      return absl::InvalidArgumentError(reader.At(
          fmt::format("job {}: nodes: {}", reader.job().id, message)));
    }
    for (const std::string& name : *names) {
      const std::optional<NodeId> node = options_.nodes_of->FindNode(name);
      if (!node.has_value()) {
        return fmt::format("node {} is not in the machine file", name);
      }
      nodes.push_back(*node);
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    if (nodes.size() == expected) return "";
    return fmt::format(
        "{} nodes in the hostlist (expected {}, the number of "
        "nodes of the job)",
        nodes.size(), expected);
  }

  void SetDeadlines() {
    for (WorkloadJob& job : workload_.jobs) {
      const TimeMs time_ms =
          options_.deadline_by_estimate ? job.estimate_ms : job.run_ms;
      job.deadline_ms =
          job.submit_ms +
          std::llround(static_cast<double>(time_ms) * options_.deadline_factor);
    }
  }

  absl::StatusOr<Workload> Finish(const std::string& path) {
    std::vector<WorkloadJob>& jobs = workload_.jobs;
    if (jobs.size() * options_.replicate > kMaxJobs) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {} jobs, replicated {} times (expected at most {} in total)",
          path, jobs.size(), options_.replicate, kMaxJobs));
    }
    if (options_.nodes_of != nullptr) {
      workload_.counts.sharing = CountSharingJobs(jobs, machine_nodes_);
    }
    workload_.recorded = recorded_;
    std::mt19937_64 random(options_.seed);
    if (options_.replicate > 1) Replicate(random);
    if (options_.jitter_ms > 0) Jitter(random);
    if (options_.deadline_factor > 0) SetDeadlines();
    const auto by_submit = [](const WorkloadJob& a, const WorkloadJob& b) {
      return a.submit_ms < b.submit_ms;
    };
    if (!std::is_sorted(jobs.begin(), jobs.end(), by_submit)) {
      std::stable_sort(jobs.begin(), jobs.end(), by_submit);
    }
    if (jobs.size() > options_.max_jobs) jobs.resize(options_.max_jobs);
    jobs.shrink_to_fit();
    if (absl::Status fits = CheckEnd(path); !fits.ok()) return fits;
    return std::move(workload_);
  }

  void Replicate(std::mt19937_64& random) {
    std::vector<WorkloadJob> originals;
    originals.swap(workload_.jobs);
    workload_.jobs.reserve(originals.size() * options_.replicate);
    for (const WorkloadJob& original : originals) {
      workload_.jobs.push_back(original);
      for (std::uint32_t copy = 1; copy < options_.replicate; ++copy) {
        workload_.jobs.push_back(original);
        Delay(workload_.jobs.back(),
              static_cast<TimeMs>(random() % kCopySpreadMs));
      }
    }
  }

  void Jitter(std::mt19937_64& random) {
    for (WorkloadJob& job : workload_.jobs) {
      Delay(job, static_cast<TimeMs>(random() % static_cast<std::uint64_t>(
                                                    options_.jitter_ms)));
    }
  }

  // All ends and estimated ends must fit in TimeMs, even if the jobs run one
  // after the other.
  absl::Status CheckEnd(const std::string& path) const {
    constexpr double kMaxMs = 9e18;
    double end_ms = 0;
    double longest_estimate_ms = 0;
    for (const WorkloadJob& job : workload_.jobs) {
      end_ms = std::max(end_ms, static_cast<double>(job.submit_ms)) +
               static_cast<double>(job.run_ms);
      longest_estimate_ms =
          std::max(longest_estimate_ms, static_cast<double>(job.estimate_ms));
    }
    if (end_ms + longest_estimate_ms < kMaxMs) return absl::OkStatus();
    return absl::InvalidArgumentError(
        fmt::format("{}: total run time of {} s (expected at most {} s)", path,
                    end_ms / kMsPerSecond, kMaxMs / kMsPerSecond));
  }

  const WorkloadOptions& options_;
  const NodeCount machine_nodes_;
  NodeCount largest_segment_ = 0;   // with segments_on
  std::uint32_t max_segments_ = 0;  // of segment_nodes
  double previous_submit_s_ = -std::numeric_limits<double>::infinity();
  Workload workload_;
  // Elements do not move.
  std::shared_ptr<std::deque<RecordedJob>> recorded_ =
      std::make_shared<std::deque<RecordedJob>>();
};

}  // namespace

absl::StatusOr<Workload> LoadWorkload(const std::string& path,
                                      const WorkloadOptions& options,
                                      NodeCount machine_nodes) {
  return Loader(options, machine_nodes).Load(path);
}

}  // namespace coolspan
