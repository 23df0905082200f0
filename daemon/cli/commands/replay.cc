// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay/replay.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/pareto.h"
#include "cli/commands/replay_files.h"
#include "cli/commands/replay_json.h"
#include "cli/commands/replay_notes.h"
#include "cli/commands/replay_options.h"
#include "cli/commands/replay_outputs.h"
#include "cli/commands/replay_report.h"
#include "cli/flags/number_checks.h"
#include "cli/flags/policy_flags.h"
#include "cli/flags/room_flags.h"
#include "cli/flags/runtime_flags.h"
#include "cli/flags/shared_options.h"
#include "cli/flags/sweep.h"
#include "cli/flags/workload_flags.h"
#include "cli/subcommand.h"
#include "config/machine/machine_file.h"
#include "ordering/ordering.h"
#include "replay/estimates.h"
#include "replay/input/node_events.h"
#include "replay/input/workload.h"
#include "replay/ports/in_process_port.h"
#include "replay/ports/recorded_policy.h"
#include "replay/ports/session_port.h"
#include "replay/progress_bar.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

// The placing policies: of --policy, or of --situation with --decision.
absl::StatusOr<std::vector<std::string>> PlacingPolicies(
    const ReplayOptions& options) {
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
  return situation ? options.situations : options.policies;
}

// Two equal runs would be taken for two seeds of one.
absl::Status CheckUnique(std::string_view option,
                         std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}: {} is listed more than once", option, *twice));
}

