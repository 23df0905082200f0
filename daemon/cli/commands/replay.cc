// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/replay.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/replay_report.h"
#include "cli/flags/policy_flags.h"
#include "cli/flags/room_flags.h"
#include "cli/flags/runtime_flags.h"
#include "cli/flags/shared_options.h"
#include "cli/flags/workload_flags.h"
#include "cli/subcommand.h"
#include "config/machine/machine_file.h"
#include "ordering/ordering.h"
#include "replay/in_process_port.h"
#include "replay/progress_bar.h"
#include "replay/schedulers/scheduler.h"
#include "replay/session_port.h"
#include "replay/workload.h"

namespace coolspan {
namespace {

struct ReplayOptions {
  std::string trace;
  std::string machine;
  std::string scheduler = "easy";
  std::vector<std::string> policies;
  std::vector<std::string> situations;
  std::vector<std::string> decision_policies;
  std::string ordering;
  PolicyFlags policy_flags;
  std::string decisions;
  std::string endpoint;
  WorkloadFlags workload;
  RuntimeFlags runtime;
  std::string idle;
};

// Takes --policy, or --situation and --decision.
absl::Status TakePolicies(const ReplayOptions& options, ReplaySetup& setup) {
  const bool situation = !options.situations.empty();
  const bool decision = !options.decision_policies.empty();
  if (situation != decision) {
    return absl::InvalidArgumentError(
        situation ? "--situation: requires --decision, the policies to evaluate"
                  : "--decision: requires --situation, the policies that place "
                    "the jobs");
  }
  if (situation != options.policies.empty()) {
    return absl::InvalidArgumentError(
        situation ? "--policy: not allowed with --situation"
                  : "--policy is required (or --situation and --decision)");
  }
  setup.policies = situation ? options.situations : options.policies;
  setup.previewed = options.decision_policies;
  return absl::OkStatus();
}

absl::Status TakeRuntime(const RuntimeFlags& flags, ReplaySetup& setup) {
  absl::StatusOr<RuntimeOptions> read = ReadRuntimeFlags(flags, *setup.machine);
  if (!read.ok()) return read.status();
  setup.runtime = *std::move(read);
  return absl::OkStatus();
}

absl::StatusOr<ReplaySetup> MakeSetup(const ReplayOptions& options,
                                      std::ostream& err) {
  ReplaySetup setup;
  if (absl::Status taken = TakePolicies(options, setup); !taken.ok()) {
    return taken;
  }
  const absl::StatusOr<const SchedulerEntry*> scheduler =
      FindScheduler(options.scheduler);
  if (!scheduler.ok()) return scheduler.status();
  setup.scheduler = *scheduler;
  std::vector<std::string> warnings;
  absl::StatusOr<std::shared_ptr<const Machine>> machine =
      LoadMachineFile(options.machine, &warnings);
  if (!machine.ok()) return machine.status();
  PrintWarnings(err, warnings);
  machine = WithIdle(*machine, options.idle);
  if (!machine.ok()) return machine.status();
  setup.machine = *std::move(machine);
  if (absl::Status read = TakeRuntime(options.runtime, setup); !read.ok()) {
    return read;
  }
  if (options.endpoint.empty()) {
    std::vector<std::string> policies = setup.policies;
    policies.insert(policies.end(), setup.previewed.begin(),
                    setup.previewed.end());
    absl::Status checked = CheckFlagsOfPolicies(options.policy_flags, policies);
    if (!checked.ok()) return checked;
  }
  absl::StatusOr<PolicyOptions> policy_options =
      ReadPolicyFlags(options.policy_flags, *setup.machine);
  if (!policy_options.ok()) return policy_options.status();
  absl::StatusOr<std::shared_ptr<const Ordering>> ordering =
      MakeOrdering(*setup.machine, options.ordering);
  if (!ordering.ok()) return ordering.status();
  setup.ordering = *std::move(ordering);
  setup.seed = options.workload.options.seed;
  if (options.endpoint.empty()) {
    policy_options->ordering = setup.ordering;
    setup.open_port = InProcessPorts(setup.machine, *std::move(policy_options));
  } else {
    absl::Status checked = CheckFlagsForDaemon(options.policy_flags);
    if (!checked.ok()) return checked;
    setup.open_port = SessionPorts(
        options.endpoint, setup.machine,
        {.ordering = setup.ordering,
         .span =
             policy_options->span == SpanKind::kLinear ? "linear" : "ring"});
  }
  setup.decisions_path = options.decisions;
  return setup;
}

absl::StatusOr<std::vector<RunReport>> RunWithProgress(const ReplaySetup& setup,
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

absl::StatusOr<Exit> RunReplay(const ReplayOptions& options,
                               const Console& console) {
  const absl::StatusOr<WorkloadOptions> workload_options =
      ReadWorkloadFlags(options.workload);
  if (!workload_options.ok()) return workload_options.status();
  const absl::StatusOr<ReplaySetup> setup = MakeSetup(options, console.err);
  if (!setup.ok()) return setup.status();
  const absl::StatusOr<Workload> workload = LoadWorkload(
      options.trace, *workload_options, setup->machine->node_count());
  if (!workload.ok()) return workload.status();
  const absl::StatusOr<std::vector<RunReport>> reports =
      RunWithProgress(*setup, *workload, console);
  if (absl::IsFailedPrecondition(reports.status())) {
    console.err << reports.status().message() << "\n";
    return Exit::kCannotBeMet;
  }
  if (!reports.ok()) return reports.status();
  PrintTraceNotes(workload->counts, *setup->machine, console.err);
  PrintPreviewNotes(*reports, console.err);
  PrintCoolingNotes(*reports, console.err);
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

}  // namespace

Action SetUpReplay(CLI::App& app) {
  auto options = std::make_shared<ReplayOptions>();
  app.add_option("--trace", options->trace,
                 "job trace in the Standard Workload Format, plain or gzip")
      ->type_name("FILE")
      ->required();
  AddMachineOption(app, options->machine);
  app.add_option("--scheduler", options->scheduler,
                 fmt::format("scheduler: {}", NamesOf(SchedulerTable())))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--policy", options->policies,
                 fmt::format("placement policies: {}", NamesOf(PolicyTable())))
      ->type_name("NAME,...")
      ->delimiter(',');
  app.add_option("--situation", options->situations,
                 "policies that place the jobs while those of --decision are "
                 "evaluated")
      ->type_name("NAME,...")
      ->delimiter(',');
  app.add_option("--decision", options->decision_policies,
                 "policies evaluated at each job start on the same free nodes; "
                 "prints their means for each --situation")
      ->type_name("NAME,...")
      ->delimiter(',');
  AddOrderingOption(app, options->ordering);
  AddPolicyFlags(app, options->policy_flags);
  AddWorkloadFlags(app, options->workload);
  AddRuntimeFlags(app, options->runtime);
  AddIdleOption(app, options->idle);
  app.add_option("--decisions", options->decisions,
                 "write all decisions to this CSV file")
      ->type_name("FILE");
  AddEndpointOption(app, options->endpoint)->required(false);
  return [options](const Console& console) {
    return RunReplay(*options, console);
  };
}

}  // namespace coolspan
