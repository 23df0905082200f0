// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "policy/centre/centre_search.h"
#include "policy/centre/grid_centre.h"
#include "policy/centre/grid_centres.h"
#include "policy/centre/grid_scores.h"
#include "policy/centre/tied_centres.h"
#include "policy/distance/ball_tables.h"
#include "policy/distance/box_counts.h"
#include "policy/paid_work.h"
#include "policy/parallel.h"

namespace coolspan {
namespace {

// Vertices visited per thread at a time: enough to be worth a thread.
constexpr std::uint64_t kPieceVisits = std::uint64_t{1} << 15;
// Lower bounds per thread at a time.
constexpr std::size_t kPieceOfBounds = 512;
// Centres of the lowest bounds, scored first.
constexpr std::size_t kPromising = 64;
// Centres scored before the limit is updated and work is spent.
constexpr std::size_t kBatch = 1024;
// Approximate work units spent at a time. The time limit ends a batch earlier.
constexpr std::uint64_t kBatchWork = std::uint64_t{1} << 22;
// Lower bounds spent at a time.
constexpr std::size_t kBounds = 8192;
// Centres scored before anything else, to have an early answer: one of so many,
// and at most so many.
constexpr std::size_t kCentresPerSample = 1024;
constexpr std::size_t kSamples = 8;

class GridSearch {
 public:
  GridSearch(const Topology& topology, const GridPlaces& places,
             const CentreRule& rule, Budget& budget)
      : topology_(topology),
        places_(places),
        rule_(rule),
        budget_(budget),
        at_(places),
        centres_(CentresOf(places, rule.centres)) {}

  CentreFound Run() {
    ScoreSamples();
    if (rule_.score == CentreRule::Score::kShellSum) {
      MinimizeShellSum();
    } else {
      MinimizePairwise();
      if (rule_.ties == CentreRule::Ties::kPerimeter) BreakTies();
    }
    return Collect();
  }

 private:
  void ScoreSamples();
  void MinimizeShellSum();
  bool TakesTheCentreAlone() const;
  template <typename Score>
  void ScoreTied(std::span<const VertexId> tied, Score score,
                 std::uint64_t visits);
  void MinimizePairwise();
  void BreakTies();
  template <typename Count>
  void MinimizePairwise(std::uint32_t radius);
  std::size_t BatchSize() const {
    return std::clamp<std::size_t>(kBatchWork / places_.sites->wanted, kSamples,
                                   kBatch);
  }
  template <typename Score>
  bool ScoreAll(std::span<const VertexId> centres, Score&& score,
                std::uint64_t visits);
  // Vertices visited around one centre, on average.
  std::uint64_t VisitsOfCentre() const {
    const FreeSites& sites = *places_.sites;
    return 1 + std::uint64_t{sites.wanted} * sites.capacity.size() /
                   sites.free_count;
  }
  // The same if the last part is taken vertex by vertex, where a distance costs
  // about half a visit.
  std::uint64_t VisitsByVertex() const {
    return VisitsOfCentre() + WorkOfLastShell(places_) / 2;
  }
  CentreFound Collect();

