// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/replay.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/replay_report.h"
#include "cli/subcommand.h"
#include "config/machine_file.h"
#include "ordering/ordering.h"
#include "replay/in_process_port.h"
#include "replay/progress_bar.h"
#include "replay/schedulers/scheduler.h"
#include "replay/session_port.h"
#include "replay/workload.h"

namespace coolspan {
namespace {

// Large enough for any machine, and products of two stay within 64 bits.
constexpr std::uint32_t kMaxFactor = 1U << 20U;

struct Options {
  std::string trace;
  std::string machine;
  std::string scheduler = "easy";
  std::vector<std::string> policies;
  std::vector<std::string> situations;
  std::vector<std::string> decision_policies;
  std::string ordering;
  std::string span;
  std::string scale_procs = "1/1";
  std::string zero_run = "skip";
  std::string runtime_model = "none";
  std::string decisions;
  std::string endpoint;
  WorkloadOptions workload;
};

template <typename Number>
bool ReadWhole(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

bool ReadFactor(std::string_view text, std::uint32_t& factor) {
  return ReadWhole(text, factor) && factor >= 1 && factor <= kMaxFactor;
}

// CLI11 takes -1 for the largest unsigned number.
CLI::Validator WholeNumber(std::uint64_t least, std::uint64_t most) {
  return {[least, most](const std::string& text) -> std::string {
            std::uint64_t number = 0;
            if (ReadWhole(text, number) && number >= least && number <= most) {
              return "";
            }
            return fmt::format("'{}'; want a whole number from {} to {}", text,
                               least, most);
          },
          "NUMBER"};
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
      fmt::format("--scale-procs: '{}'; want A/B, whole numbers from 1 to {}",
                  text, kMaxFactor));
}

absl::StatusOr<WorkloadOptions> ReadWorkloadOptions(const Options& options) {
  WorkloadOptions workload = options.workload;
  if (absl::Status scale = ParseScale(options.scale_procs, workload);
      !scale.ok()) {
    return scale;
  }
  if (options.zero_run != "skip" && options.zero_run != "run") {
    return absl::InvalidArgumentError(
        fmt::format("--zero-run: '{}'; want skip or run", options.zero_run));
  }
  workload.run_zero_run = options.zero_run == "run";
  if (!std::isfinite(workload.work_multiple) || workload.work_multiple <= 0) {
    return absl::InvalidArgumentError(fmt::format(
        "--work-multiple: {}; want a number above 0", workload.work_multiple));
  }
  if (options.runtime_model != "none") {
    return absl::InvalidArgumentError(fmt::format(
        "--runtime-model: '{}' is not available; want none: jobs run for "
        "their logged run time",
        options.runtime_model));
  }
  return workload;
}

// --policy, or --situation and --decision.
absl::Status TakePolicies(const Options& options, ReplaySetup& setup) {
  const bool situation = !options.situations.empty();
  const bool decision = !options.decision_policies.empty();
  if (situation != decision) {
    return absl::InvalidArgumentError(
        situation ? "--situation: needs --decision, the policies to ask in it"
                  : "--decision: needs --situation, the policies that place "
                    "the jobs meanwhile");
  }
  if (situation != options.policies.empty()) {
    return absl::InvalidArgumentError(
        situation ? "--policy: not beside --situation, which places the jobs"
                  : "--policy: is missing; name one or several policies, or "
                    "--situation and --decision for a table of both");
  }
  setup.policies = situation ? options.situations : options.policies;
  setup.previewed = options.decision_policies;
  return absl::OkStatus();
}

absl::StatusOr<ReplaySetup> MakeSetup(const Options& options,
                                      std::ostream& err) {
  ReplaySetup setup;
  if (absl::Status taken = TakePolicies(options, setup); !taken.ok()) {
    return taken;
  }
  const absl::StatusOr<const SchedulerEntry*> scheduler =
      FindScheduler(options.scheduler);
  if (!scheduler.ok()) return scheduler.status();
  setup.scheduler = *scheduler;
  const absl::StatusOr<SpanKind> span = ParseSpan(options.span);
  if (!span.ok()) return span.status();
  std::vector<std::string> warnings;
  absl::StatusOr<std::shared_ptr<const Machine>> machine =
      LoadMachineFile(options.machine, &warnings);
  if (!machine.ok()) return machine.status();
  PrintWarnings(err, warnings);
  setup.machine = *std::move(machine);
  absl::StatusOr<std::shared_ptr<const Ordering>> ordering =
      MakeOrdering(*setup.machine, options.ordering);
  if (!ordering.ok()) return ordering.status();
  setup.ordering = *std::move(ordering);
  setup.seed = options.workload.seed;
  if (options.endpoint.empty()) {
    setup.open_port = InProcessPorts(
        setup.machine, {.ordering = setup.ordering, .span = *span});
  } else {
    setup.open_port =
        SessionPorts(options.endpoint, setup.machine,
                     {.ordering = setup.ordering,
                      .span = *span == SpanKind::kLinear ? "linear" : "ring"});
  }
  setup.decisions_path = options.decisions;
  return setup;
}

absl::StatusOr<std::vector<RunReport>> RunWatched(const ReplaySetup& setup,
                                                  const Workload& workload,
                                                  const Console& console) {
  std::atomic<std::uint64_t> started = 0;
  std::optional<ProgressBar> bar;
  if (console.progress) {
    bar.emplace(console.err, started,
                workload.jobs.size() * setup.policies.size());
  }
  return Replay(setup, workload, started);
}

absl::StatusOr<Exit> RunReplay(const Options& options, const Console& console) {
  const absl::StatusOr<WorkloadOptions> workload_options =
      ReadWorkloadOptions(options);
  if (!workload_options.ok()) return workload_options.status();
  const absl::StatusOr<ReplaySetup> setup = MakeSetup(options, console.err);
  if (!setup.ok()) return setup.status();
  const absl::StatusOr<Workload> workload = LoadWorkload(
      options.trace, *workload_options, setup->machine->node_count());
  if (!workload.ok()) return workload.status();
  const absl::StatusOr<std::vector<RunReport>> reports =
      RunWatched(*setup, *workload, console);
  if (absl::IsFailedPrecondition(reports.status())) {
    console.err << reports.status().message() << "\n";
    return Exit::kCannotBeMet;
  }
  if (!reports.ok()) return reports.status();
  NoteOddities(workload->counts, *setup->machine, console.err);
  NoteUnplaced(*reports, console.err);
  if (console.json) {
    PrintReplayJson(*setup, workload->counts, *reports, console.out);
  } else {
    PrintReplayTables(*setup, workload->counts, *reports, console.out);
  }
  return Exit::kSuccess;
}

template <typename Table>
std::string NamesOf(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& entry : table) names.push_back(entry.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void AddWorkloadOptions(CLI::App& app, Options& options) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  WorkloadOptions& workload = options.workload;
  app.add_option("--scale-procs", options.scale_procs,
                 "multiply jobs' processors by A/B, rounded up")
      ->type_name("A/B");
  app.add_option("--procs-per-node", workload.procs_per_node,
                 "processors of a node; a job's last node may be partly idle")
      ->check(WholeNumber(1, kMaxFactor));
  app.add_option("--work-multiple", workload.work_multiple,
                 "multiply run times and estimates");
  app.add_option("--replicate", workload.replicate,
                 "each job this often, copies up to an hour later")
      ->check(WholeNumber(1, kMaxFactor));
  app.add_option("--max-jobs", workload.max_jobs,
                 "only the first jobs, after skipping and sorting")
      ->check(WholeNumber(1, kMost));
  app.add_option("--zero-run", options.zero_run,
                 "jobs of zero run time: skip (default) or run")
      ->type_name("HOW");
  app.add_option("--seed", workload.seed,
                 "of random policies and of replication (default 0)")
      ->check(WholeNumber(0, kMost));
}

}  // namespace

Action SetUpReplay(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--trace", options->trace,
                 "log in the Standard Workload Format, plain or gzip")
      ->type_name("FILE")
      ->required();
  AddMachineOption(app, options->machine);
  app.add_option("--scheduler", options->scheduler,
                 fmt::format("{}; default: easy", NamesOf(SchedulerTable())))
      ->type_name("NAME");
  app.add_option(
         "--policy", options->policies,
         fmt::format("one or several, by commas: {}", NamesOf(PolicyTable())))
      ->type_name("NAME[,NAME...]")
      ->delimiter(',');
  app.add_option("--situation", options->situations,
                 "policies that place the jobs while --decision's are asked")
      ->type_name("NAME[,NAME...]")
      ->delimiter(',');
  app.add_option("--decision", options->decision_policies,
                 "policies asked at each start on the nodes free then; prints "
                 "the means for each --situation")
      ->type_name("NAME[,NAME...]")
      ->delimiter(',');
  AddOrderingOption(app, options->ordering);
  AddSpanOption(app, options->span);
  AddWorkloadOptions(app, *options);
  app.add_option("--runtime-model", options->runtime_model,
                 "none: jobs run for their logged run time")
      ->type_name("NAME");
  app.add_option("--decisions", options->decisions,
                 "write every decision to this CSV file")
      ->type_name("FILE");
  AddEndpointOption(app, options->endpoint)->required(false);
  return [options](const Console& console) {
    return RunReplay(*options, console);
  };
}

}  // namespace coolspan
