// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/allocate_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "cli/console.h"
#include "cli/flags/node_list.h"
#include "config/machine/machine_file.h"
#include "core/counted.h"
#include "core/decision/segments.h"
#include "formats/pattern_choice.h"
#include "policy/reference_policies.h"
#include "policy/table.h"

namespace coolspan {
namespace {

absl::Status BadOption(const std::string& message) {
  return absl::InvalidArgumentError(message);
}

absl::Status CheckShapeIsUsed(const std::string& policy_name) {
  if (FindPolicy(policy_name)->uses_shape) return absl::OkStatus();
  std::vector<std::string_view> supporting;
  for (const PolicyEntry& entry : PolicyTable()) {
    if (entry.uses_shape) supporting.push_back(entry.name);
  }
  return BadOption(
      fmt::format("--shape: not supported by policy {} (expected policy {})",
                  policy_name, fmt::join(supporting, " or ")));
}

// text: one extent per dimension of the grid, as in "4x2x1"; their product is
// at least nodes.
absl::StatusOr<std::vector<std::uint32_t>> ParseShape(const std::string& text,
                                                      const Grid* grid,
                                                      NodeCount nodes) {
  if (grid == nullptr) {
    return BadOption(
        "--shape: the topology of this machine has no coordinates");
  }
  std::vector<std::uint32_t> shape;
  std::uint64_t holds = grid->nodes_per_vertex;
  for (const auto part : absl::StrSplit(text, 'x')) {
    std::uint32_t extent = 0;
    const char* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, extent);
    if (error != std::errc() || stop != end || extent == 0) {
      return BadOption(fmt::format(
          "--shape: '{}' is not a shape (expected extents of at least 1 joined "
          "by x, as in 4x2)",
          text));
    }
    shape.push_back(extent);
    holds = std::min<std::uint64_t>(holds * extent, UINT32_MAX);
  }
  if (shape.size() > grid->dims.size()) {
    return BadOption(fmt::format("--shape: {} has {} (expected at most {})",
                                 text, Counted(shape.size(), "dimension"),
                                 grid->dims.size()));
  }
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > grid->dims[d]) {
      return BadOption(fmt::format(
          "--shape: {} does not fit the machine (expected at most {})", text,
          fmt::join(grid->dims, "x")));
    }
  }
  if (holds < nodes) {
    return BadOption(fmt::format("--shape: {} holds {}; --nodes asks for {}",
                                 text, Counted(holds, "node"), nodes));
  }
  return shape;
}

absl::Status CheckNumbers(const AllocateOptions& options) {
  if (options.nodes == 0) {
    return BadOption("--nodes must be at least 1");
  }
  if (options.repeat == 0) {
    return BadOption("--repeat must be at least 1");
  }
  // Longer times would overflow the clock.
  constexpr double kMaxSeconds = 1e8;
  if (!(options.time_limit_s > 0 && options.time_limit_s <= kMaxSeconds)) {
    return BadOption(
        fmt::format("--time-limit: {} is out of range (expected seconds above "
                    "0, at most {:.0f})",
                    options.time_limit_s, kMaxSeconds));
  }
  return absl::OkStatus();
}

// The ranks must come out even on the nodes, or be no more than these.
absl::Status ReadPattern(const AllocateOptions& options, Request& request) {
  if (options.pattern.empty()) return absl::OkStatus();
  const auto choice = PatternChoice::Read(options.pattern);
  if (!choice.ok()) return choice.status();
  auto pattern = choice->ForRanks(options.nodes);
  if (!pattern.ok()) return pattern.status();
  const std::uint32_t ranks = (*pattern)->ranks();
  if (ranks > options.nodes && ranks % options.nodes != 0) {
    return BadOption(fmt::format(
        "{}: {} in the pattern (expected at most {}, one per node, or a "
        "multiple)",
        options.pattern, Counted(ranks, "rank"), options.nodes));
  }
  request.pattern = *std::move(pattern);
  return absl::OkStatus();
}

