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

// A part of the choices: for each cut a range for the number of nodes inside
// it, and where that does not tell choices apart ranges for single vertices.
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
  // What to split next: a cut, or (cut = number of cuts) a vertex; the first
  // half goes up to `at`.
  std::size_t split_cut = 0;
  std::uint32_t split_place = 0;
  std::int64_t split_at = 0;

  std::size_t Bytes() const {
    return sizeof(*this) + inside.size() * (sizeof(Range) + sizeof(slopes[0])) +
           vertices.size() * sizeof(VertexRange);
  }
};

// The lower bound of cut_search.h. Keeps scratch memory: one a search.
class LagrangianBound {
 public:
  static constexpr std::uint64_t kInfeasible = ~std::uint64_t{0};
  struct Result {
    std::uint64_t bound;        // kInfeasible: there is no such choice
    std::uint64_t taken_total;  // of taken(); kInfeasible: there is none
    std::uint64_t work;         // units
  };

  LagrangianBound(const GridCuts& cuts, const VertexPool& pool,
                  NodeCount nodes);

  Subproblem Whole() const;
  // Narrows the ranges to what is possible, finds slopes that give a good bound
  // and what to split. Ends early when the bound reaches target.
  Result Evaluate(Subproblem& problem, std::uint64_t target);
  // The best choice that was seen in the last Evaluate, by place.
  std::vector<NodeCount> Taken() const;
  std::pair<Subproblem, Subproblem> Split(const Subproblem& problem) const;

 private:
  // Slopes, costs and bounds are doubled totals times this, whole numbers.
  static constexpr std::int64_t kFixedPoint = 16;

  bool Narrow(Subproblem& problem);
  bool CollectActive(const Subproblem& problem);
  void FindAllowedPlaces(const Subproblem& problem);
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
  std::vector<std::uint32_t> row_starts_;  // on the last axis, by place

  std::vector<NodeCount> low_;  // by vertex
  std::vector<NodeCount> high_;
  // Of the subproblem looked at.
  std::vector<std::uint32_t> active_;
  std::vector<std::vector<char>> allowed_;  // by axis and place
  std::vector<std::vector<std::int64_t>> low_at_;
  std::vector<std::vector<std::int64_t>> high_at_;
  std::vector<std::vector<std::int64_t>> taken_at_;
  std::vector<std::int64_t> low_inside_;  // by cut
  std::vector<std::int64_t> high_inside_;
  std::vector<std::int64_t> taken_inside_;
  std::vector<std::vector<std::int64_t>> costs_at_;
  std::int64_t low_total_ = 0;  // of all vertices
  std::int64_t low_sum_ = 0;    // of those active
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
