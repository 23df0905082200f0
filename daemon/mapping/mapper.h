// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_MAPPER_H_
#define COOLSPAN_MAPPING_MAPPER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/budget.h"
#include "core/comm_pattern.h"
#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// The ranks of a job and the nodes that they can run on.
struct MappingProblem {
  std::shared_ptr<const CommPattern> pattern;  // not null
  std::vector<NodeId> nodes;                   // ascending, each once
  // The maximum number of ranks on each of the nodes.
  std::vector<std::uint32_t> slots;
  std::uint64_t seed = 0;
};

// The maximum number of slots of a problem in total.
inline constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 24;

// The same number of slots on each node. ranks_per_node: none: as many as make
// the ranks come out even, or 1 if there are no more ranks than nodes. Errors:
// INVALID_ARGUMENT for more ranks than slots, more than kMaxSlots and no nodes.
absl::StatusOr<MappingProblem> MakeMappingProblem(
    std::shared_ptr<const CommPattern> pattern, std::vector<NodeId> nodes,
    std::optional<std::uint32_t> ranks_per_node);

// The node of each rank.
using RankToNode = std::vector<NodeId>;

// Chooses the node of each rank: as many ranks on a node as it has slots, or
// fewer. The same problem and budget give the same answer. Thread-safe.
class Mapper {
 public:
  virtual ~Mapper() = default;
  // A search stops when the budget is exhausted and returns its best answer.
  // REQUIRES a problem with at least as many slots as ranks, on nodes of the
  // topology.
  virtual RankToNode Map(const Topology& topology,
                         const MappingProblem& problem,
                         Budget& budget) const = 0;
};

// The cost of a mapping, in bytes x hops: the sum over ordered pairs of ranks
// of the volume times the hop distance of their nodes (joint-bqp-task-mapping,
// section 4.3).
double MappingCost(const Topology& topology, const CommPattern& pattern,
                   std::span<const NodeId> rank_to_node);

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_MAPPER_H_
