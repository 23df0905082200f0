// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/workload_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "cli/flags/number_checks.h"

namespace coolspan {
namespace {

// Larger than any machine; the product of two fits in 64 bits.
constexpr std::uint32_t kMaxFactor = 1U << 20U;

constexpr double kMaxJitterS = 1e9;

bool ReadFactor(std::string_view text, std::uint32_t& factor) {
  return ReadWhole(text, factor) && factor >= 1 && factor <= kMaxFactor;
}

// "A/B", or "A" for A/1.
absl::Status ParseScale(std::string_view text, WorkloadOptions& options) {
  const std::size_t slash = text.find('/');
  options.scale_down = 1;
  if (ReadFactor(text.substr(0, slash), options.scale_up) &&
      (slash == std::string_view::npos ||
       ReadFactor(text.substr(slash + 1), options.scale_down))) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("--scale-procs: '{}' is not valid (expected A/B with whole "
                  "numbers from 1 to {})",
                  text, kMaxFactor));
}

}  // namespace

void AddWorkloadFlags(CLI::App& app, WorkloadFlags& flags) {
  WorkloadOptions& options = flags.options;
  app.add_option("--scale-procs", flags.scale_procs,
                 "multiply the processors of jobs by A/B, rounded up")
      ->type_name("A/B")
      ->capture_default_str();
  app.add_option("--procs-per-node", options.procs_per_node,
                 "processors per node; the nodes of a job are rounded up")
      ->check(WholeNumber(1, kMaxFactor))
      ->capture_default_str();
  app.add_option("--work-multiple", options.work_multiple,
                 "multiply run times and estimates by X")
      ->capture_default_str();
  app.add_option("--replicate", options.replicate,
                 "submit each job N times; copies arrive up to an hour later")
      ->check(WholeNumber(1, kMaxFactor))
      ->capture_default_str();
  app.add_option("--jitter", flags.jitter_s,
                 "each job arrives up to S seconds later")
      ->type_name("S")
      ->check(NumberBetween(0, kMaxJitterS))
      ->capture_default_str();
  app.add_option("--from", flags.from_s,
                 "replay only jobs submitted at S or later on the clock of the "
                 "trace")
      ->type_name("S")
      ->check(NumberBetween(-kMaxTraceTimeS, kMaxTraceTimeS));
  app.add_option(
         "--until", flags.until_s,
         "replay only jobs submitted before S on the clock of the trace")
      ->type_name("S")
      ->check(NumberBetween(-kMaxTraceTimeS, kMaxTraceTimeS));
  app.add_option("--max-jobs", options.max_jobs,
                 "replay only the first N jobs, after skipping and sorting")
      ->check(WholeNumber(1));
  app.add_option("--zero-run", flags.zero_run,
                 "jobs with a run time of zero: skip or run; those with an "
                 "unknown one (-1) are skipped")
      ->type_name("ACTION")
      ->capture_default_str();
}

absl::StatusOr<WorkloadOptions> ReadWorkloadFlags(const WorkloadFlags& flags) {
  WorkloadOptions options = flags.options;
  if (absl::Status scale = ParseScale(flags.scale_procs, options);
      !scale.ok()) {
    return scale;
  }
  if (flags.zero_run != "skip" && flags.zero_run != "run") {
    return absl::InvalidArgumentError(
        fmt::format("--zero-run: '{}' is not valid (expected skip or run)",
                    flags.zero_run));
  }
  options.run_zero_run = flags.zero_run == "run";
  if (!std::isfinite(options.work_multiple) || options.work_multiple <= 0) {
    return absl::InvalidArgumentError(fmt::format(
        "--work-multiple: {} is out of range (expected a number above 0)",
        options.work_multiple));
  }
  options.jitter_ms = ToMs(flags.jitter_s);
  if (flags.from_s.has_value()) options.from_ms = ToMs(*flags.from_s);
  if (flags.until_s.has_value()) options.until_ms = ToMs(*flags.until_s);
  if (options.from_ms >= options.until_ms) {
    return absl::InvalidArgumentError(
        "--until: not after --from (no job would be left)");
  }
  return options;
}

}  // namespace coolspan
