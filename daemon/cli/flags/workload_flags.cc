// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/flags/workload_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "cli/flags/number_checks.h"
#include "cli/flags/shared_options.h"

namespace coolspan {
namespace {

// Larger than any machine; the product of two fits in 64 bits.
constexpr std::uint32_t kMaxFactor = 1U << 20U;

template <typename Number>
bool ReadWhole(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

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
  app.add_option("--max-jobs", options.max_jobs,
                 "replay only the first N jobs, after skipping and sorting")
      ->check(WholeNumber(1));
  app.add_option("--zero-run", flags.zero_run,
                 "jobs with a run time of zero: skip or run")
      ->type_name("ACTION")
      ->capture_default_str();
  AddSeedOption(app, options.seed,
                "seed of random policies and of --replicate");
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
  return options;
}

}  // namespace coolspan
