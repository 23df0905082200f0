// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/optimal/cut_search.h"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "policy/optimal/grid_cuts.h"
#include "policy/optimal/lagrangian_bound.h"

namespace coolspan {
namespace {

constexpr std::uint64_t kMaxOpenBytes = std::uint64_t{256} << 20;

class CutSearch {
 public:
  CutSearch(const Topology& topology, const VertexPool& pool, NodeCount nodes,
            VertexSet start)
      : topology_(topology),
        pool_(pool),
        nodes_(nodes),
        cuts_(*topology.grid(), pool),
        bound_(cuts_, pool, nodes),
        best_(std::move(start)) {}

  Proof Run(Budget& budget);

 private:
  struct Open {
    std::uint64_t bound;  // of the total
    std::uint64_t sequence;
    Subproblem problem;
  };
  // Lowest bound first; among equal bounds the newest, which is the deepest.
  struct Later {
    bool operator()(const Open& a, const Open& b) const {
      return a.bound != b.bound ? a.bound > b.bound : a.sequence < b.sequence;
    }
  };

  // Returns false when the budget or the memory for open subproblems is used
  // up.
  bool Consider(Subproblem problem, std::uint64_t bound_before, Budget& budget);
  void Keep(const std::vector<NodeCount>& taken, Budget& budget);

  const Topology& topology_;
  const VertexPool& pool_;
  NodeCount nodes_;
  GridCuts cuts_;
  LagrangianBound bound_;
  VertexSet best_;
  std::priority_queue<Open, std::vector<Open>, Later> open_;
  std::uint64_t sequence_ = 0;
  std::uint64_t open_bytes_ = 0;
  std::uint64_t unexplored_ = ~std::uint64_t{0};
};

Proof CutSearch::Run(Budget& budget) {
  if (best_.total == 0) return {std::move(best_), 0, 0};
  bool proceed = Consider(bound_.Whole(), 0, budget);
  while (proceed && !open_.empty() && open_.top().bound < best_.total) {
    const std::uint64_t bound = open_.top().bound;
    const Subproblem problem = open_.top().problem;
    open_.pop();
    open_bytes_ -= problem.Bytes();
    unexplored_ = bound;
    auto [first, second] = bound_.Split(problem);
    proceed = Consider(std::move(first), bound, budget) &&
              Consider(std::move(second), bound, budget);
    if (proceed) unexplored_ = ~std::uint64_t{0};
  }
  Proof proof;
  proof.subproblems = sequence_;
  proof.lower_bound = std::min(best_.total, unexplored_);
  if (!open_.empty()) {
    proof.lower_bound = std::min(proof.lower_bound, open_.top().bound);
  }
  proof.best = std::move(best_);
  return proof;
}

bool CutSearch::Consider(Subproblem problem, std::uint64_t bound_before,
                         Budget& budget) {
  ++sequence_;
  const LagrangianBound::Result result = bound_.Evaluate(problem, best_.total);
  if (result.taken_total < best_.total) Keep(bound_.Taken(), budget);
  const std::uint64_t bound = std::max(bound_before, result.bound);
  if (bound < best_.total) {
    open_bytes_ += problem.Bytes();
    open_.push({bound, sequence_, std::move(problem)});
  }
  return budget.Spend(result.work) && open_bytes_ <= kMaxOpenBytes;
}

void CutSearch::Keep(const std::vector<NodeCount>& taken, Budget& budget) {
  CompactSet set(topology_, pool_, nodes_);
  set.Take(taken);
  set.Improve(budget);
  best_ = {set.taken(), set.total()};
}

}  // namespace

Proof SearchCuts(const Topology& topology, const VertexPool& pool,
                 NodeCount nodes, VertexSet start, Budget& budget) {
  return CutSearch(topology, pool, nodes, std::move(start)).Run(budget);
}

}  // namespace coolspan
