// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "cli/commands/load_run.h"
#include "cli/flags/shared_options.h"
#include "cli/render/json.h"
#include "cli/subcommand.h"
#include "config/machine/machine_file.h"

namespace coolspan {
namespace {

constexpr std::uint32_t kMaxLoadJobs = 10'000'000;
constexpr std::uint32_t kMaxWorkers = 256;

struct LoadOptions {
  std::string endpoints;
  std::string machine;
  std::uint32_t jobs = 1000;
  std::uint32_t concurrency = 1;
  std::uint64_t seed = 0;
};

// Nearest-rank quantile. REQUIRES values in ascending order.
double Quantile(const std::vector<double>& ascending, double q) {
  if (ascending.empty()) return 0;
  const auto rank = static_cast<std::size_t>(
      std::ceil(q * static_cast<double>(ascending.size())));
  return ascending[std::clamp<std::size_t>(rank, 1, ascending.size()) - 1];
}

Json ResultJson(const LoadResult& result) {
  Json json;
  json["placed"] = result.placed;
  json["not_placed"] = result.not_placed;
  json["failed"] = result.failed;
  json["held_twice"] = result.held_twice;
  json["left_over"] = result.left_over;
  json["seconds"] = result.seconds;
  json["jobs_per_s"] = result.seconds > 0 ? result.placed / result.seconds : 0;
  json["allocate_us_p50"] = Quantile(result.allocate_us, 0.5);
  json["allocate_us_p99"] = Quantile(result.allocate_us, 0.99);
  json["allocate_us_max"] = Quantile(result.allocate_us, 1);
  return json;
}

void PrintText(const LoadResult& result, std::ostream& out) {
  out << fmt::format(
      "{} jobs placed in {:.2f} s ({:.0f} per second), {} not placed, {} "
      "failed\n"
      "allocate: p50 {:.0f} us, p99 {:.0f} us, max {:.0f} us\n"
      "decisions with a node that another job holds: {}\n"
      "jobs left in the ledger: {}\n",
      result.placed, result.seconds,
      result.seconds > 0 ? result.placed / result.seconds : 0,
      result.not_placed, result.failed, Quantile(result.allocate_us, 0.5),
      Quantile(result.allocate_us, 0.99), Quantile(result.allocate_us, 1),
      result.held_twice, result.left_over);
}

absl::StatusOr<Exit> RunAndReport(const LoadOptions& options,
                                  const Console& console) {
  if (options.jobs < 1 || options.jobs > kMaxLoadJobs) {
    return absl::InvalidArgumentError(
        fmt::format("--jobs: {} is out of range (expected 1 to {})",
                    options.jobs, kMaxLoadJobs));
  }
  if (options.concurrency < 1 || options.concurrency > kMaxWorkers) {
    return absl::InvalidArgumentError(
        fmt::format("--concurrency: {} is out of range (expected 1 to {})",
                    options.concurrency, kMaxWorkers));
  }
  std::vector<std::string> warnings;
  auto machine = LoadMachineFile(options.machine, &warnings);
  if (!machine.ok()) return machine.status();
  PrintWarnings(console.err, warnings);
  const auto result =
      RunLoad({options.endpoints, *std::move(machine), options.jobs,
               options.concurrency, options.seed});
  if (!result.ok()) return result.status();
  if (console.json) {
    console.out << ResultJson(*result).dump() << "\n";
  } else {
    PrintText(*result, console.out);
  }
  const bool passed = result->failed == 0 && result->held_twice == 0 &&
                      result->left_over == 0 && result->not_placed == 0;
  if (passed) return Exit::kSuccess;
  console.err << "coolspan load: "
              << (result->first_problem.empty() ? "some jobs were not placed"
                                                : result->first_problem)
              << "\n";
  return Exit::kCannotBeMet;
}

}  // namespace

Action SetUpLoad(CLI::App& app) {
  auto options = std::make_shared<LoadOptions>();
  AddEndpointOption(app, options->endpoints);
  AddMachineOption(app, options->machine);
  app.add_option("--jobs", options->jobs, "number of jobs")
      ->capture_default_str();
  app.add_option("--concurrency", options->concurrency,
                 "number of requests in flight at a time")
      ->capture_default_str();
  AddSeedOption(app, options->seed, "seed of the job sizes");
  return [options](const Console& console) {
    return RunAndReport(*options, console);
  };
}

}  // namespace coolspan