void HoldBusyNodes(const NodeSet& busy, Allocator& allocator) {
  if (busy.Empty()) return;
  Holding holding;
  holding.committed = true;
  holding.nodes = busy.Members();
  allocator.Restore(std::move(holding));
}

}  // namespace

absl::StatusOr<AllocateQuestion> MakeAllocateQuestion(
    const AllocateOptions& options, std::ostream& err) {
  if (absl::Status status = CheckNumbers(options); !status.ok()) return status;
  std::vector<std::string> warnings;
  const auto read = LoadMachineFile(options.machine, &warnings);
  if (!read.ok()) return read.status();
  PrintWarnings(err, warnings);
  const auto machine = WithRoomFlags(*read, options.room);
  if (!machine.ok()) return machine.status();
  if (absl::Status status =
          CheckFlagsOfPolicies(options.policy_flags, {options.policy});
      !status.ok()) {
    return status;
  }
  auto policy_options = ReadPolicyFlags(options.policy_flags, **machine);
  if (!policy_options.ok()) return policy_options.status();
  const auto ordering = MakeOrdering(**machine, options.ordering);
  if (!ordering.ok()) return ordering.status();
  policy_options->ordering = *ordering;
  auto policy = MakePolicy(options.policy, *machine, *policy_options);
  if (!policy.ok()) return policy.status();

  AllocateQuestion question;
  question.machine = *machine;
  question.ordering = *ordering;
  question.policy = *std::move(policy);
  question.time_limit = std::chrono::duration<double>(options.time_limit_s);
  question.call.job = {.job_id = 1};
  Request& request = question.call.request;
  request.demand = Demand::Nodes(options.nodes);
  request.seed = options.seed;
  if (options.room.comm_share.has_value()) {
    request.communication_share = static_cast<float>(*options.room.comm_share);
  }
  if (absl::Status taken = ReadPattern(options, request); !taken.ok()) {
    return taken;
  }
  request.segment_nodes = options.segment;
  request.spread_segments = options.spread_segments;
  request.consolidate_segments = options.consolidate_segments;
  if (!options.shape.empty()) {
    if (absl::Status status = CheckShapeIsUsed(options.policy); !status.ok()) {
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
  // A default NodeSet is free; an empty one of the machine's size makes each
  // decision read it.
  if (!required->Empty()) request.required = *std::move(required);
  if (!excluded->Empty()) question.call.excluded = *std::move(excluded);
  question.allocator = std::make_unique<Allocator>(*machine);
  if ((*machine)->room() != nullptr) {
    auto references = MakeReferencePolicies(*machine, *policy_options);
    if (!references.ok()) return references.status();
    question.references = *std::move(references);
  }
  HoldBusyNodes(*busy, *question.allocator);
  return question;
}

std::optional<std::string> WhyImpossible(const AllocateQuestion& question) {
  const NodeSet& free = question.allocator->ledger().free_whole();
  const NodeSet& required = question.call.request.required;
  const NodeSet& excluded = question.call.excluded;
  const NodeCount requested = question.call.request.demand.min_nodes;
  const auto names = [&question](const NodeSet& nodes) {
    return question.machine->FormatNodes(nodes.Members());
  };
  if (requested > question.machine->node_count()) {
    return fmt::format("the machine has {}", Counted(free.size(), "node"));
  }
  const Request& request = question.call.request;
  if (request.segment_nodes > 0) {
    const std::string_view reason =
        ReasonAgainstSegments(question.machine->topology(), request);
    if (!reason.empty()) return std::string(reason);
  }
  if (required.size() == 0) return std::nullopt;
  if (excluded.size() != 0 && required.Intersects(excluded)) {
    NodeSet both = required;
    both &= excluded;
    return fmt::format("both required and excluded: {}", names(both));
  }
  if (!required.IsSubsetOf(free)) {
    NodeSet taken = required;
    taken -= free;
    return fmt::format("both required and busy: {}", names(taken));
  }
  if (required.Count() > requested) {
    return fmt::format("--require names {}", Counted(required.Count(), "node"));
  }
  return std::nullopt;
}

}  // namespace coolspan
