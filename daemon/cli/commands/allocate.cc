// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "cli/flags/node_list.h"
#include "cli/flags/policy_flags.h"
#include "cli/flags/room_flags.h"
#include "cli/flags/shared_options.h"
#include "cli/render/json.h"
#include "cli/render/text_table.h"
#include "cli/subcommand.h"
#include "config/machine/machine_file.h"
#include "core/allocator.h"
#include "core/deadline.h"
#include "core/room_state.h"
#include "locality/locality.h"
#include "ordering/ordering.h"
#include "policy/reference_policies.h"
#include "policy/table.h"
#include "thermal/cooling.h"

namespace coolspan {
namespace {

struct Options {
  std::string machine;
  std::string policy;
  std::string ordering;
  NodeCount nodes = 0;
  std::string busy;
  std::string require;
  std::string exclude;
  std::string shape;
  std::string pattern;
  std::uint64_t seed = 0;
  unsigned repeat = 1;
  PolicyFlags policy_flags;
  double time_limit_s = 10;
  RoomFlags room;
};

// The machine with its busy nodes, and the one question to it.
struct Question {
  std::shared_ptr<const Machine> machine;
  std::shared_ptr<const Ordering> ordering;
  std::shared_ptr<const Policy> policy;
  std::optional<ReferencePolicies> references;  // where the room is known
  std::unique_ptr<Allocator> allocator;
  AllocateCall call;
  std::chrono::duration<double> time_limit;  // of a decision
};

struct Answer {
  Decision decision;
  Locality locality;
  std::optional<Cooling> cooling;  // where the room is known
  double elapsed_us = 0;           // median
};

absl::Status BadOption(const std::string& message) {
  return absl::InvalidArgumentError(message);
}

// Only a policy that reads a shape is given one.
absl::Status CheckShapeIsRead(const std::string& policy_name) {
  if (FindPolicy(policy_name)->uses_shape) return absl::OkStatus();
  std::vector<std::string_view> readers;
  for (const PolicyEntry& entry : PolicyTable()) {
    if (entry.uses_shape) readers.push_back(entry.name);
  }
  return BadOption(fmt::format("--shape: {} does not read a shape; {} does",
                               policy_name, fmt::join(readers, ", ")));
}

// "4x2x1": one extent a dimension, the product at least nodes.
absl::StatusOr<std::vector<std::uint32_t>> ParseShape(const std::string& text,
                                                      const Grid* grid,
                                                      NodeCount nodes) {
  if (grid == nullptr) {
    return BadOption("--shape: this machine's topology has no coordinates");
  }
  std::vector<std::uint32_t> shape;
  std::uint64_t holds = grid->nodes_per_vertex;
  for (const auto part : absl::StrSplit(text, 'x')) {
    std::uint32_t extent = 0;
    const char* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, extent);
    if (error != std::errc() || stop != end || extent == 0) {
      return BadOption(fmt::format(
          "--shape: '{}' is not a shape; extents from 1 joined by x, as in 4x2",
          text));
    }
    shape.push_back(extent);
    holds = std::min<std::uint64_t>(holds * extent, UINT32_MAX);
  }
  if (shape.size() > grid->dims.size()) {
    return BadOption(
        fmt::format("--shape: {} has {} dimensions; this machine has {}", text,
                    shape.size(), grid->dims.size()));
  }
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > grid->dims[d]) {
      return BadOption(fmt::format(
          "--shape: {} does not fit the machine, which is {} by dimension",
          text, fmt::join(grid->dims, "x")));
    }
  }
  if (holds < nodes) {
    return BadOption(
        fmt::format("--shape: {} holds {} nodes; --nodes asks for "
                    "{}",
                    text, holds, nodes));
  }
  return shape;
}

