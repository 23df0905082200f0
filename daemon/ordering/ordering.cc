// SPDX-License-Identifier: GPL-3.0-or-later
#include "ordering/ordering.h"

#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace coolspan {

Ordering::Ordering(std::string name, std::vector<NodeId> node_at_rank,
                   std::vector<Rank> rank_of_node,
                   std::optional<OrderingProof> proof)
    : name_(std::move(name)),
      node_at_rank_(std::move(node_at_rank)),
      rank_of_node_(std::move(rank_of_node)),
      proof_(proof) {}

absl::StatusOr<Ordering> Ordering::Create(std::string name,
                                          std::vector<NodeId> node_at_rank,
                                          std::optional<OrderingProof> proof) {
  constexpr Rank kNone = std::numeric_limits<Rank>::max();
  const std::size_t count = node_at_rank.size();
  std::vector<Rank> rank_of_node(count, kNone);
  std::size_t repeated = count;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const NodeId node = node_at_rank[rank];
    if (node >= count) {
      return absl::InvalidArgumentError(
          absl::StrCat("ordering ", name, ": node ", node, " at rank ", rank,
                       " is not one of the ", count, " nodes"));
    }
    if (rank_of_node[node] != kNone) {
      if (repeated == count) repeated = rank;
    } else {
      rank_of_node[node] = static_cast<Rank>(rank);
    }
  }
  if (repeated != count) {
    const NodeId node = node_at_rank[repeated];
    return absl::InvalidArgumentError(absl::StrCat(
        "ordering ", name, ": node ", node, " is at ranks ", rank_of_node[node],
        " and ", repeated, " (expected every node once)"));
  }
  return Ordering(std::move(name), std::move(node_at_rank),
                  std::move(rank_of_node), proof);
}

}  // namespace coolspan
