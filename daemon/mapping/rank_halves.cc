// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/rank_halves.h"

#include <algorithm>
#include <utility>

namespace coolspan {

RankHalves::RankHalves(const RankGraph& graph, std::span<const TaskRank> ranks,
                       std::span<const std::uint32_t> index_of,
                       std::span<const double> pull,
                       std::vector<bool> is_second)
    : graph_(graph),
      ranks_(ranks),
      index_of_(index_of),
      pull_(pull),
      is_second_(std::move(is_second)) {}

double RankHalves::GainOf(std::uint32_t index) const {
  double crossing = 0;
  for (const RankGraph::Edge& edge : graph_.EdgesOf(ranks_[index])) {
    if (!HasIndex(edge.to)) continue;
    const bool crosses = is_second_[index_of_[edge.to]] != is_second_[index];
    crossing += crosses ? edge.bytes : -edge.bytes;
  }
  return crossing + (is_second_[index] ? pull_[index] : -pull_[index]);
}

void RankHalves::StartPass() {
  const auto count = static_cast<std::uint32_t>(ranks_.size());
  gains_.resize(count);
  moved_.assign(count, false);
  std::vector<Move> of_part[2];
  for (std::uint32_t i = 0; i < count; ++i) {
    gains_[i] = GainOf(i);
    of_part[is_second_[i] ? 1 : 0].emplace_back(gains_[i], i);
    work_ += graph_.EdgesOf(ranks_[i]).size();
  }
  for (const int part : {0, 1}) {
    moves_[part] = Moves(std::less<Move>(), std::move(of_part[part]));
  }
}

std::uint32_t RankHalves::BestOf(bool second) {
  Moves& moves = moves_[second ? 1 : 0];
  while (!moves.empty()) {
    const auto [gain, index] = moves.top();
    // Gains change while a move waits; the newest entry is right.
    if (!moved_[index] && is_second_[index] == second &&
        gains_[index] == gain) {
      return index;
    }
    moves.pop();
  }
  return static_cast<std::uint32_t>(ranks_.size());
}

void RankHalves::Apply(std::uint32_t index) {
  is_second_[index] = !is_second_[index];
  moved_[index] = true;
  gains_[index] = -gains_[index];
  const std::span<const RankGraph::Edge> edges = graph_.EdgesOf(ranks_[index]);
  work_ += edges.size();
  for (const RankGraph::Edge& edge : edges) {
    if (!HasIndex(edge.to)) continue;
    const std::uint32_t other = index_of_[edge.to];
    const bool crosses = is_second_[other] != is_second_[index];
    gains_[other] += (crosses ? 2 : -2) * edge.bytes;
    if (moved_[other]) continue;
    moves_[is_second_[other] ? 1 : 0].emplace(gains_[other], other);
  }
}

void RankHalves::Balance(std::size_t first_count) {
  auto first = static_cast<std::size_t>(
      std::count(is_second_.begin(), is_second_.end(), false));
  if (first == first_count) return;
  StartPass();
  while (first != first_count) {
    const bool from_second = first < first_count;
    Apply(BestOf(from_second));
    first = from_second ? first + 1 : first - 1;
  }
}

bool RankHalves::ImproveOnce() {
  StartPass();
  const std::size_t patience = 25 + ranks_.size() / 16;
  std::vector<std::uint32_t> made;
  double saved = 0;
  double most_saved = 0;
  std::size_t kept = 0;
  while (made.size() < kept + 2 * patience) {
    const std::uint32_t from_first = BestOf(false);
    if (from_first == ranks_.size() || BestOf(true) == ranks_.size()) break;
    saved += gains_[from_first];
    Apply(from_first);
    // Of the ranks that were in the second part before.
    const std::uint32_t from_second = BestOf(true);
    saved += gains_[from_second];
    Apply(from_second);
    made.insert(made.end(), {from_first, from_second});
    // Not for differences by rounding.
    constexpr double kLeast = 1e-9;
    if (saved > most_saved * (1 + kLeast) + kLeast) {
      most_saved = saved;
      kept = made.size();
    }
  }
  for (std::size_t i = kept; i < made.size(); ++i) {
    is_second_[made[i]] = !is_second_[made[i]];
  }
  return kept > 0;
}

void RankHalves::Improve(Budget& budget) {
  constexpr int kMaxPasses = 3;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    work_ = 0;
    const bool improved = ImproveOnce();
    if (!budget.Spend(work_) || !improved) return;
  }
}

}  // namespace coolspan