absl::Status CheckNumbers(const Options& options) {
  if (options.nodes == 0) {
    return BadOption("--nodes: 0 nodes are no request; at least 1");
  }
  if (options.repeat == 0) {
    return BadOption("--repeat: 0 decisions cannot be timed; at least 1");
  }
  // Not so long that clocks overflow.
  constexpr double kMaxSeconds = 1e8;
  if (!(options.time_limit_s > 0 && options.time_limit_s <= kMaxSeconds)) {
    return BadOption(
        fmt::format("--time-limit: {} is no time to search; seconds above 0, "
                    "at most {:.0f}",
                    options.time_limit_s, kMaxSeconds));
  }
  if (!options.pattern.empty()) {
    return BadOption(
        "--pattern: no policy of this version reads a communication pattern; "
        "leave it out");
  }
  return absl::OkStatus();
}

void HoldBusyNodes(const NodeSet& busy, Allocator& allocator) {
  if (busy.Empty()) return;
  Holding holding;
  holding.committed = true;
  holding.nodes = busy.Members();
  allocator.Restore(std::move(holding));
}

absl::StatusOr<Question> Ask(const Options& options, std::ostream& err) {
  if (absl::Status status = CheckNumbers(options); !status.ok()) return status;
  std::vector<std::string> warnings;
  const auto read = LoadMachineFile(options.machine, &warnings);
  if (!read.ok()) return read.status();
  PrintWarnings(err, warnings);
  const auto machine = WithRoomFlags(*read, options.room);
  if (!machine.ok()) return machine.status();
  auto policy_options = ReadPolicyFlags(options.policy_flags, **machine);
  if (!policy_options.ok()) return policy_options.status();
  const auto ordering = MakeOrdering(**machine, options.ordering);
  if (!ordering.ok()) return ordering.status();
  policy_options->ordering = *ordering;
  auto policy = MakePolicy(options.policy, *machine, *policy_options);
  if (!policy.ok()) return policy.status();

  Question question;
  question.machine = *machine;
  question.ordering = *ordering;
  question.time_limit = std::chrono::duration<double>(options.time_limit_s);
  question.call.job = {.job_id = 1};
  Request& request = question.call.request;
  request.demand = Demand::Nodes(options.nodes);
  request.seed = options.seed;
  if (options.room.comm_share.has_value()) {
    request.communication_share = static_cast<float>(*options.room.comm_share);
  }
  if (!options.shape.empty()) {
    if (absl::Status status = CheckShapeIsRead(options.policy); !status.ok()) {
      return status;
    }
    auto shape =
        ParseShape(options.shape, (*machine)->topology().grid(), options.nodes);
    if (!shape.ok()) return shape.status();
    request.shape = *std::move(shape);
  }
  auto busy = ParseNodeList(**machine, "--busy", options.busy);
  if (!busy.ok()) return busy.status();
  auto required = ParseNodeList(**machine, "--require", options.require);
  if (!required.ok()) return required.status();
  auto excluded = ParseNodeList(**machine, "--exclude", options.exclude);
  if (!excluded.ok()) return excluded.status();
  // An empty set costs a decision its size; no set costs nothing.
  if (!required->Empty()) request.required = *std::move(required);
  if (!excluded->Empty()) question.call.excluded = *std::move(excluded);
  question.policy = *std::move(policy);
  question.allocator = std::make_unique<Allocator>(*machine);
  if ((*machine)->room() != nullptr) {
    auto references = MakeReferencePolicies(*machine, *policy_options);
    if (!references.ok()) return references.status();
    question.references = *std::move(references);
  }
  HoldBusyNodes(*busy, *question.allocator);
  return question;
}