  const Topology& topology_;
  const GridPlaces& places_;
  const CentreRule& rule_;
  Budget& budget_;
  GridCentre at_;                        // of the calling thread
  const std::vector<VertexId> centres_;  // ascending
  ScoredCentre best_;
  std::vector<VertexId> ties_;  // all centres with the score of best_
  std::uint64_t scored_ = 0;
};

void GridSearch::ScoreSamples() {
  best_.centre = centres_.front();
  std::vector<VertexId> samples;
  const std::size_t count =
      std::clamp<std::size_t>(centres_.size() / kCentresPerSample, 1, kSamples);
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(centres_[i * centres_.size() / count]);
  }
  ScoreAll(samples, ScoreByWalking, VisitsOfCentre());
}

// Scores centres by pairwise distance with score(GridCentre&, centre, limit),
// the limit being the best total so far; false: the budget ended first, maybe
// after some of them. visits: what one centre costs.
template <typename Score>
bool GridSearch::ScoreAll(std::span<const VertexId> centres, Score&& score,
                          std::uint64_t visits) {
  if (!budget_.Spend(centres.size() * std::uint64_t{places_.sites->wanted})) {
    return false;
  }
  const std::size_t piece = std::max<std::uint64_t>(kPieceVisits / visits, 1);
  struct PieceResult {
    ScoredCentre best;
    std::vector<VertexId> ties;
    std::size_t scored = 0;
  };
  std::vector<PieceResult> results((centres.size() + piece - 1) / piece);
  ForEachPiece(centres.size(), piece, [&](std::size_t begin, std::size_t end) {
    PaidWork paid(budget_);
    std::optional<GridCentre> of_piece;
    GridCentre& centre = results.size() == 1 ? at_ : of_piece.emplace(places_);
    auto& [best, ties, scored] = results[begin / piece];
    for (std::size_t i = begin; i < end && paid.Continue(visits); ++i) {
      const std::uint64_t limit = std::min(best_.total, best.total);
      const ScoredCentre one{0, score(centre, centres[i], limit), centres[i]};
      ++scored;
      if (one.total > best.total) continue;
      if (one.total < best.total) ties.clear();
      ties.push_back(one.centre);
      best = std::min(best, one);
    }
  });
  for (const PieceResult& result : results) {
    scored_ += result.scored;
    if (result.best.total > best_.total) continue;
    if (result.best.total < best_.total) ties_.clear();
    ties_.insert(ties_.end(), result.ties.begin(), result.ties.end());
    best_ = std::min(best_, result.best);
  }
  return budget_.Spend(0);
}

// With k nodes to choose and n_r free nodes in shells 0 to r around a centre,
//   sum over chosen v of shell(v) = sum over r >= 0 of max(0, k - n_r)
// and the same holds for the required nodes, with k their number. So counting
// the boxes around all vertices, shell by shell, gives the sums of all centres.
void GridSearch::MinimizeShellSum() {
  const FreeSites& sites = *places_.sites;
  const std::uint64_t vertices = sites.capacity.size();
  std::vector<std::uint64_t> sums(centres_.size(), 0);
  std::vector<NodeCount> required_at(vertices, 0);
  NodeCount required = 0;
  for (const VertexNodes& site : sites.required) {
    required_at[site.vertex] = site.count;
    required += site.count;
  }
  BoxCounts boxes(places_.axes, sites.capacity);
  BoxCounts boxes_of_required(places_.axes, required_at);
  const std::uint64_t work = required == 0 ? vertices : 2 * vertices;
  std::uint64_t min_sum = ScoredCentre::kNever;
  std::uint32_t shell = 0;
  for (;; ++shell) {
    if (!budget_.Spend(work)) break;
    const std::vector<NodeCount>& counts = boxes.Count(shell);
    const std::vector<NodeCount>& required_counts =
        required == 0 ? required_at : boxes_of_required.Count(shell);
    std::uint64_t min_open = ScoredCentre::kNever;
    for (std::size_t i = 0; i < centres_.size(); ++i) {
      const VertexId centre = centres_[i];
      const NodeCount outside = sites.wanted -
                                std::min(sites.wanted, counts[centre]) +
                                required - required_counts[centre];
      if (outside == 0) {
        min_sum = std::min(min_sum, sums[i]);
      } else {
        sums[i] += outside;
        min_open = std::min(min_open, sums[i]);
      }
    }
    if (min_open > min_sum || min_open == ScoredCentre::kNever) break;
  }
  if (min_sum == ScoredCentre::kNever) return;
  std::vector<VertexId> tied;
  for (std::size_t i = 0; i < centres_.size(); ++i) {
    if (sums[i] == min_sum) tied.push_back(centres_[i]);
  }
  if (rule_.ties == CentreRule::Ties::kPerimeter && TakesTheCentreAlone()) {
    ScoreTied(tied, ScoreOfOne, 1);
  } else if (rule_.ties == CentreRule::Ties::kPerimeter) {
    ScoreTied(FewestFreeAround(places_, std::move(tied), shell + 1),
              ScoreByPerimeter, VisitsByVertex());
  } else {
    ScoreTied(tied, ScoreByWalking, VisitsOfCentre());
  }
}

bool GridSearch::TakesTheCentreAlone() const {
  return rule_.centres == CentreRule::Centres::kFree &&
         places_.sites->wanted == 1 && places_.sites->required.empty() &&
         std::all_of(places_.axes.begin(), places_.axes.end(),
                     [](const GridAxis& axis) {
                       return axis.before == 0 && axis.after == 0;
                     });
}

template <typename Score>
void GridSearch::ScoreTied(std::span<const VertexId> tied, Score score,
                           std::uint64_t visits) {
  best_ = {0, ScoredCentre::kNever, tied.front()};
  ties_.clear();
  while (!tied.empty()) {
    const std::size_t batch = std::min(tied.size(), BatchSize());
    if (!ScoreAll(tied.first(batch), score, visits)) return;
    tied = tied.subspan(batch);
  }
}

// Chooses the radius of the tables: enough for balls of average density and for
// most of the larger balls at corners of the grid, within a memory limit.
void GridSearch::MinimizePairwise() {
  constexpr std::uint64_t kMinBytes = std::uint64_t{64} << 20;
  constexpr std::uint64_t kBytesPerVertex = 80;
  const FreeSites& sites = *places_.sites;
  const std::uint64_t vertices = sites.capacity.size();
  const std::vector<std::uint64_t> balls = BallSizes(places_.axes);
  const std::uint64_t average_ball =
      (sites.wanted * vertices + sites.free_count - 1) / sites.free_count;
  auto radius = static_cast<std::uint64_t>(
      std::lower_bound(balls.begin(), balls.end(), average_ball) -
      balls.begin());
  radius += 1 + radius / 2;
  const std::uint64_t max_bytes =
      std::max(kMinBytes, kBytesPerVertex * vertices);
  const auto radius_within_limit = [&](std::uint64_t bytes_for_radius) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(
        {radius, balls.size() - 1, max_bytes / bytes_for_radius - 1}));
  };
  using Small = std::uint16_t;
  const std::uint32_t small =
      radius_within_limit(BallTables<Small>::BytesForRadius(places_));
  if (balls[small] * sites.max_at_a_vertex <=
      std::numeric_limits<Small>::max()) {
    MinimizePairwise<Small>(small);
  } else {
    using Large = std::uint32_t;
    MinimizePairwise<Large>(
        radius_within_limit(BallTables<Large>::BytesForRadius(places_)));
  }
}

