// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/mapper.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/counted.h"

namespace coolspan {

absl::StatusOr<MappingProblem> MakeMappingProblem(
    std::shared_ptr<const CommPattern> pattern, std::vector<NodeId> nodes,
    std::optional<std::uint32_t> ranks_per_node) {
  if (nodes.empty()) {
    return absl::InvalidArgumentError("no nodes (expected at least 1)");
  }
  const std::uint64_t ranks = pattern->ranks();
  std::uint64_t slots = ranks_per_node.value_or(1);
  if (!ranks_per_node.has_value() && ranks % nodes.size() == 0) {
    slots = ranks / nodes.size();
  }
  if (ranks > slots * nodes.size()) {
    return absl::InvalidArgumentError(fmt::format(
        "{} in the pattern, {} on {} (expected at least {} per node)",
        Counted(ranks, "rank"), Counted(slots * nodes.size(), "slot"),
        Counted(nodes.size(), "node"),
        Counted((ranks + nodes.size() - 1) / nodes.size(), "rank")));
  }
  slots = std::min(slots, ranks);
  if (slots * nodes.size() > kMaxSlots) {
    return absl::InvalidArgumentError(
        fmt::format("{} on {} (expected at most {} in total)",
                    Counted(slots * nodes.size(), "slot"),
                    Counted(nodes.size(), "node"), kMaxSlots));
  }
  MappingProblem problem;
  problem.pattern = std::move(pattern);
  problem.slots.assign(nodes.size(), static_cast<std::uint32_t>(slots));
  problem.nodes = std::move(nodes);
  return problem;
}

double MappingCost(const Topology& topology, const CommPattern& pattern,
                   std::span<const NodeId> rank_to_node) {
  double cost = 0;
  for (TaskRank from = 0; from < pattern.ranks(); ++from) {
    const VertexId here = topology.VertexOf(rank_to_node[from]);
    const std::span<const TaskRank> receivers = pattern.ReceiversOf(from);
    const std::span<const double> bytes = pattern.BytesFrom(from);
    for (std::size_t i = 0; i < receivers.size(); ++i) {
      const VertexId there = topology.VertexOf(rank_to_node[receivers[i]]);
      cost += bytes[i] * topology.VertexDistance(here, there);
    }
  }
  return cost;
}

}  // namespace coolspan
