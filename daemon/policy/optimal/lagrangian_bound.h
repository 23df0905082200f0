// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_OPTIMAL_LAGRANGIAN_BOUND_H_
#define COOLSPAN_POLICY_OPTIMAL_LAGRANGIAN_BOUND_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "locality/compact_set.h"
#include "policy/optimal/grid_cuts.h"

namespace coolspan {

// A subset of the choices: a range of the number of nodes inside each cut and,
// where cuts are not enough, ranges for single vertices.
struct Subproblem {
  struct Range {
    std::int64_t low;
    std::int64_t high;
  };
  struct VertexRange {
    std::uint32_t place;
    NodeCount low;
    NodeCount high;
  };
  std::vector<Range> inside;         // by cut
  std::vector<std::int64_t> slopes;  // by cut, in LagrangianBound's fixed point
  std::vector<VertexRange> vertices;
  // The next split: of a cut, or of a vertex if split_cut is the number of
  // cuts. The first half goes up to split_at.
  std::size_t split_cut = 0;
  std::uint32_t split_place = 0;
  std::int64_t split_at = 0;

  std::size_t Bytes() const {
    return sizeof(*this) + inside.size() * (sizeof(Range) + sizeof(slopes[0])) +
           vertices.size() * sizeof(VertexRange);
  }
};

// The lower bound described in cut_search.h. Keeps scratch memory: one per
// search; not thread-safe.
class LagrangianBound {
 public:
  static constexpr std::uint64_t kInfeasible = ~std::uint64_t{0};
  struct Result {
    std::uint64_t bound;        // kInfeasible: no choice
    std::uint64_t taken_total;  // of Taken(); kInfeasible: none
    std::uint64_t work;         // budget units
  };

  LagrangianBound(const GridCuts& cuts, const VertexPool& pool,
                  NodeCount nodes);

  Subproblem Whole() const;
  // Narrows the ranges to feasible values, improves the slopes and chooses the
  // next split. Ends early when the bound reaches target.
  Result Evaluate(Subproblem& problem, std::uint64_t target);
  // The best choice found by the last Evaluate, by place.
  std::vector<NodeCount> Taken() const;
  std::pair<Subproblem, Subproblem> Split(const Subproblem& problem) const;

 private:
  // Slopes, costs and bounds are integers: doubled totals times this.
  static constexpr std::int64_t kFixedPoint = 16;

  bool Narrow(Subproblem& problem);
  bool CollectActive(const Subproblem& problem);
  void FindAllowedPositions(const Subproblem& problem);
  bool NarrowCuts(Subproblem& problem) const;
  bool NarrowLine(const GridCuts::Axis& axis, Subproblem& problem) const;
  void SetVertexRanges(const Subproblem& problem);
  void ResetVertexRanges(const Subproblem& problem);

  std::int64_t ChordSlope(const Subproblem& problem, std::size_t cut) const;
  std::int64_t TermAt(std::size_t cut, std::int64_t inside) const;
  std::int64_t LineAt(const Subproblem& problem, std::size_t cut,
                      std::int64_t inside) const;
  std::int64_t BoundByRanges(const Subproblem& problem) const;
  std::int64_t BoundBySlopes(const Subproblem& problem);
  void TakeCheapest();
  void KeepIfBetter();
  bool StepSlopes(Subproblem& problem, double step) const;
  double SquaredGradient(const Subproblem& problem) const;
  std::int64_t Gradient(const Subproblem& problem, std::size_t cut) const;
  void ChooseSplit(Subproblem& problem) const;
  bool ChooseWideCut(Subproblem& problem) const;
  bool ChooseCutByGap(Subproblem& problem) const;
  void ChooseVertex(Subproblem& problem) const;

  const GridCuts& cuts_;
  const VertexPool& pool_;
  const std::int64_t nodes_;
  std::vector<std::uint32_t> row_starts_;  // by position on the last axis

  std::vector<NodeCount> low_;  // by vertex
  std::vector<NodeCount> high_;
  // Of the present subproblem.
  std::vector<std::uint32_t> active_;
  std::vector<std::vector<char>> allowed_;  // by axis and position
  std::vector<std::vector<std::int64_t>> low_at_;
  std::vector<std::vector<std::int64_t>> high_at_;
  std::vector<std::vector<std::int64_t>> taken_at_;
  std::vector<std::int64_t> low_inside_;  // by cut
  std::vector<std::int64_t> high_inside_;
  std::vector<std::int64_t> taken_inside_;
  std::vector<std::vector<std::int64_t>> costs_at_;
  std::int64_t low_total_ = 0;  // of all vertices
  std::int64_t low_sum_ = 0;    // of active vertices
  std::int64_t high_sum_ = 0;
  struct Offer {
    std::int64_t cost;
    std::uint32_t place;
    NodeCount nodes;
  };
  std::vector<Offer> offers_;
  struct TakenAt {
    std::uint32_t place;
    NodeCount nodes;
  };
  std::vector<TakenAt> taken_;
  std::vector<TakenAt> best_taken_;
  std::uint64_t best_total_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_OPTIMAL_LAGRANGIAN_BOUND_H_
