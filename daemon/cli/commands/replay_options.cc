// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/replay_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

#include "cli/flags/mapping_flags.h"
#include "cli/flags/number_checks.h"
#include "cli/flags/room_flags.h"
#include "cli/flags/shared_options.h"
#include "core/stable_hash.h"
#include "mapping/generated_patterns.h"
#include "policy/table.h"
#include "replay/estimates.h"
#include "replay/ports/recorded_policy.h"
#include "replay/schedulers/scheduler.h"

namespace coolspan {
namespace {

constexpr double kMaxDeadlineFactor = 1000;

template <typename Table>
std::string NamesOf(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& entry : table) names.push_back(entry.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// They select runs, or what is done with the results, or name files whose
// content is hashed.
bool IsNotOfARun(const std::string& option) {
  static const std::set<std::string> names = {
      "--policy", "--situation", "--ordering",   "--scheduler", "--seed",
      "--sweep",  "--pareto",    "--endpoint",   "--decisions", "--series",
      "--report", "--summary",   "--map-at",     "--json",      "--checkpoint",
      "--trace",  "--machine",   "--node-events"};
  return names.contains(option);
}

std::uint64_t HashOf(const Workload& workload) {
  StableHash hash;
  for (const WorkloadJob& job : workload.jobs) {
    for (const std::int64_t value :
         {job.submit_ms, job.run_ms, job.estimate_ms, job.number,
          std::int64_t{job.nodes}, job.deadline_ms,
          std::int64_t{job.node_type}}) {
      hash.Add(static_cast<std::uint64_t>(value));
    }
    if (job.recorded == nullptr) continue;
    for (const NodeId node : job.recorded->nodes) hash.Add(node);
  }
  return hash.value();
}

std::uint64_t HashOf(const std::vector<NodeEvent>& events) {
  StableHash hash;
  for (const NodeEvent& event : events) {
    hash.Add(static_cast<std::uint64_t>(event.at_ms));
    hash.Add(static_cast<std::uint64_t>(event.state));
    for (const NodeId node : event.nodes) hash.Add(node);
  }
  return hash.value();
}

}  // namespace

void AddReplayOptions(CLI::App& app, ReplayOptions& options) {
  app.add_option("--trace", options.trace,
                 "job trace, plain or gzip: a log in the Standard Workload "
                 "Format, or the output of sacct --parsable2")
      ->type_name("FILE")
      ->required();
  AddMachineOption(app, options.machine);
  app.add_option("--scheduler", options.schedulers,
                 fmt::format("schedulers: {}", NamesOf(SchedulerTable())))
      ->type_name("NAME,...")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--estimates", options.estimates,
                 fmt::format("run times that schedulers expect: {}",
                             NamesOf(EstimateTable())))
      ->type_name("RULE")
      ->capture_default_str();
  app.add_option("--policy", options.policies,
                 fmt::format("placement policies: {}, {} (the nodes in the "
                             "trace)",
                             NamesOf(PolicyTable()), kRecordedPolicy))
      ->type_name("NAME,...")
      ->delimiter(',');
  app.add_option("--situation", options.situations,
                 "policies that place the jobs while those of --decision are "
                 "evaluated")
      ->type_name("NAME,...")
      ->delimiter(',');
  app.add_option("--decision", options.decision_policies,
                 "policies evaluated at each job start on the same free nodes; "
                 "prints their means for each --situation")
      ->type_name("NAME,...")
      ->delimiter(',');
  app.add_option("--sweep", options.sweeps,
                 "NAME=FROM:TO:COUNT[,...]: replaces policies with options of "
                 "that name by one for each of COUNT values from FROM to TO; "
                 "options that change together are separated by commas; may "
                 "be repeated")
      ->type_name("RANGE[,...]")
      ->allow_extra_args(false);
  app.add_option("--pareto", options.pareto,
                 "shows the runs that no other run betters in all of these "
                 "metrics")
      ->type_name("METRIC,METRIC[,...]")
      ->delimiter(',');
  AddOrderingsOption(app, options.orderings);
  AddPolicyFlags(app, options.policy_flags);
  AddWorkloadFlags(app, options.workload);
  AddSeedsOption(app, options.seeds,
                 "seeds of random policies, --replicate and --jitter; several: "
                 "also means with 95 % confidence intervals");
  app.add_option("--deadline-factor", options.workload.options.deadline_factor,
                 "the deadline of a job is its submit time plus X times its "
                 "run time; 0: none")
      ->type_name("X")
      ->check(NumberBetween(0, kMaxDeadlineFactor))
      ->capture_default_str();
  app.add_option("--deadline-by", options.deadline_by,
                 "what --deadline-factor multiplies: run (the run time) or "
                 "estimate (of the trace)")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--node-types-by", options.node_types_by,
                 "node types that jobs require: none, or partition (partition "
                 "K of a log: the Kth of node_types)")
      ->type_name("FIELD")
      ->capture_default_str();
  app.add_option("--energy-time", options.energy_time_s,
                 "count the energy of the room for at least S seconds, also "
                 "after the last job")
      ->type_name("S")
      ->check(NumberBetween(0, kMaxTraceTimeS))
      ->capture_default_str();
  app.add_option("--warm-up", options.warm_up_s,
                 "jobs submitted in the first S seconds run, but only the "
                 "others are measured")
      ->type_name("S")
      ->check(NumberBetween(0, kMaxTraceTimeS))
      ->capture_default_str();
  app.add_option("--node-events", options.node_events,
                 "CSV file of nodes that fail, drain and return")
      ->type_name("FILE");
  AddPatternOption(app, options.pattern,
                   "communication pattern of the jobs; comm_cost is that of "
                   "their mapping");
  app.add_option("--segment-nodes", options.segment_nodes,
                 "nodes of a segment, which must be within a block, as with "
                 "Slurm's --segment; larger jobs are rounded up to whole "
                 "segments; job: each job is one segment; topology.kind: "
                 "blocks")
      ->type_name("N");
  AddRuntimeFlags(app, options.runtime);
  AddIdleOption(app, options.idle);
  app.add_option("--decisions", options.decisions,
                 "write all decisions to this CSV file; -: to standard "
                 "output, without the tables")
      ->type_name("FILE");
  app.add_option("--summary", options.files.summary,
                 "write the metrics of all runs to this CSV file; -: to "
                 "standard output, without the tables")
      ->type_name("FILE");
  app.add_option("--series", options.files.series,
                 "write the state of each run over time to this CSV file")
      ->type_name("FILE");
  app.add_option("--map-at", options.map_at_s,
                 "show the jobs on the machine at S seconds of the trace, and "
                 "with --runtime-model contention the use of its links")
      ->type_name("S")
      ->check(NumberBetween(0, kMaxTraceTimeS));
  app.add_option("--report", options.files.report,
                 "write a report with charts to this HTML file")
      ->type_name("FILE.html");
  app.add_option("--checkpoint", options.checkpoint,
                 "keep the results of finished runs in this file; runs that it "
                 "has are not repeated")
      ->type_name("FILE");
  AddEndpointOption(app, options.daemon)->required(false);
}

std::string IdentityOfReplay(const CLI::App& app, const ReplaySetup& setup,
                             const Workload& workload) {
  std::string identity = "coolspan " COOLSPAN_VERSION;
  for (const CLI::Option* const option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || IsNotOfARun(name)) continue;
    identity += fmt::format(" {} {}", name, fmt::join(option->results(), ","));
    if (name != "--latency-matrix" &&
        (name != "--pattern" ||
         FindGeneratedPattern(option->results().front()) != nullptr)) {
      continue;
    }
    std::ifstream file(option->results().front(), std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(file)), {});
    StableHash hash;
    hash.Add(content);
    identity += fmt::format(" {:x}", hash.value());
  }
  const Room* const room = setup.machine->room().get();
  return identity +
         fmt::format(" (jobs {:x}, machine {:x}, room {:x}, node events {:x})",
                     HashOf(workload), setup.machine->Fingerprint(),
                     room == nullptr ? 0 : room->Fingerprint(),
                     HashOf(setup.node_events));
}

}  // namespace coolspan
