// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_RANK_GRAPH_H_
#define COOLSPAN_MAPPING_RANK_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/comm_pattern.h"

namespace coolspan {

// The ranks of a pattern as an undirected graph: hop distances are symmetric,
// so only the volume of both directions together matters. Filled up with ranks
// that do not communicate, for slots that stay empty. Immutable.
class RankGraph {
 public:
  struct Edge {
    TaskRank to = 0;
    double bytes = 0;  // both directions, above 0
  };

  // REQUIRES size >= pattern.ranks().
  RankGraph(const CommPattern& pattern, std::uint32_t size);

  std::uint32_t size() const {
    return static_cast<std::uint32_t>(first_.size() - 1);
  }
  std::size_t edges() const { return edges_.size() / 2; }
  // Ascending by rank.
  std::span<const Edge> EdgesOf(TaskRank rank) const {
    return std::span(edges_).subspan(first_[rank],
                                     first_[rank + 1] - first_[rank]);
  }
  // The sum over the edges of a rank.
  double Traffic(TaskRank rank) const { return traffic_[rank]; }
  // Whether all pairs have the same bytes.
  bool IsUniform() const;
  // The same ranks with the heaviest edges of each.
  RankGraph Heaviest(std::size_t per_rank) const;
  // Of two ranks; 0 without an edge.
  double Between(TaskRank a, TaskRank b) const;

 private:
  // edges: each once, from < to, sorted.
  RankGraph(std::span<const RankVolume> edges, std::uint32_t size);

  std::vector<std::size_t> first_;
  std::vector<Edge> edges_;  // each in both directions
  std::vector<double> traffic_;
};

// Leaves the `count` edges with most bytes, heaviest first; of equal ones those
// to lower ranks.
void KeepHeaviest(std::vector<RankGraph::Edge>& edges, std::size_t count);
// Sorts the edges and leaves one for each pair of ranks.
void KeepEachOnce(std::vector<RankVolume>& edges);

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_RANK_GRAPH_H_
