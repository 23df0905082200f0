// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "locality/sums_along.h"
#include "policy/place_demand.h"
#include "policy/policies.h"

namespace coolspan {
namespace {

using Position = std::uint32_t;

// Places 0 to extent - 1, one after the other, or around.
struct Line {
  std::string_view kind;  // a literal
  Position extent;
  bool ring;
};

// Nodes by their place on the line.
struct Points {
  std::vector<NodeId> nodes;
  std::vector<Position> positions;  // as nodes, ascending

  std::size_t size() const { return nodes.size(); }
};

// The total pairwise distance of a window of consecutive points as it slides:
// points come in at its end and go at its start. Every step takes constant
// time, since sums of positions and the middle of the ring slide with it.
// Around the ring points have a second place, one turn later.
class SlidingTotal {
 public:
  SlidingTotal(const Line& line, std::vector<Position> positions)
      : points_(positions.begin(), positions.end()),
        // On a line so long that the way round is never the shorter one.
        turn_(line.ring ? line.extent : 2 * std::uint64_t{line.extent} + 1) {
    if (line.ring) {
      for (const Position position : positions) {
        points_.push_back(position + turn_);
      }
    }
    sums_.reserve(points_.size() + 1);
    for (const std::uint64_t point : points_) {
      sums_.push_back(sums_.back() + point);
    }
  }

  std::size_t first() const { return first_; }
  std::size_t end() const { return end_; }
  std::uint64_t total() const { return total_; }

  void TakeIn() {
    const std::uint64_t point = points_[end_];
    while (point - points_[near_first_] > turn_ / 2) ++near_first_;
    const std::size_t near = std::max(near_first_, first_);
    total_ += (end_ - near) * point - (sums_[end_] - sums_[near]);
    total_ += (near - first_) * (turn_ - point) + (sums_[near] - sums_[first_]);
    ++end_;
  }

  void LetGo() {
    const std::uint64_t point = points_[first_];
    while (near_end_ < points_.size() &&
           points_[near_end_] - point <= turn_ / 2) {
      ++near_end_;
    }
    const std::size_t near = std::min(near_end_, end_);
    ++first_;
    total_ -= (sums_[near] - sums_[first_]) - (near - first_) * point;
    total_ -= (end_ - near) * (turn_ + point) - (sums_[end_] - sums_[near]);
  }

 private:
  std::vector<std::uint64_t> points_;
  std::uint64_t turn_;
  std::vector<std::uint64_t> sums_ = {0};  // of points_, up to each
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  std::size_t near_first_ = 0;
  std::size_t near_end_ = 0;
  std::uint64_t total_ = 0;
};

struct Window {
  std::size_t first = 0;  // among the points; goes on at the first on a ring
  std::uint64_t total = 0;
};

// The window of so many points that, with the required ones, has the least
// total; of equal ones the first.
Window LeastWindow(const Line& line, const std::vector<Position>& positions,
                   const std::vector<Position>& required, std::size_t points) {
  std::vector<NodeCount> required_at(line.extent, 0);
  for (const Position position : required) ++required_at[position];
  const std::vector<std::uint64_t> to_required =
      SumsAlong(required_at, line.ring);
  SlidingTotal sliding(line, positions);
  std::uint64_t cross = 0;
  std::optional<Window> least;
  const std::size_t turn = positions.size();
  const std::size_t end = line.ring ? turn + points - 1 : turn;
  while (sliding.end() < end) {
    cross += to_required[positions[sliding.end() % turn]];
    sliding.TakeIn();
    if (sliding.end() - sliding.first() < points) continue;
    const std::uint64_t total = sliding.total() + cross;
    if (!least || total < least->total) least = {sliding.first(), total};
    cross -= to_required[positions[sliding.first()]];
    sliding.LetGo();
  }
  return *least;
}

// Whether a window is an optimum: on a ring that is no theorem with several
// nodes at one place, or required ones. Rare optima have gaps there.
bool WindowIsOptimum(const Line& line, const std::vector<Position>& positions,
                     const std::vector<Position>& required) {
  return !line.ring || (required.empty() &&
                        std::adjacent_find(positions.begin(),
                                           positions.end()) == positions.end());
}

// The exact one-dimensional case that cpa-rd100-cplant-bender mentions (Bender
// et al., section 1, Our Results).
//
// On a line an optimum takes consecutive points. Say it takes a and c but not
// b between them. The sum of distances to the others is convex, least at
// their median; the median without c is no further right than that without a.
// So b is at or left of a median of the set without a, or at or right of one
// of the set without c, and replacing a, or c, by b does not raise the total.
// Required points keep their place through this: it is about the others alone.
class Exact1d final : public Policy {
 public:
  Exact1d(std::shared_ptr<const Machine> machine,
          std::shared_ptr<const Ordering> ordering)
      : machine_(std::move(machine)), ordering_(std::move(ordering)) {
    const Grid* grid = machine_->topology().grid();
    if (grid == nullptr) return;
    std::vector<std::size_t> extended;
    for (std::size_t i = 0; i < grid->dims.size(); ++i) {
      if (grid->dims[i] > 1) extended.push_back(i);
    }
    if (extended.size() > 1) return;
    const std::size_t dimension = extended.empty() ? 0 : extended[0];
    by_coordinate_ = true;
    line_ = {grid->wrap[dimension] ? "ring" : "line", grid->dims[dimension],
             grid->wrap[dimension]};
  }

