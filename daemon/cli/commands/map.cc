// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/map_report.h"
#include "cli/daemon_call.h"
#include "cli/flags/mapping_flags.h"
#include "cli/flags/node_list.h"
#include "cli/flags/shared_options.h"
#include "cli/subcommand.h"
#include "config/machine/machine_file.h"
#include "core/counted.h"
#include "core/deadline.h"
#include "formats/file_error.h"
#include "formats/pattern_choice.h"
#include "mapping/in_order.h"
#include "mapping/table.h"
#include "replay/ports/pattern_message.h"

namespace coolspan {
namespace {

struct MapOptions {
  std::string machine;
  std::optional<std::string> nodes;
  std::string pattern;
  std::string method{kDefaultMapper};
  std::optional<std::uint32_t> ranks_per_node;
  std::uint64_t seed = 0;
  double time_limit_s = 10;
  std::optional<std::uint32_t> job;
  DaemonOptions daemon;
  bool rankfile = false;
  bool hostfile = false;
};

absl::Status CheckOptions(const MapOptions& options, bool json) {
  constexpr double kMaxLimitSeconds = 86'400;
  if (!(options.time_limit_s > 0 && options.time_limit_s <= kMaxLimitSeconds)) {
    return absl::InvalidArgumentError(fmt::format(
        "--time-limit: {} is out of range (expected more than 0 and at most {} "
        "seconds)",
        options.time_limit_s, kMaxLimitSeconds));
  }
  const bool offline = !options.machine.empty() && options.nodes.has_value();
  const bool either = !options.machine.empty() || options.nodes.has_value();
  if (options.job.has_value() ? either : !offline) {
    return absl::InvalidArgumentError(
        "map: expected either --machine and --nodes, or --job");
  }
  if (options.ranks_per_node == 0U) {
    return absl::InvalidArgumentError("--ranks-per-node must be at least 1");
  }
  if (json && (options.hostfile || options.rankfile)) {
    return absl::InvalidArgumentError(fmt::format(
        "--json excludes {}", options.hostfile ? "--hostfile" : "--rankfile"));
  }
  return absl::OkStatus();
}

// The pattern of the options for a job of so many nodes.
absl::StatusOr<std::shared_ptr<const CommPattern>> PatternFor(
    const MapOptions& options, const PatternChoice& choice,
    std::uint64_t nodes) {
  const std::uint64_t ranks = nodes * options.ranks_per_node.value_or(1);
  if (choice.IsGenerated() && options.ranks_per_node.has_value() &&
      ranks > CommPattern::kMaxRanks) {
    return absl::InvalidArgumentError(fmt::format(
        "--ranks-per-node: {} on {} are {} (expected at most {} in a pattern)",
        *options.ranks_per_node, Counted(nodes, "node"), Counted(ranks, "rank"),
        CommPattern::kMaxRanks));
  }
  return choice.ForRanks(ranks);
}

absl::StatusOr<MappingProblem> MakeProblem(const MapOptions& options,
                                           std::vector<NodeId> nodes) {
  const auto choice = PatternChoice::Read(options.pattern);
  if (!choice.ok()) return choice.status();
  auto pattern = PatternFor(options, *choice, nodes.size());
  if (!pattern.ok()) return pattern.status();
  auto problem = MakeMappingProblem(*std::move(pattern), std::move(nodes),
                                    options.ranks_per_node);
  if (!problem.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}; --ranks-per-node sets it", options.pattern,
                    MessageOf(problem.status())));
  }
  problem->seed = options.seed;
  return problem;
}

MapReport Solve(const Machine& machine, const MappingProblem& problem,
                const Mapper& mapper, double time_limit_s) {
  using Clock = std::chrono::steady_clock;
  const auto limit = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(time_limit_s));
  Budget budget = BudgetUntil(Clock::now() + limit, &Clock::now);
  const Topology& topology = machine.topology();
  const RankToNode mapped = mapper.Map(topology, problem, budget);
  MapReport report;
  report.bytes = problem.pattern->total_bytes();
  report.cost = MappingCost(topology, *problem.pattern, mapped);
  report.in_order_cost =
      MappingCost(topology, *problem.pattern, MapInOrder(problem));
  report.stopped_early = budget.exhausted();
  for (const NodeId node : problem.nodes) {
    report.nodes.push_back(machine.NodeName(node));
  }
  for (const NodeId node : mapped) {
    const auto place =
        std::lower_bound(problem.nodes.begin(), problem.nodes.end(), node);
    report.rank_to_node.push_back(
        static_cast<std::uint32_t>(place - problem.nodes.begin()));
  }
  return report;
}

