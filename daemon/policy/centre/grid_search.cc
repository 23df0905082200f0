// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "policy/centre/centre_search.h"
#include "policy/centre/grid_centre.h"
#include "policy/distance/ball_tables.h"
#include "policy/distance/box_counts.h"
#include "policy/parallel.h"

namespace coolspan {
namespace {

// Centres a thread takes at a time, and nodes that they collect, about: enough
// to be worth a thread.
constexpr std::size_t kPiece = 128;
constexpr std::uint64_t kPieceWork = std::uint64_t{1} << 17;
constexpr std::size_t kPieceOfBounds = 512;
// Centres scored before the best is looked at again.
constexpr std::size_t kPromising = 64;
constexpr std::size_t kBatch = 1024;
// Work units between two looks at the budget, about.
constexpr std::uint64_t kBatchWork = std::uint64_t{1} << 22;
// Lower bounds between two looks at the budget.
constexpr std::size_t kBounds = 8192;
// Centres scored before anything else, so that there is an answer early.
constexpr std::size_t kSamples = 8;

constexpr std::uint64_t kNoLimit = ScoredCentre::kNever;

std::uint64_t ScoreByWalking(GridCentre& at, VertexId centre,
                             std::uint64_t limit) {
  at.Walk(centre);
  return at.Total(limit);
}

class GridSearch {
 public:
  GridSearch(const Topology& topology, const GridPlaces& places,
             const CentreRule& rule, Budget& budget)
      : topology_(topology), places_(places), rule_(rule), budget_(budget) {}

  CentreFound Run() {
    ListCentres();
    ScoreSome();
    if (rule_.score == CentreRule::Score::kShellSum) {
      LeastShellSum();
    } else {
      LeastPairwise();
    }
    return Collect();
  }

 private:
  void ListCentres();
  void ScoreSome();
  bool IsCrossing(VertexId vertex,
                  std::span<const std::vector<bool>> coordinates) const;
  void LeastShellSum();
  void LeastPairwise();
  template <typename Count>
  void LeastPairwise(std::uint32_t radius);
  std::size_t BatchSize() const {
    return std::clamp<std::size_t>(kBatchWork / places_.sites->wanted, kSamples,
                                   kBatch);
  }
  template <typename Score>
  bool ScoreAll(std::span<const VertexId> centres, Score&& score);
  CentreFound Collect();

  const Topology& topology_;
  const GridPlaces& places_;
  const CentreRule& rule_;
  Budget& budget_;
  std::vector<VertexId> centres_;  // ascending
  ScoredCentre best_;
  std::uint64_t scored_ = 0;
};

void GridSearch::ListCentres() {
  const FreeSites& sites = *places_.sites;
  std::vector<std::vector<bool>> taken;
  for (const GridAxis& axis : places_.axes) {
    taken.emplace_back(axis.extent, false);
  }
  const auto vertices = static_cast<VertexId>(sites.capacity.size());
  auto required = sites.required.begin();
  for (VertexId vertex = 0; vertex < vertices; ++vertex) {
    bool has_nodes = sites.capacity[vertex] > 0;
    if (required != sites.required.end() && required->vertex == vertex) {
      has_nodes = true;
      ++required;
    }
    if (!has_nodes) continue;
    centres_.push_back(vertex);
    const auto at = places_.At(vertex);
    for (std::size_t d = 0; d < at.size(); ++d) taken[d][at[d]] = true;
  }
  if (rule_.centres == CentreRule::Centres::kFree) return;
  centres_.clear();
  for (VertexId vertex = 0; vertex < vertices; ++vertex) {
    if (IsCrossing(vertex, taken)) centres_.push_back(vertex);
  }
}

bool GridSearch::IsCrossing(
    VertexId vertex, std::span<const std::vector<bool>> coordinates) const {
  const auto at = places_.At(vertex);
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (!coordinates[d][at[d]]) return false;
  }
  return true;
}

void GridSearch::ScoreSome() {
  best_.centre = centres_.front();
  std::vector<VertexId> some;
  const std::size_t count = std::min(kSamples, centres_.size());
  for (std::size_t i = 0; i < count; ++i) {
    some.push_back(centres_[i * centres_.size() / count]);
  }
  ScoreAll(some, ScoreByWalking);
}

// Scores centres by pairwise distance, with score(GridCentre&, centre, limit)
// and the best total so far for a limit; false where the budget ended first.
template <typename Score>
bool GridSearch::ScoreAll(std::span<const VertexId> centres, Score&& score) {
  if (!budget_.Spend(centres.size() * std::uint64_t{places_.sites->wanted})) {
    return false;
  }
  const auto piece =
      std::clamp<std::size_t>(kPieceWork / places_.sites->wanted, 1, kPiece);
  std::vector<ScoredCentre> best_of_piece((centres.size() + piece - 1) / piece);
  ForEachPiece(centres.size(), piece, [&](std::size_t begin, std::size_t end) {
    GridCentre centre(places_);
    ScoredCentre& best = best_of_piece[begin / piece];
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t limit = std::min(best_.total, best.total);
      best = std::min(
          best, ScoredCentre{0, score(centre, centres[i], limit), centres[i]});
    }
  });
  for (const ScoredCentre& best : best_of_piece) best_ = std::min(best_, best);
  scored_ += centres.size();
  return true;
}