template <typename Count>
void GridSearch::MinimizePairwise(std::uint32_t radius) {
  const auto tables = BallTables<Count>::Make(places_, radius, budget_);
  if (!tables) return;
  const auto score = [&tables](GridCentre& at, VertexId v,
                               std::uint64_t limit) {
    if (!at.LookUp(v, *tables)) at.Walk(v);
    return at.Total(limit);
  };
  std::vector<std::uint64_t> bounds(centres_.size());
  const std::uint64_t work_of_bound =
      1 + std::uint64_t{radius} * radius / 4 * places_.axes.size();
  for (std::size_t from = 0; from < centres_.size(); from += kBounds) {
    const std::size_t count = std::min(kBounds, centres_.size() - from);
    if (!budget_.Spend(count)) return;
    ForEachPiece(count, kPieceOfBounds,
                 [&](std::size_t begin, std::size_t end) {
                   PaidWork paid(budget_);
                   GridCentre centre(places_);
                   for (std::size_t i = from + begin;
                        i < from + end && paid.Continue(work_of_bound); ++i) {
                     centre.LookUp(centres_[i], *tables);
                     bounds[i] = centre.LowerBound();
                   }
                 });
    if (!budget_.Spend(0)) return;
  }
  // The centres of the lowest bounds first; then the others in vertex order,
  // which suits the caches. Centres with a bound above the best total are
  // skipped.
  std::vector<std::uint32_t> order(centres_.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t promising = std::min(kPromising, order.size());
  const auto last_promising =
      order.begin() + static_cast<std::ptrdiff_t>(promising) - 1;
  std::nth_element(order.begin(), last_promising, order.end(),
                   [&bounds](std::uint32_t a, std::uint32_t b) {
                     return bounds[a] != bounds[b] ? bounds[a] < bounds[b]
                                                   : a < b;
                   });
  order.resize(promising);
  std::sort(order.begin(), order.end());
  std::vector<VertexId> next;
  for (const std::uint32_t i : order) {
    next.push_back(centres_[i]);
    bounds[i] = ScoredCentre::kNever;
  }
  if (!ScoreAll(next, score, VisitsOfCentre())) return;
  next.clear();
  for (std::size_t i = 0; i < centres_.size(); ++i) {
    if (bounds[i] <= best_.total) next.push_back(centres_[i]);
    const bool last = i + 1 == centres_.size();
    if (next.size() < BatchSize() && !(last && !next.empty())) continue;
    if (!ScoreAll(next, score, VisitsOfCentre())) return;
    next.clear();
  }
}

// Among the centres of the minimum total: by the total after the last part is
// chosen once more, then by the free perimeter.
void GridSearch::BreakTies() {
  if (ties_.size() < 2) return;
  const ScoredCentre first = best_;
  const auto finished = [this](GridCentre& at, VertexId centre) {
    ScoreByWalking(at, centre, ScoredCentre::kNever);
    Budget all;
    return FinishCentre(topology_, centre, at.collected(), all);
  };
  const auto total = [&](GridCentre& at, VertexId centre, std::uint64_t) {
    return *finished(at, centre).pairwise_total;
  };
  const auto perimeter = [&](GridCentre& at, VertexId centre, std::uint64_t) {
    return at.PerimeterOf(finished(at, centre).chosen);
  };
  std::uint32_t shells = 1;
  while (std::pow(2 * shells + 1, places_.axes.size()) <
         places_.sites->wanted) {
    ++shells;
  }
  ScoreTied(FewestFreeAround(places_, std::move(ties_), shells + 1), total,
            VisitsByVertex());
  if (ties_.size() > 1) {
    ScoreTied(std::vector<VertexId>(ties_), perimeter, VisitsByVertex());
  }
  if (best_.total == ScoredCentre::kNever) best_ = first;
}

CentreFound GridSearch::Collect() {
  const CentreRule::Ties ties = rule_.score == CentreRule::Score::kShellSum
                                    ? rule_.ties
                                    : CentreRule::Ties::kPairwise;
  CentreFound found =
      CollectAt(at_, topology_, places_, ties, best_.centre, budget_);
  found.centres = centres_.size();
  found.scored = scored_;
  return found;
}

}  // namespace

CentreFound SearchGrid(const Topology& topology, const GridPlaces& places,
                       const CentreRule& rule, Budget& budget) {
  return GridSearch(topology, places, rule, budget).Run();
}

}  // namespace coolspan