absl::StatusOr<MapReport> MapOffline(const MapOptions& options,
                                     const Mapper& mapper,
                                     const Console& console) {
  std::vector<std::string> warnings;
  const auto machine = LoadMachineFile(options.machine, &warnings);
  if (!machine.ok()) return machine.status();
  PrintWarnings(console.err, warnings);
  const auto nodes = ParseNodeList(**machine, "--nodes", *options.nodes);
  if (!nodes.ok()) return nodes.status();
  if (nodes->Empty()) {
    return absl::InvalidArgumentError(
        "--nodes: the list is empty (expected at least one node)");
  }
  const auto problem = MakeProblem(options, nodes->Members());
  if (!problem.ok()) return problem.status();
  return Solve(**machine, *problem, mapper, options.time_limit_s);
}

// A pattern of a generated kind needs the number of the job's nodes.
absl::StatusOr<std::shared_ptr<const CommPattern>> PatternOfJob(
    const MapOptions& options) {
  const auto choice = PatternChoice::Read(options.pattern);
  if (!choice.ok()) return choice.status();
  std::uint64_t nodes = 1;
  if (choice->IsGenerated()) {
    const auto jobs = AskJobs(options.daemon);
    if (!jobs.ok()) return jobs.status();
    for (const v1::JobRecord& job : jobs->jobs()) {
      if (job.job().job_id() != *options.job) continue;
      nodes = static_cast<std::uint64_t>(job.node_ids_size());
    }
  }
  return PatternFor(options, *choice, nodes);
}

absl::StatusOr<MapReport> MapInDaemon(const MapOptions& options) {
  const auto pattern = PatternOfJob(options);
  if (!pattern.ok()) return pattern.status();
  v1::MapRequest request;
  request.set_job_id(*options.job);
  EncodePattern(**pattern, *request.mutable_pattern());
  request.set_method(options.method);
  request.set_ranks_per_node(options.ranks_per_node.value_or(0));
  request.set_seed(options.seed);
  request.set_time_limit_s(options.time_limit_s);
  const auto reply = AskMap(options.daemon, std::move(request));
  if (!reply.ok()) return reply.status();
  MapReport report;
  report.bytes = (*pattern)->total_bytes();
  report.nodes.assign(reply->hostlist().begin(), reply->hostlist().end());
  report.rank_to_node.assign(reply->rank_to_node().begin(),
                             reply->rank_to_node().end());
  report.cost = reply->cost();
  report.in_order_cost = reply->in_order_cost();
  report.stopped_early = reply->stopped_early();
  const bool valid = std::all_of(
      report.rank_to_node.begin(), report.rank_to_node.end(),
      [&](std::uint32_t node) { return node < report.nodes.size(); });
  if (valid) return report;
  return absl::InternalError("map: the daemon's answer names unknown nodes");
}

absl::StatusOr<Exit> Map(const MapOptions& options, const Console& console) {
  if (absl::Status status = CheckOptions(options, console.json); !status.ok()) {
    return status;
  }
  const auto mapper = MakeMapper(options.method);
  if (!mapper.ok()) return mapper.status();
  auto report = options.job.has_value()
                    ? MapInDaemon(options)
                    : MapOffline(options, **mapper, console);
  if (!report.ok()) return report.status();
  report->method = options.method;
  report->pattern = options.pattern;
  PrintMapReport(*report,
                 options.rankfile   ? MapOutput::kRankfile
                 : options.hostfile ? MapOutput::kHostfile
                                    : MapOutput::kReport,
                 console);
  return Exit::kSuccess;
}

}  // namespace

Action SetUpMap(CLI::App& app) {
  auto options = std::make_shared<MapOptions>();
  AddMachineOption(app, options->machine)->required(false);
  app.add_option("--nodes", options->nodes,
                 "nodes of the job: hostlist, ids or @FILE")
      ->type_name("LIST");
  app.add_option("--job", options->job,
                 "job of a running daemon, in place of --machine and --nodes")
      ->type_name("ID");
  AddDaemonOptions(app, options->daemon);
  AddClusterOption(app, options->daemon);
  AddPatternOption(app, options->pattern, "bytes between the ranks of the job")
      ->required();
  std::vector<std::string> methods;
  for (const MapperEntry& entry : MapperTable()) {
    methods.push_back(fmt::format("{}: {}", entry.name, entry.help));
  }
  app.add_option("--method", options->method,
                 fmt::format("mapping method. {}", fmt::join(methods, "; ")))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--ranks-per-node", options->ranks_per_node,
                 "slots of each node (default: ranks / nodes if that is a "
                 "whole number, else 1)")
      ->type_name("K");
  CLI::Option* const rankfile = app.add_flag("--rankfile", options->rankfile,
                                             "print a rankfile for Open MPI");
  app.add_flag("--hostfile", options->hostfile,
               "print one node name per rank, for SLURM_HOSTFILE and srun "
               "--distribution=arbitrary")
      ->excludes(rankfile);
  AddSeedOption(app, options->seed, "seed of random choices");
  app.add_option("--time-limit", options->time_limit_s,
                 "time limit of the search, which then returns its best result")
      ->type_name("SECONDS")
      ->capture_default_str();
  return [options](const Console& console) { return Map(*options, console); };
}

}  // namespace coolspan
