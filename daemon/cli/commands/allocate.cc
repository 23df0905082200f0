// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/allocate_question.h"
#include "cli/commands/allocate_report.h"
#include "cli/flags/mapping_flags.h"
#include "cli/flags/policy_flags.h"
#include "cli/flags/room_flags.h"
#include "cli/flags/shared_options.h"
#include "cli/subcommand.h"
#include "core/allocator.h"
#include "core/counted.h"
#include "core/deadline.h"
#include "core/room_state.h"
#include "locality/locality.h"
#include "mapping/in_order.h"
#include "mapping/table.h"
#include "thermal/cooling.h"

namespace coolspan {
namespace {

// The decision and its duration in microseconds: the median of `repeat` timed
// decisions after an untimed one, which builds indexes and warms caches.
absl::StatusOr<std::pair<Decision, double>> DecideTimed(
    const AllocateQuestion& question, unsigned repeat) {
  using Clock = std::chrono::steady_clock;
  const Allocator& allocator = *question.allocator;
  const DecidingPolicies policies{*question.policy};
  const auto limited = [&question] {
    return BudgetUntil(
        Clock::now() +
            std::chrono::duration_cast<Clock::duration>(question.time_limit),
        &Clock::now);
  };
  Budget untimed = limited();
  auto decision = allocator.Preview(question.call, policies, untimed);
  if (!decision.ok()) return decision.status();
  if (decision->placed && question.references.has_value()) {
    Budget comparing = limited();
    NoteComparison(*question.references, allocator.SnapshotFor(question.call),
                   question.call, *decision, comparing, decision->trace);
  }
  std::vector<double> microseconds;
  for (unsigned i = 0; i < repeat; ++i) {
    Budget budget = limited();
    const auto start = Clock::now();
    auto again = allocator.Preview(question.call, policies, budget);
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    if (!again.ok()) return again.status();
    microseconds.push_back(took.count());
  }
  const auto middle = microseconds.begin() + repeat / 2;
  std::nth_element(microseconds.begin(), middle, microseconds.end());
  return std::pair(*std::move(decision), *middle);
}

// The room with the busy nodes and the chosen ones, if the machine has one.
std::optional<Cooling> CoolingAfter(const AllocateQuestion& question,
                                    const Decision& decision) {
  const std::shared_ptr<const Room>& room = question.machine->room();
  if (room == nullptr) return std::nullopt;
  LoadsByNode loads = question.allocator->ledger().loads();
  const float share = question.call.request.communication_share.value_or(
      static_cast<float>(room->communication_share()));
  for (const NodeId node : decision.allocation.nodes) {
    loads.Mutable(node) = {1 - share, share};
  }
  RoomState after(room);
  after.Follow(loads);
  return CoolingOf(after.view());
}

// Without a pattern: nullopt.
std::optional<MappedRanks> MapRanks(const AllocateQuestion& question,
                                    const std::vector<NodeId>& nodes) {
  const Request& request = question.call.request;
  if (request.pattern == nullptr) return std::nullopt;
  auto problem = MakeMappingProblem(request.pattern, nodes, std::nullopt);
  const auto mapper = MakeMapper(kDefaultMapper);
  if (!problem.ok() || !mapper.ok()) return std::nullopt;
  problem->seed = request.seed;
  using Clock = std::chrono::steady_clock;
  Budget budget = BudgetUntil(
      Clock::now() +
          std::chrono::duration_cast<Clock::duration>(question.time_limit),
      &Clock::now);
  const Topology& topology = question.machine->topology();
  MappedRanks ranks;
  ranks.rank_to_node = (*mapper)->Map(topology, *problem, budget);
  ranks.cost = MappingCost(topology, *request.pattern, ranks.rank_to_node);
  ranks.in_order_cost =
      MappingCost(topology, *request.pattern, MapInOrder(*problem));
  return ranks;
}

Exit CannotBeMet(const AllocateQuestion& question, const std::string& why,
                 std::ostream& err) {
  const NodeCount requested = question.call.request.demand.min_nodes;
  err << fmt::format("coolspan allocate: {} cannot be placed: {}\n",
                     Counted(requested, "node"), why);
  return Exit::kCannotBeMet;
}

absl::StatusOr<Exit> Allocate(const AllocateOptions& options,
                              const Console& console) {
  const auto question = MakeAllocateQuestion(options, console.err);
  if (!question.ok()) return question.status();
  if (const auto why = WhyImpossible(*question)) {
    return CannotBeMet(*question, *why, console.err);
  }
  auto timed = DecideTimed(*question, options.repeat);
  if (!timed.ok()) return timed.status();
  if (!timed->first.placed) {
    return CannotBeMet(*question,
                       fmt::format("{} ({} available)", timed->first.reason,
                                   Counted(timed->first.available, "node")),
                       console.err);
  }
  LocalityMeter meter(question->machine->topology(), *question->ordering);
  Locality locality = meter.Measure(timed->first.allocation.nodes);
  const std::optional<MappedRanks> ranks =
      MapRanks(*question, timed->first.allocation.nodes);
  if (ranks.has_value()) {
    locality.comm_cost =
        ranks->cost / static_cast<double>(timed->first.allocation.nodes.size());
  }
  const std::optional<Cooling> cooling = CoolingAfter(*question, timed->first);
  const AllocateAnswer answer{std::move(timed->first), locality, cooling,
                              timed->second, ranks};
  PrintAllocateReport(*question, answer, console);
  return Exit::kSuccess;
}

}  // namespace

Action SetUpAllocate(CLI::App& app) {
  auto options = std::make_shared<AllocateOptions>();
  AddMachineOption(app, options->machine);
  AddPolicyOption(app, options->policy);
  AddOrderingOption(app, options->ordering);
  app.add_option("--nodes", options->nodes, "number of nodes")->required();
  app.add_option("--busy", options->busy, "busy nodes: hostlist, ids or @FILE")
      ->type_name("LIST");
  app.add_option("--require", options->require, "nodes that must be chosen")
      ->type_name("LIST");
  app.add_option("--exclude", options->exclude, "nodes that must not be chosen")
      ->type_name("LIST");
  app.add_option("--shape", options->shape, "requested extents of the submesh")
      ->type_name("AxBxC");
  app.add_option("--segment", options->segment,
                 "nodes of each segment, which must be within a block (Slurm's "
                 "--segment); topology.kind: blocks")
      ->type_name("N");
  app.add_flag("--spread-segments", options->spread_segments,
               "no base block has nodes of two segments")
      ->needs("--segment");
  app.add_flag("--consolidate-segments", options->consolidate_segments,
               "all segments are in the smallest block that holds the job")
      ->needs("--segment");
  AddPolicyFlags(app, options->policy_flags);
  AddPatternOption(app, options->pattern,
                   "communication pattern of the job, whose ranks are mapped "
                   "to the nodes");
  AddRoomFlags(app, options->room);
  AddSeedOption(app, options->seed, "seed of random choices");
  app.add_option("--time-limit", options->time_limit_s,
                 "time limit of a search, which then returns its best result")
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--repeat", options->repeat,
                 "number of timed decisions; elapsed_us is their median")
      ->capture_default_str();
  return
      [options](const Console& console) { return Allocate(*options, console); };
}

}  // namespace coolspan
