// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_MAPPING_RANK_HALVES_H_
#define COOLSPAN_MAPPING_RANK_HALVES_H_

#include <cstddef>
#include <cstdint>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "core/budget.h"
#include "mapping/rank_graph.h"

namespace coolspan {

// Two parts of some ranks that are to be placed on two halves of a region. The
// cost is the bytes that cross the cut, plus what the traffic with ranks
// elsewhere costs. Moves have the gains of Fiduccia and Mattheyses (A
// linear-time heuristic for improving network partitions, 1982).
class RankHalves {
 public:
  // pull: for each of the ranks, the cost of its traffic with other ranks if it
  // is in the second half less that if it is in the first one. index_of: of
  // each of the ranks in `ranks`; other values are ignored. All must outlive
  // it.
  RankHalves(const RankGraph& graph, std::span<const TaskRank> ranks,
             std::span<const std::uint32_t> index_of,
             std::span<const double> pull, std::vector<bool> is_second);

  // Moves ranks until the first part has first_count of them.
  void Balance(std::size_t first_count);
  // Swaps ranks of the two parts while the cost decreases.
  void Improve(Budget& budget);
  const std::vector<bool>& is_second() const { return is_second_; }

 private:
  using Move = std::pair<double, std::uint32_t>;  // gain, index
  using Moves = std::priority_queue<Move>;

  double GainOf(std::uint32_t index) const;
  // ranks.size() if no rank of this part can move.
  std::uint32_t BestOf(bool second);
  void Apply(std::uint32_t index);
  void StartPass();
  bool ImproveOnce();
  bool HasIndex(TaskRank rank) const {
    const std::uint32_t index = index_of_[rank];
    return index < ranks_.size() && ranks_[index] == rank;
  }

  const RankGraph& graph_;
  std::span<const TaskRank> ranks_;
  std::span<const std::uint32_t> index_of_;
  std::span<const double> pull_;
  std::vector<bool> is_second_;
  std::vector<double> gains_;
  std::vector<bool> moved_;
  Moves moves_[2];
  std::uint64_t work_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_MAPPING_RANK_HALVES_H_
