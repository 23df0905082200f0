// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/clusters/job_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "core/counted.h"
#include "mapping/in_order.h"
#include "mapping/table.h"
#include "service/codec/pattern_message.h"

namespace coolspan {
namespace {

std::uint32_t PlaceOf(std::span<const NodeId> nodes, NodeId node) {
  return static_cast<std::uint32_t>(
      std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
}

// The bit of each node: bits are in the order of names, which need not be that
// of ids.
std::vector<std::uint32_t> BitsOf(std::span<const NodeId> nodes,
                                  const NodeTable& table) {
  std::vector<std::uint32_t> bits(nodes.size());
  for (std::uint32_t bit = 0; bit < table.size(); ++bit) {
    const NodeId node = table.NodeAt(bit);
    const std::uint32_t place = PlaceOf(nodes, node);
    if (place < nodes.size() && nodes[place] == node) bits[place] = bit;
  }
  return bits;
}

}  // namespace

absl::StatusOr<std::chrono::milliseconds> MapTimeOf(
    const v1::MapRequest& request) {
  const double wanted_s = request.time_limit_s();
  if (!(wanted_s >= 0)) {
    return absl::InvalidArgumentError(fmt::format(
        "time_limit_s: {} (expected a number of at least 0)", wanted_s));
  }
  constexpr double kMsPerS = 1000;
  const auto max_ms = static_cast<double>(kMaxMapTime.count());
  if (wanted_s == 0 || wanted_s * kMsPerS >= max_ms) return kMaxMapTime;
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(wanted_s * kMsPerS));
}

absl::StatusOr<v1::MapReply> MapJob(const Machine& machine,
                                    std::vector<NodeId> nodes,
                                    const v1::MapRequest& request,
                                    Budget& budget) {
  auto pattern = DecodePattern(request.pattern());
  if (!pattern.ok()) return pattern.status();
  const auto mapper =
      MakeMapper(request.method().empty() ? std::string(kDefaultMapper)
                                          : request.method());
  if (!mapper.ok()) return mapper.status();
  std::optional<std::uint32_t> ranks_per_node;
  if (request.ranks_per_node() > 0) ranks_per_node = request.ranks_per_node();
  auto problem =
      MakeMappingProblem(*std::move(pattern), std::move(nodes), ranks_per_node);
  if (!problem.ok()) return problem.status();
  const std::uint64_t slots =
      std::uint64_t{problem->slots.front()} * problem->nodes.size();
  if (slots > kMaxServedSlots) {
    return absl::InvalidArgumentError(fmt::format(
        "ranks_per_node: {} slots on {} (expected at most {} in total; "
        "coolspan "
        "map --nodes takes more)",
        slots, Counted(problem->nodes.size(), "node"), kMaxServedSlots));
  }
  problem->seed = request.seed();
  const Topology& topology = machine.topology();
  const RankToNode mapped = (*mapper)->Map(topology, *problem, budget);
  v1::MapReply reply;
  for (const NodeId node : problem->nodes) {
    reply.add_hostlist(machine.NodeName(node));
  }
  for (const NodeId node : mapped) {
    reply.add_rank_to_node(PlaceOf(problem->nodes, node));
  }
  reply.set_cost(MappingCost(topology, *problem->pattern, mapped));
  reply.set_in_order_cost(
      MappingCost(topology, *problem->pattern, MapInOrder(*problem)));
  reply.set_stopped_early(budget.exhausted());
  return reply;
}

void AddRankBits(const Machine& machine, const Request& request,
                 std::span<const NodeId> nodes, const NodeTable& table,
                 Budget budget, v1::AllocateReply& reply) {
  if (request.pattern == nullptr || nodes.empty()) return;
  auto problem = MakeMappingProblem(request.pattern,
                                    {nodes.begin(), nodes.end()}, std::nullopt);
  const auto mapper = MakeMapper(kDefaultMapper);
  if (!problem.ok() || !mapper.ok()) return;
  problem->seed = request.seed;
  const std::vector<std::uint32_t> bits = BitsOf(nodes, table);
  for (const NodeId node :
       (*mapper)->Map(machine.topology(), *problem, budget)) {
    reply.add_rank_bits(bits[PlaceOf(nodes, node)]);
  }
}

}  // namespace coolspan