// Why no policy could answer; nothing where one might.
std::optional<std::string> Impossible(const Question& question) {
  const NodeSet& free = question.allocator->ledger().free_whole();
  const NodeSet& required = question.call.request.required;
  const NodeSet& excluded = question.call.excluded;
  const NodeCount wanted = question.call.request.demand.min_nodes;
  const auto names = [&question](const NodeSet& nodes) {
    return question.machine->FormatNodes(nodes.Members());
  };
  if (wanted > question.machine->node_count()) {
    return fmt::format("the machine has {} nodes", free.size());
  }
  if (required.size() == 0) return std::nullopt;
  if (excluded.size() != 0 && required.Intersects(excluded)) {
    NodeSet both = required;
    both &= excluded;
    return fmt::format("{} required and excluded", names(both));
  }
  if (!required.IsSubsetOf(free)) {
    NodeSet taken = required;
    taken -= free;
    return fmt::format("{} required and busy", names(taken));
  }
  if (required.Count() > wanted) {
    return fmt::format("{} nodes are required", required.Count());
  }
  return std::nullopt;
}

// The decision, and how long it alone takes: the median of `repeat` after one
// that isn't timed, which leaves indexes built and caches warm.
absl::StatusOr<std::pair<Decision, double>> DecideTimed(
    const Question& question, unsigned repeat) {
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

// What a policy says that looked for the least of something.
struct Proof {
  std::string_view of;
  double total;
  double lower_bound;

  bool proved() const { return lower_bound == total; }
  // As a share of the total.
  double gap() const { return proved() ? 0 : (total - lower_bound) / total; }
};

std::optional<Proof> ProofIn(const Trace& trace) {
  const auto fact = [&trace](std::string_view name) {
    std::optional<double> number;
    for (const Trace::Fact& entry : trace.facts()) {
      if (entry.name != name) continue;
      if (const auto* whole = std::get_if<std::int64_t>(&entry.value)) {
        number = static_cast<double>(*whole);
      } else if (const auto* real = std::get_if<double>(&entry.value)) {
        number = *real;
      }
    }
    return number;
  };
  const auto lower_bound = fact("lower_bound");
  if (!lower_bound) return std::nullopt;
  if (const auto total = fact("total")) {
    return Proof{"pairwise_total", *total, *lower_bound};
  }
  if (const auto objective = fact("objective")) {
    return Proof{"objective", *objective, *lower_bound};
  }
  return std::nullopt;
}

// Of the room with the busy nodes and those just chosen.
std::optional<Cooling> CoolingAfter(const Question& question,
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

template <typename Visitor>
void VisitAllMetrics(const Answer& answer, const Visitor& visit) {
  VisitMetrics(answer.locality, visit);
  if (answer.cooling.has_value()) VisitMetrics(*answer.cooling, visit);
}

void PrintJson(const Question& question, const Answer& answer,
               std::ostream& out) {
  Json json;
  json["policy"] = answer.decision.policy;
  json["ordering"] = question.ordering->name();
  std::vector<std::string_view> names;
  for (const NodeId node : answer.decision.allocation.nodes) {
    names.push_back(question.machine->NodeName(node));
  }
  json["nodes"] = names;
  json["ids"] = answer.decision.allocation.nodes;
  VisitAllMetrics(answer,
                  [&json](std::string_view key, std::optional<double> value) {
                    json["metrics"][std::string(key)] = JsonNumber(value);
                  });
  if (answer.cooling.has_value()) {
    json["cop_is_sensible"] = answer.cooling->cop_is_sensible;
  }
  json["elapsed_us"] = JsonNumber(answer.elapsed_us);
  json["stopped_early"] = answer.decision.stopped_early;
  if (const auto proof = ProofIn(answer.decision.trace)) {
    json["proof"] = {{"proved", proof->proved()},
                     {"lower_bound", JsonNumber(proof->lower_bound)},
                     {"gap", JsonNumber(proof->gap())}};
  }
  json["why"] = Describe(answer.decision.policy, answer.decision.trace);
  PrintJsonLine(json, out);
}

void PrintText(const Question& question, const Answer& answer,
               std::ostream& out) {
  const auto& nodes = answer.decision.allocation.nodes;
  out << question.machine->FormatNodes(nodes) << "\n"
      << Describe(answer.decision.policy, answer.decision.trace) << "\n";
  if (const auto proof = ProofIn(answer.decision.trace)) {
    out << (proof->proved()
                ? fmt::format("no choice has a smaller {}\n", proof->of)
                : fmt::format("{} cannot be below {}; that is {:.1f} % less "
                              "(not proved; a longer search may)\n",
                              proof->of, FormatNumber(proof->lower_bound),
                              100 * proof->gap()));
  }
  if (answer.decision.stopped_early) {
    out << "stopped at the time limit with the best so far\n";
  }
  if (answer.cooling.has_value() && !answer.cooling->cop_is_sensible) {
    out << kCopMakesNoSense;
  }
  out << "\n";
  TextTable table({"metric", "value"});
  VisitAllMetrics(answer, [&table](std::string_view key,
                                   std::optional<double> value) {
    table.AddRow({std::string(key), value ? FormatNumber(*value) : kNotThere});
  });
  table.AddRow({"elapsed_us", FormatNumber(answer.elapsed_us)});
  table.Print(out);
}

Exit CannotBeMet(const Question& question, const std::string& why,
                 std::ostream& err) {
  const NodeCount wanted = question.call.request.demand.min_nodes;
  err << fmt::format("coolspan allocate: {} node{} cannot be placed: {}\n",
                     wanted, wanted == 1 ? "" : "s", why);
  return Exit::kCannotBeMet;
}

absl::StatusOr<Exit> Allocate(const Options& options, const Console& console) {
  const auto question = Ask(options, console.err);
  if (!question.ok()) return question.status();
  if (const auto why = Impossible(*question)) {
    return CannotBeMet(*question, *why, console.err);
  }
  auto timed = DecideTimed(*question, options.repeat);
  if (!timed.ok()) return timed.status();
  if (!timed->first.placed) {
    return CannotBeMet(*question,
                       fmt::format("{} ({} nodes available)",
                                   timed->first.reason, timed->first.available),
                       console.err);
  }
  LocalityMeter meter(question->machine->topology(), *question->ordering);
  const Locality locality = meter.Measure(timed->first.allocation.nodes);
  const std::optional<Cooling> cooling = CoolingAfter(*question, timed->first);
  const Answer answer{std::move(timed->first), locality, cooling,
                      timed->second};
  if (console.json) {
    PrintJson(*question, answer, console.out);
  } else {
    PrintText(*question, answer, console.out);
  }
  return Exit::kSuccess;
}

}  // namespace

Action SetUpAllocate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddMachineOption(app, options->machine);
  AddPolicyOption(app, options->policy);
  AddOrderingOption(app, options->ordering);
  app.add_option("--nodes", options->nodes, "how many nodes")->required();
  app.add_option("--busy", options->busy,
                 "nodes that are taken: hostlist, ids or @FILE")
      ->type_name("LIST");
  app.add_option("--require", options->require, "nodes that must be chosen")
      ->type_name("LIST");
  app.add_option("--exclude", options->exclude, "nodes that must not be chosen")
      ->type_name("LIST");
  app.add_option("--shape", options->shape, "wanted extent of the submesh")
      ->type_name("AxBxC");
  AddPolicyFlags(app, options->policy_flags);
  app.add_option("--pattern", options->pattern,
                 "communication pattern (for policies that read one)")
      ->type_name("FILE");
  AddRoomFlags(app, options->room);
  app.add_option("--seed", options->seed, "of random choices; default 0");
  app.add_option("--time-limit", options->time_limit_s,
                 "a decision that searches longer gives its best so far; "
                 "default 10")
      ->type_name("SECONDS");
  app.add_option("--repeat", options->repeat,
                 "decisions timed for elapsed_us, their median; default 1");
  return
      [options](const Console& console) { return Allocate(*options, console); };
}

}  // namespace coolspan