// Sum of shell numbers = sum over shells r of the nodes that are farther out,
// so it is known for all centres once boxes have been counted for all of them.
void GridSearch::LeastShellSum() {
  const std::uint64_t wanted = places_.sites->wanted;
  std::vector<std::uint64_t> sums(centres_.size(), 0);
  const std::uint64_t required = places_.sites->required.size();
  if (required > 0) {
    if (!budget_.Spend(required * centres_.size())) return;
    for (std::size_t i = 0; i < centres_.size(); ++i) {
      for (const VertexNodes& site : places_.sites->required) {
        sums[i] += std::uint64_t{site.count} *
                   places_.ShellOf(centres_[i], site.vertex);
      }
    }
  }
  BoxCounts boxes(places_);
  std::uint64_t least = ScoredCentre::kNever;
  for (std::uint32_t shell = 0;; ++shell) {
    if (!budget_.Spend(places_.sites->capacity.size())) break;
    const std::vector<NodeCount>& counts = boxes.Count(shell);
    std::uint64_t min_open = ScoredCentre::kNever;
    for (std::size_t i = 0; i < centres_.size(); ++i) {
      const NodeCount count = counts[centres_[i]];
      if (count >= wanted) {
        least = std::min(least, sums[i]);
      } else {
        sums[i] += wanted - count;
        min_open = std::min(min_open, sums[i]);
      }
    }
    if (min_open > least || min_open == ScoredCentre::kNever) break;
  }
  if (least == ScoredCentre::kNever) return;
  std::vector<VertexId> tied;
  for (std::size_t i = 0; i < centres_.size(); ++i) {
    if (sums[i] == least) tied.push_back(centres_[i]);
  }
  best_ = {0, ScoredCentre::kNever, tied.front()};
  std::span<const VertexId> rest = tied;
  while (!rest.empty()) {
    const std::size_t batch = std::min(rest.size(), BatchSize());
    if (!ScoreAll(rest.first(batch), ScoreByWalking)) return;
    rest = rest.subspan(batch);
  }
}

// With tables large enough for balls of the usual density, and for most of the
// larger ones that corners need, within a bound on memory.
void GridSearch::LeastPairwise() {
  constexpr std::uint64_t kMinBytes = std::uint64_t{64} << 20;
  constexpr std::uint64_t kBytesPerVertex = 80;
  const FreeSites& sites = *places_.sites;
  const std::uint64_t vertices = sites.capacity.size();
  const std::vector<std::uint64_t> balls = BallSizes(places_.axes);
  const std::uint64_t usual =
      (sites.wanted * vertices + sites.free_count - 1) / sites.free_count;
  auto radius = static_cast<std::uint64_t>(
      std::lower_bound(balls.begin(), balls.end(), usual) - balls.begin());
  radius += 1 + radius / 2;
  const std::uint64_t room = std::max(kMinBytes, kBytesPerVertex * vertices);
  const auto within = [&](std::uint64_t bytes_for_radius) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(
        {radius, balls.size() - 1, room / bytes_for_radius - 1}));
  };
  using Small = std::uint16_t;
  const std::uint32_t small =
      within(BallTables<Small>::BytesForRadius(places_));
  if (balls[small] * sites.max_at_a_vertex <=
      std::numeric_limits<Small>::max()) {
    LeastPairwise<Small>(small);
  } else {
    using Large = std::uint32_t;
    LeastPairwise<Large>(within(BallTables<Large>::BytesForRadius(places_)));
  }
}

template <typename Count>
void GridSearch::LeastPairwise(std::uint32_t radius) {
  const auto tables = BallTables<Count>::Make(places_, radius, budget_);
  if (!tables) return;
  const auto score = [&tables](GridCentre& at, VertexId v,
                               std::uint64_t limit) {
    if (!at.LookUp(v, *tables)) at.Walk(v);
    return at.Total(limit);
  };
  std::vector<std::uint64_t> bounds(centres_.size());
  for (std::size_t from = 0; from < centres_.size(); from += kBounds) {
    const std::size_t count = std::min(kBounds, centres_.size() - from);
    if (!budget_.Spend(count)) return;
    ForEachPiece(count, kPieceOfBounds,
                 [&](std::size_t begin, std::size_t end) {
                   GridCentre centre(places_);
                   for (std::size_t i = from + begin; i < from + end; ++i) {
                     centre.LookUp(centres_[i], *tables);
                     bounds[i] = centre.LowerBound();
                   }
                 });
  }
  // The most promising first, then in the order of the tables.
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
  if (!ScoreAll(next, score)) return;
  next.clear();
  for (std::size_t i = 0; i < centres_.size(); ++i) {
    if (bounds[i] <= best_.total) next.push_back(centres_[i]);
    const bool last = i + 1 == centres_.size();
    if (next.size() < BatchSize() && !(last && !next.empty())) continue;
    if (!ScoreAll(next, score)) return;
    next.clear();
  }
}

CentreFound GridSearch::Collect() {
  CentreFound found =
      MakeGridCollector(topology_, places_)->Collect(best_.centre, budget_);
  found.centres = centres_.size();
  found.scored = scored_;
  return found;
}

class GridCollector final : public CentreCollector {
 public:
  GridCollector(const Topology& topology, const GridPlaces& places)
      : topology_(topology), places_(places), at_(places) {}

  CentreFound Collect(VertexId centre, Budget& budget) override {
    ScoreByWalking(at_, centre, kNoLimit);
    CentreFound found =
        FinishCentre(topology_, centre, at_.collected(), budget);
    for (const VertexNodes& site : places_.sites->required) {
      found.shell_sum +=
          std::uint64_t{site.count} * places_.ShellOf(centre, site.vertex);
    }
    return found;
  }

 private:
  const Topology& topology_;
  const GridPlaces& places_;
  GridCentre at_;
};

}  // namespace

std::unique_ptr<CentreCollector> MakeGridCollector(const Topology& topology,
                                                   const GridPlaces& places) {
  return std::make_unique<GridCollector>(topology, places);
}

CentreFound SearchGrid(const Topology& topology, const GridPlaces& places,
                       const CentreRule& rule, Budget& budget) {
  return GridSearch(topology, places, rule, budget).Run();
}

}  // namespace coolspan