absl::Status CheckLists(const ReplayOptions& options,
                        const std::vector<std::string>& policies) {
  const std::string_view placing =
      options.situations.empty() ? "--policy" : "--situation";
  for (const auto& [option, names] :
       {std::pair{placing, policies},
        std::pair{std::string_view("--decision"), options.decision_policies},
        std::pair{std::string_view("--scheduler"), options.schedulers},
        std::pair{std::string_view("--ordering"), options.orderings}}) {
    absl::Status unique = CheckUnique(option, names);
    if (!unique.ok()) return unique;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SchedulerChoice>> MakeSchedulers(
    const std::vector<std::string>& specs) {
  std::vector<SchedulerChoice> schedulers;
  for (const std::string& spec : specs) {
    absl::StatusOr<SchedulerChoice> scheduler = SchedulerChoice::Create(spec);
    if (!scheduler.ok()) return scheduler.status();
    schedulers.push_back(*std::move(scheduler));
  }
  return schedulers;
}

absl::Status CheckSchedulers(const std::vector<SchedulerChoice>& schedulers,
                             const Machine& machine, bool has_node_types) {
  for (const SchedulerChoice& scheduler : schedulers) {
    if (has_node_types && !scheduler.ObeysNodeTypes()) {
      return absl::InvalidArgumentError(fmt::format(
          "--node-types-by: scheduler {} does not look at the type of a job "
          "(expected fcfs-groups, edf-lrh or scint)",
          scheduler.spec()));
    }
    if (!scheduler.NeedsRoom() || machine.room() != nullptr) continue;
    return absl::InvalidArgumentError(
        fmt::format("--scheduler: {} needs a room (expected thermal: in the "
                    "machine file)",
                    scheduler.spec()));
  }
  return absl::OkStatus();
}

// No spec: the default ordering of the machine.
absl::StatusOr<std::vector<std::shared_ptr<const Ordering>>> MakeOrderings(
    const Machine& machine, std::vector<std::string> specs) {
  if (specs.empty()) specs.emplace_back();
  std::vector<std::shared_ptr<const Ordering>> orderings;
  for (const std::string& spec : specs) {
    absl::StatusOr<std::shared_ptr<const Ordering>> ordering =
        MakeOrdering(machine, spec);
    if (!ordering.ok()) return ordering.status();
    orderings.push_back(*std::move(ordering));
  }
  return orderings;
}

absl::Status TakeRuntime(const RuntimeFlags& flags, ReplaySetup& setup) {
  absl::StatusOr<RuntimeOptions> read = ReadRuntimeFlags(flags, *setup.machine);
  if (!read.ok()) return read.status();
  setup.runtime = *std::move(read);
  return absl::OkStatus();
}

absl::Status TakeMachine(const ReplayOptions& options, std::ostream& err,
                         ReplaySetup& setup) {
  std::vector<std::string> warnings;
  RoomRemarks remarks;
  absl::StatusOr<std::shared_ptr<const Machine>> machine =
      LoadMachineFile(options.machine, &warnings, &remarks);
  if (!machine.ok()) return machine.status();
  PrintWarnings(err, warnings);
  PrintWarnings(err, remarks.warnings);
  machine = WithIdle(*machine, options.idle);
  if (!machine.ok()) return machine.status();
  setup.machine = *std::move(machine);
  return absl::OkStatus();
}

// The allocators of this process, or of a daemon with --endpoint.
absl::StatusOr<PortMaker> MakePorts(const ReplayOptions& options,
                                    const ReplaySetup& setup,
                                    std::vector<std::string> policies) {
  const bool here = options.daemon.endpoints.empty();
  policies.insert(policies.end(), setup.previewed.begin(),
                  setup.previewed.end());
  // It has no options.
  std::replace_if(policies.begin(), policies.end(), IsRecordedPolicy,
                  AllocatorPolicy(std::string(kRecordedPolicy)));
  absl::Status checked =
      here ? CheckFlagsOfPolicies(options.policy_flags, policies)
           : CheckFlagsForDaemon(options.policy_flags);
  if (!checked.ok()) return checked;
  absl::StatusOr<PolicyOptions> policy_options =
      ReadPolicyFlags(options.policy_flags, *setup.machine);
  if (!policy_options.ok()) return policy_options.status();
  if (here) {
    return InProcessPorts(setup.machine, *std::move(policy_options),
                          setup.pattern);
  }
  return SessionPorts(options.daemon, setup.machine, policy_options->span,
                      setup.pattern);
}

absl::StatusOr<ReplaySetup> MakeSetup(const ReplayOptions& options,
                                      std::ostream& err) {
  ReplaySetup setup;
  absl::StatusOr<std::vector<std::string>> policies = PlacingPolicies(options);
  if (policies.ok()) {
    policies = SweepPolicies(*std::move(policies), options.sweeps);
  }
  if (!policies.ok()) return policies.status();
  if (absl::Status unique = CheckLists(options, *policies); !unique.ok()) {
    return unique;
  }
  setup.previewed = options.decision_policies;
  absl::StatusOr<std::vector<SchedulerChoice>> schedulers =
      MakeSchedulers(options.schedulers);
  if (!schedulers.ok()) return schedulers.status();
  const absl::StatusOr<EstimateRule> estimates =
      ReadEstimateRule(options.estimates);
  if (!estimates.ok()) return estimates.status();
  setup.estimates = *estimates;
  if (absl::Status taken = TakeMachine(options, err, setup); !taken.ok()) {
    return taken;
  }
  const bool has_node_types =
      options.node_types_by == "partition" && setup.machine->room() != nullptr;
  if (absl::Status fit =
          CheckSchedulers(*schedulers, *setup.machine, has_node_types);
      !fit.ok()) {
    return fit;
  }
  if (absl::Status read = TakeRuntime(options.runtime, setup); !read.ok()) {
    return read;
  }
  for (const SchedulerChoice& scheduler : *schedulers) {
    if (!scheduler.MigratesJobs() || setup.runtime.model == "none") continue;
    return absl::InvalidArgumentError(fmt::format(
        "--scheduler: {} moves running jobs, and with --runtime-model {} run "
        "times "
        "depend on the nodes at the start (expected --runtime-model none)",
        scheduler.spec(), setup.runtime.model));
  }
  if (!options.node_events.empty()) {
    absl::StatusOr<std::vector<NodeEvent>> events =
        ReadNodeEvents(options.node_events, *setup.machine);
    if (!events.ok()) return events.status();
    setup.node_events = *std::move(events);
  }
  if (!options.pattern.empty()) {
    absl::StatusOr<PatternChoice> pattern =
        PatternChoice::Read(options.pattern);
    if (!pattern.ok()) return pattern.status();
    setup.pattern = std::make_shared<const PatternChoice>(*std::move(pattern));
  }
  setup.warm_up_ms = ToMs(options.warm_up_s);
  setup.min_energy_ms = ToMs(options.energy_time_s);
  absl::StatusOr<PortMaker> ports = MakePorts(options, setup, *policies);
  if (!ports.ok()) return ports.status();
  setup.open_port = *std::move(ports);
  absl::StatusOr<std::vector<std::uint64_t>> seeds = ParseSeeds(options.seeds);
  if (!seeds.ok()) return seeds.status();
  absl::StatusOr<std::vector<std::shared_ptr<const Ordering>>> orderings =
      MakeOrderings(*setup.machine, options.orderings);
  if (!orderings.ok()) return orderings.status();
  setup.runs = EveryRun({.policies = *std::move(policies),
                         .orderings = *std::move(orderings),
                         .schedulers = *std::move(schedulers),
                         .seeds = *std::move(seeds)});
  setup.decisions_path = options.decisions;
  return setup;
}

// The workload of each seed: one, unless it depends on the seed.
class Workloads {
 public:
  Workloads(std::string trace, const WorkloadOptions& options,
            NodeCount machine_nodes)
      : trace_(std::move(trace)),
        options_(options),
        machine_nodes_(machine_nodes) {}

  // The one of a seed is kept. Errors: LoadWorkload's.
  absl::Status Load(std::uint64_t seed) {
    auto workload = Of(seed);
    if (!workload.ok()) return workload.status();
    kept_ = *std::move(workload);
    kept_seed_ = seed;
    return absl::OkStatus();
  }
  const Workload& kept() const { return *kept_; }

  absl::StatusOr<std::shared_ptr<const Workload>> Of(std::uint64_t seed) const {
    if (kept_ != nullptr && (seed == kept_seed_ || !options_.DependsOnSeed())) {
      return kept_;
    }
    WorkloadOptions options = options_;
    options.seed = seed;
    absl::StatusOr<Workload> workload =
        LoadWorkload(trace_, options, machine_nodes_);
    if (!workload.ok()) return workload.status();
    return std::make_shared<const Workload>(*std::move(workload));
  }

 private:
  const std::string trace_;
  const WorkloadOptions options_;
  const NodeCount machine_nodes_;
  std::shared_ptr<const Workload> kept_;
  std::uint64_t kept_seed_ = 0;
};

// Adds what the schedulers and policies of the runs need from the trace.
void AddNeeds(const ReplaySetup& setup, WorkloadOptions& options) {
  const auto uses_recorded = [](const RunSpec& run) {
    return IsRecordedPolicy(run.policy);
  };
  if (std::any_of(setup.runs.begin(), setup.runs.end(), uses_recorded) ||
      std::any_of(setup.previewed.begin(), setup.previewed.end(),
                  IsRecordedPolicy)) {
    options.nodes_of = setup.machine;
  }
  options.needs_starts = std::any_of(
      setup.runs.begin(), setup.runs.end(),
      [](const RunSpec& run) { return run.scheduler.NeedsStarts(); });
}

// Takes --deadline-by and --node-types-by. Error: INVALID_ARGUMENT naming the
// option.
absl::Status AddJobRules(const ReplayOptions& options, const Machine& machine,
                         WorkloadOptions& workload) {
  if (options.deadline_by != "run" && options.deadline_by != "estimate") {
    return absl::InvalidArgumentError(fmt::format(
        "--deadline-by: '{}' is not valid (expected run or estimate)",
        options.deadline_by));
  }
  workload.deadline_by_estimate = options.deadline_by == "estimate";
  if (options.node_types_by == "none") return absl::OkStatus();
  if (options.node_types_by != "partition") {
    return absl::InvalidArgumentError(fmt::format(
        "--node-types-by: '{}' is not valid (expected none or partition)",
        options.node_types_by));
  }
  if (machine.room() == nullptr) {
    return absl::InvalidArgumentError(
        "--node-types-by: the machine has no room (expected thermal: and "
        "node_types: in the machine file)");
  }
  workload.node_types =
      static_cast<std::int32_t>(machine.room()->description().types.size());
  return absl::OkStatus();
}

// Takes --segment-nodes. Error: INVALID_ARGUMENT naming the option.
absl::Status AddSegments(const std::optional<std::string>& segment_nodes,
                         const ReplaySetup& setup, WorkloadOptions& options) {
  if (!segment_nodes.has_value()) return absl::OkStatus();
  const Blocks* const blocks = setup.machine->topology().blocks();
  if (blocks == nullptr) {
    return absl::InvalidArgumentError(
        "--segment-nodes: the machine has no blocks (expected topology.kind: "
        "blocks)");
  }
  if (options.nodes_of != nullptr) {
    return absl::InvalidArgumentError(
        "--segment-nodes: not allowed with policy recorded, which has the "
        "nodes of the trace");
  }
  options.segments_on = setup.machine;
  if (*segment_nodes == "job") return absl::OkStatus();
  const NodeCount max_nodes =
      blocks->base_nodes - std::min(blocks->base_nodes, blocks->spare_nodes);
  if (!ReadWhole(*segment_nodes, options.segment_nodes) ||
      options.segment_nodes < 1 || options.segment_nodes > max_nodes) {
    return absl::InvalidArgumentError(fmt::format(
        "--segment-nodes: '{}' is not valid (expected job, or a whole number "
        "from 1 to {}, the nodes of a base block{})",
        *segment_nodes, max_nodes,
        blocks->spare_nodes > 0 ? " without its spare nodes" : ""));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<RunReport>> RunWithProgress(
    const ReplaySetup& setup, const Workloads& workloads,
    const Console& console) {
  std::atomic<std::uint64_t> started = 0;
  std::optional<ProgressBar> bar;
  if (console.progress) {
    bar.emplace(console.err, started,
                workloads.kept().jobs.size() * setup.runs.size());
  }
  return Replay(
      setup, [&](std::uint64_t seed) { return workloads.Of(seed); }, started);
}

// That a run has the metrics of --pareto, by a replay of the first job.
absl::Status CheckMetrics(const std::vector<std::string>& metrics,
                          const ReplaySetup& setup, const Workload& workload) {
  if (metrics.empty() || workload.jobs.empty()) return absl::OkStatus();
  ReplaySetup of_one = setup;
  of_one.runs.resize(1);
  of_one.decisions_path.clear();
  of_one.warm_up_ms = 0;
  auto first = std::make_shared<Workload>();
  first->jobs.push_back(workload.jobs.front());
  std::atomic<std::uint64_t> started = 0;
  const auto workload_of = [&](std::uint64_t) { return first; };
  const absl::StatusOr<std::vector<RunReport>> reports =
      Replay(of_one, workload_of, started);
  if (!reports.ok()) return absl::OkStatus();  // the replay will say why
  return ParetoFront(GroupBySeed(*reports), metrics).status();
}

// Checkpoints have the reports of runs, not what else is recorded of them.
absl::Status OpenCheckpoint(const CLI::App& app, const ReplayOptions& options,
                            const Workload& workload, ReplaySetup& setup) {
  if (options.checkpoint.empty()) return absl::OkStatus();
  if (!options.decisions.empty() || !options.files.series.empty() ||
      !options.files.report.empty() || options.map_at_s.has_value()) {
    return absl::InvalidArgumentError(
        "--checkpoint: not allowed with --decisions, --series, --report and "
        "--map-at, which need all runs in one call");
  }
  absl::StatusOr<std::unique_ptr<Checkpoint>> checkpoint = Checkpoint::Open(
      options.checkpoint, IdentityOfReplay(app, setup, workload));
  if (!checkpoint.ok()) return checkpoint.status();
  setup.checkpoint = *std::move(checkpoint);
  return absl::OkStatus();
}

absl::Status PrintResults(const ReplayOptions& options,
                          const ReplaySetup& setup, const Workload& workload,
                          const std::vector<RunReport>& reports,
                          const Console& console) {
  const std::vector<SeedGroup> groups = GroupBySeed(reports);
  absl::StatusOr<std::vector<std::size_t>> front =
      ParetoFront(groups, options.pareto);
  if (console.json) {
    Json json =
        ReplayJson(setup, workload.counts, reports, RealTimes::kIncluded);
    if (front.ok() && !options.pareto.empty()) {
      json["pareto"] = ParetoJson(groups, options.pareto, *front);
    }
    PrintJsonLine(json, console.out);
  } else {
    PrintReplayTables(setup, workload, reports, console);
    if (front.ok() && !options.pareto.empty()) {
      PrintPareto(reports, groups, options.pareto, *front, console);
    }
  }
  return front.status();
}

absl::StatusOr<Exit> RunReplay(const CLI::App& app,
                               const ReplayOptions& options,
                               const Console& console) {
  const absl::StatusOr<bool> quiet = CheckOutputs(options, console.json);
  if (!quiet.ok()) return quiet.status();
  absl::StatusOr<WorkloadOptions> workload_options =
      ReadWorkloadFlags(options.workload);
  if (!workload_options.ok()) return workload_options.status();
  absl::StatusOr<ReplaySetup> setup = MakeSetup(options, console.err);
  if (!setup.ok()) return setup.status();
  AddNeeds(*setup, *workload_options);
  if (absl::Status added =
          AddJobRules(options, *setup->machine, *workload_options);
      !added.ok()) {
    return added;
  }
  if (absl::Status added =
          AddSegments(options.segment_nodes, *setup, *workload_options);
      !added.ok()) {
    return added;
  }
  Workloads workloads(options.trace, *workload_options,
                      setup->machine->node_count());
  if (absl::Status loaded = workloads.Load(setup->runs.front().seed);
      !loaded.ok()) {
    return loaded;
  }
  const Workload& workload = workloads.kept();
  if (absl::Status known = CheckMetrics(options.pareto, *setup, workload);
      !known.ok()) {
    return known;
  }
  if (absl::Status opened = OpenCheckpoint(app, options, workload, *setup);
      !opened.ok()) {
    return opened;
  }
  absl::StatusOr<ReplayFiles> files = ReplayFiles::Create(options.files);
  if (!files.ok()) return files.status();
  setup->recording.series = DrawsSparklines(console, setup->runs.size()) &&
                            setup->checkpoint == nullptr;
  if (options.map_at_s.has_value()) {
    setup->recording.map_at_ms = ToMs(*options.map_at_s);
  }
  files->Request(*setup);
  const absl::StatusOr<std::vector<RunReport>> reports =
      RunWithProgress(*setup, workloads, console);
  if (absl::IsFailedPrecondition(reports.status())) {
    console.err << reports.status().message() << "\n";
    return Exit::kCannotBeMet;
  }
  if (!reports.ok()) return reports.status();
  if (absl::Status written =
          files->Write(*setup, options.trace, console.command_line,
                       workload.counts, *reports);
      !written.ok()) {
    return written;
  }
  PrintTraceNotes(*setup, *workload_options, workload, console.err);
  PrintRunNotes(*setup, workload, *reports, console.err);
  PrintLateNotes(*reports, console.err);
  PrintStoppedNotes(*reports, console.err);
  PrintPreviewNotes(*reports, console.err);
  PrintCoolingNotes(*reports, console.err);
  if (*quiet) return Exit::kSuccess;
  absl::Status printed =
      PrintResults(options, *setup, workload, *reports, console);
  if (!printed.ok()) return printed;
  return Exit::kSuccess;
}

}  // namespace

Action SetUpReplay(CLI::App& app) {
  auto options = std::make_shared<ReplayOptions>();
  AddReplayOptions(app, *options);
  return [options, &app](const Console& console) {
    return RunReplay(app, *options, console);
  };
}

}  // namespace coolspan
