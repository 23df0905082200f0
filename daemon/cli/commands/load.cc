// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "cli/commands/load_report.h"
#include "cli/commands/load_run.h"
#include "cli/flags/number_checks.h"
#include "cli/flags/shared_options.h"
#include "cli/interrupt.h"
#include "cli/subcommand.h"
#include "config/machine/machine_file.h"
#include "replay/progress_bar.h"

namespace coolspan {
namespace {

constexpr std::uint64_t kMaxLoadJobs = 10'000'000;
// Each has an event queue in the daemon, which allows 1,024.
constexpr std::uint64_t kMaxConcurrency = 1000;
constexpr std::uint64_t kMaxConnections = 10'000;
constexpr std::uint64_t kMaxSeconds = std::uint64_t{7} * 24 * 3600;

struct LoadOptions {
  DaemonAddress daemon;
  std::string machine;
  std::uint64_t jobs = 1000;
  std::size_t concurrency = 1;
  std::size_t connections = 1;
  double free = 0.4;
  bool shared = false;
  std::string nodes;
  std::uint64_t seconds = 3600;
  std::uint64_t seed = 0;
};

absl::StatusOr<LoadPlan> PlanOf(const LoadOptions& options,
                                const Console& console) {
  std::vector<std::string> warnings;
  auto machine = LoadMachineFile(options.machine, &warnings);
  if (!machine.ok()) return machine.status();
  PrintWarnings(console.err, warnings);
  const NodeCount nodes = (*machine)->node_count();
  absl::StatusOr<LoadSizes> sizes = LoadSizes::Default(
      static_cast<NodeCount>(options.free * static_cast<double>(nodes)));
  if (!options.nodes.empty()) sizes = LoadSizes::Parse(options.nodes, nodes);
  if (!sizes.ok()) return sizes.status();
  return LoadPlan{.daemon = options.daemon,
                  .machine = *std::move(machine),
                  .jobs = options.jobs,
                  .concurrency = options.concurrency,
                  .connections = options.connections,
                  .free = options.free,
                  .shared = options.shared,
                  .sizes = *sizes,
                  .seed = options.seed,
                  .max_time = std::chrono::seconds(options.seconds)};
}

absl::StatusOr<LoadResult> RunShown(const LoadPlan& plan,
                                    const Console& console) {
  const InterruptNote interrupt;
  std::atomic<std::uint64_t> done = 0;
  std::optional<ProgressBar> bar;
  if (console.progress) bar.emplace(console.err, done, plan.jobs);
  return RunLoad(plan, done, [&interrupt] { return interrupt.is_set(); });
}

absl::StatusOr<Exit> RunAndReport(const LoadOptions& options,
                                  const Console& console) {
  const auto plan = PlanOf(options, console);
  if (!plan.ok()) return plan.status();
  auto result = RunShown(*plan, console);
  if (!result.ok()) return result.status();
  if (console.json) {
    console.out << LoadJson(*plan, *result).dump() << "\n";
  } else {
    PrintLoad(*plan, *result, console.out);
  }
  if (HasPassed(*result)) return Exit::kSuccess;
  PrintMessage(console.err,
               "coolspan load: " + (result->is_interrupted ? "interrupted"
                                    : result->first_problem.empty()
                                        ? "the ledger differs from the answers"
                                        : result->first_problem));
  return Exit::kCannotBeMet;
}

}  // namespace

Action SetUpLoad(CLI::App& app) {
  auto options = std::make_shared<LoadOptions>();
  AddEndpointOption(app, options->daemon);
  AddMachineOption(app, options->machine);
  app.add_option("--jobs", options->jobs, "number of jobs")
      ->check(WholeNumber(1, kMaxLoadJobs))
      ->capture_default_str();
  app.add_option("--concurrency", options->concurrency,
                 "number of requests in flight at a time")
      ->check(WholeNumber(1, kMaxConcurrency))
      ->capture_default_str();
  app.add_option("--connections", options->connections,
                 "number of connections that the requests are spread over")
      ->check(WholeNumber(1, kMaxConnections))
      ->capture_default_str();
  app.add_option("--free", options->free,
                 "share of the machine that the held jobs leave free")
      ->type_name("SHARE")
      ->check(NumberBetween(0, 1))
      ->capture_default_str();
  app.add_flag("--shared", options->shared,
               "jobs take one of four units of each node, not whole nodes");
  app.add_option("--nodes", options->nodes,
                 "nodes of each job: K, A-B (uniform) or log:A-B (mostly "
                 "small; default log:1-32, less on small machines)")
      ->type_name("SIZES");
  app.add_option("--max-time", options->seconds,
                 "begin no more jobs after so many seconds")
      ->type_name("SECONDS")
      ->check(WholeNumber(1, kMaxSeconds))
      ->capture_default_str();
  AddSeedOption(app, options->seed, "seed of the job sizes");
  return [options](const Console& console) {
    return RunAndReport(*options, console);
  };
}

}  // namespace coolspan