  std::string_view name() const override { return "exact-1d"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& /*budget*/,
                                  Trace& trace) const override {
    return PlaceDemand(view, request, trace,
                       [this](const Choice& choice, Trace& facts) {
                         return ChooseWindow(choice, facts);
                       });
  }

 private:
  std::vector<NodeId> ChooseWindow(const Choice& choice, Trace& trace) const;
  Points PointsOf(const NodeSet& nodes) const;

  std::shared_ptr<const Machine> machine_;
  std::shared_ptr<const Ordering> ordering_;
  bool by_coordinate_ = false;
  Line line_ = {"ranks", ordering_->size(), false};
};

Points Exact1d::PointsOf(const NodeSet& nodes) const {
  Points points;
  if (by_coordinate_) {
    nodes.ForEach([&](NodeId node) {
      points.nodes.push_back(node);
      // All other coordinates are 0, so the vertex is the coordinate.
      points.positions.push_back(machine_->topology().VertexOf(node));
    });
    return points;
  }
  NodeSet ranks(nodes.size());
  nodes.ForEach([&](NodeId node) { ranks.Insert(ordering_->RankOf(node)); });
  ranks.ForEach([&](Rank rank) {
    points.nodes.push_back(ordering_->NodeAt(rank));
    points.positions.push_back(rank);
  });
  return points;
}

std::vector<NodeId> Exact1d::ChooseWindow(const Choice& choice,
                                          Trace& trace) const {
  Points required;
  Points others;
  if (choice.required_count > 0) {
    required = PointsOf(choice.required);
    NodeSet rest = choice.available;
    rest -= choice.required;
    others = PointsOf(rest);
  } else {
    others = PointsOf(choice.available);
  }
  trace.Note("along", line_.kind);
  std::vector<NodeId> chosen = std::move(required.nodes);
  const std::size_t points = choice.nodes - choice.required_count;
  if (points == 0) return chosen;
  const Window window =
      LeastWindow(line_, others.positions, required.positions, points);
  trace.Note("optimum",
             WindowIsOptimum(line_, others.positions, required.positions)
                 ? "proved"
                 : "not proved: the best window of a ring");
  trace.Note("first_position", std::int64_t{others.positions[window.first]});
  for (std::size_t i = 0; i < points; ++i) {
    chosen.push_back(others.nodes[(window.first + i) % others.size()]);
  }
  return chosen;
}

}  // namespace

std::unique_ptr<Policy> MakeExact1d(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options) {
  return std::make_unique<Exact1d>(machine, options.ordering);
}

}  // namespace coolspan
