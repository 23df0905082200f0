// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/input/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "absl/status/status.h"
#include "replay/input/swf_reader.h"

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

class Loader {
 public:
  Loader(const WorkloadOptions& options, NodeCount machine_nodes)
      : options_(options), machine_nodes_(machine_nodes) {}

  absl::StatusOr<Workload> Load(const std::string& path) {
    absl::StatusOr<SwfReader> reader = SwfReader::Open(path);
    if (!reader.ok()) return reader.status();
    for (;;) {
      const absl::StatusOr<bool> more = reader->Next();
      if (!more.ok()) return more.status();
      if (!*more) break;
      if (absl::Status taken = Take(*reader); !taken.ok()) return taken;
    }
    if (workload_.counts.jobs + workload_.counts.skipped() == 0) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: no jobs (expected a log in the Standard Workload Format)",
          path));
    }
    return Finish(path);
  }

 private:
  absl::Status Take(const SwfReader& reader) {
    const SwfRecord& record = reader.record();
    TraceCounts& counts = workload_.counts;
    counts.extra_fields += record.extra_fields;
    if (record.submit_s() < previous_submit_s_) ++counts.reordered;
    previous_submit_s_ = record.submit_s();
    if (record.run_s() < 0) {
      ++counts.unknown_run;
      return absl::OkStatus();
    }
    if (record.run_s() == 0 && !options_.run_zero_run) {
      ++counts.zero_run;
      return absl::OkStatus();
    }
    if (record.processors() <= 0) {
      ++counts.zero_procs;
      return absl::OkStatus();
    }
    if (!IsInWindow(record.submit_s())) {
      ++counts.outside_window;
      return absl::OkStatus();
    }
    const std::uint64_t nodes = CeilDivide(
        CeilDivide(WholeProcessors(record.processors()) * options_.scale_up,
                   options_.scale_down),
        options_.procs_per_node);
    if (nodes > machine_nodes_) {
      ++counts.too_large;
      counts.largest_nodes = std::max(counts.largest_nodes, nodes);
      return absl::OkStatus();
    }
    return Add(reader, static_cast<NodeCount>(nodes));
  }

  bool IsInWindow(double submit_s) const {
    const double submit_ms = submit_s * static_cast<double>(kMsPerSecond);
    return submit_ms >= static_cast<double>(options_.from_ms) &&
           submit_ms < static_cast<double>(options_.until_ms);
  }

  absl::Status Add(const SwfReader& reader, NodeCount nodes) {
    const SwfRecord& record = reader.record();
    const double run_s = record.run_s() * options_.work_multiple;
    const double estimate_s =
        std::max(record.estimate_s(), 0.0) * options_.work_multiple;
    for (const double time_s : {record.submit_s(), run_s, estimate_s}) {
      if (std::abs(time_s) > kMaxTraceTimeS) {
        return absl::InvalidArgumentError(reader.At(
            fmt::format("time of {} s is out of range (expected at most {} s)",
                        time_s, kMaxTraceTimeS)));
      }
    }
    const double number = record.job_number();
    if (std::trunc(number) != number || std::abs(number) > kMaxTraceTimeS) {
      return absl::InvalidArgumentError(reader.At(fmt::format(
          "job number {} is not valid (expected a whole number up to {})",
          number, kMaxTraceTimeS)));
    }
    ++workload_.counts.jobs;
    workload_.counts.requested_node_s +=
        record.processors() * options_.scale_up / options_.scale_down /
        options_.procs_per_node * run_s;
    if (record.run_s() == 0) ++workload_.counts.zero_run_jobs;
    workload_.jobs.push_back({.submit_ms = ToMs(record.submit_s()),
                              .run_ms = ToMs(run_s),
                              .estimate_ms = ToMs(estimate_s),
                              .number = static_cast<std::int64_t>(number),
                              .nodes = nodes,
                              .user = IdOf(record.user()),
                              .group = IdOf(record.group())});
    return absl::OkStatus();
  }

  void SetDeadlines() {
    for (WorkloadJob& job : workload_.jobs) {
      job.deadline_ms =
          job.submit_ms + std::llround(static_cast<double>(job.run_ms) *
                                       options_.deadline_factor);
    }
  }

  absl::StatusOr<Workload> Finish(const std::string& path) {
    std::vector<WorkloadJob>& jobs = workload_.jobs;
    if (jobs.size() * options_.replicate > kMaxJobs) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {} jobs, replicated {} times (expected at most {} in total)",
          path, jobs.size(), options_.replicate, kMaxJobs));
    }
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
        workload_.jobs.back().submit_ms +=
            static_cast<TimeMs>(random() % kCopySpreadMs);
      }
    }
  }

  void Jitter(std::mt19937_64& random) {
    for (WorkloadJob& job : workload_.jobs) {
      job.submit_ms += static_cast<TimeMs>(
          random() % static_cast<std::uint64_t>(options_.jitter_ms));
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
  double previous_submit_s_ = -std::numeric_limits<double>::infinity();
  Workload workload_;
};

}  // namespace

absl::StatusOr<Workload> LoadWorkload(const std::string& path,
                                      const WorkloadOptions& options,
                                      NodeCount machine_nodes) {
  return Loader(options, machine_nodes).Load(path);
}

}  // namespace coolspan
