// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include "locality/sums_along.h"
#include "policy/place_demand.h"
#include "policy/policies.h"

namespace coolspan {
namespace {

using Position = std::uint32_t;

// Positions 0 to extent - 1 on a line or a ring.
struct Line {
  std::string_view kind;  // a string literal
  Position extent;
  bool ring;
};

// Nodes and their positions.
struct Points {
  std::vector<NodeId> nodes;
  std::vector<Position> positions;  // ascending; one for each node

  std::size_t size() const { return nodes.size(); }
};

// The total pairwise distance of a sliding window of consecutive points x_i.
// Adding point x to a window of points x_i <= x adds
//   sum over i of min(x - x_i, L - (x - x_i)),   L: length of the ring
// which prefix sums of the positions give in constant time once the first point
// with x - x_i <= L/2 is known; that point slides with the window. On a ring
// each point has a second position, L later. On a line L is so large that
// x - x_i is always the minimum.
class SlidingTotal {
 public:
  SlidingTotal(const Line& line, std::vector<Position> positions)
      : points_(positions.begin(), positions.end()),
        length_(line.ring ? line.extent : 2 * std::uint64_t{line.extent} + 1) {
    if (line.ring) {
      for (const Position position : positions) {
        points_.push_back(position + length_);
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

  void AddLast() {
    const std::uint64_t point = points_[end_];
    while (point - points_[near_first_] > length_ / 2) ++near_first_;
    const std::size_t near = std::max(near_first_, first_);
    total_ += (end_ - near) * point - (sums_[end_] - sums_[near]);
    total_ +=
        (near - first_) * (length_ - point) + (sums_[near] - sums_[first_]);
    ++end_;
  }

  void RemoveFirst() {
    const std::uint64_t point = points_[first_];
    while (near_end_ < points_.size() &&
           points_[near_end_] - point <= length_ / 2) {
      ++near_end_;
    }
    const std::size_t near = std::min(near_end_, end_);
    ++first_;
    total_ -= (sums_[near] - sums_[first_]) - (near - first_) * point;
    total_ -= (end_ - near) * (length_ + point) - (sums_[end_] - sums_[near]);
  }

 private:
  std::vector<std::uint64_t> points_;
  std::uint64_t length_;
  std::vector<std::uint64_t> sums_ = {0};  // prefix sums of points_
  std::size_t first_ = 0;                  // of the window
  std::size_t end_ = 0;
  std::size_t near_first_ = 0;  // first point within L/2 before the last added
  std::size_t near_end_ = 0;  // past the last within L/2 after the removed one
  std::uint64_t total_ = 0;
};

struct Window {
  std::size_t first = 0;  // index of a point; on a ring the window may wrap
  std::uint64_t total = 0;
};

// The window of `points` points that, together with the required points, has
// the minimum total pairwise distance; ties: the first.
Window BestWindow(const Line& line, const std::vector<Position>& positions,
                  const std::vector<Position>& required, std::size_t points) {
  std::vector<NodeCount> required_at(line.extent, 0);
  for (const Position position : required) ++required_at[position];
  const std::vector<std::uint64_t> to_required =
      SumsAlong(required_at, line.ring);
  SlidingTotal sliding(line, positions);
  std::uint64_t cross = 0;
  std::optional<Window> best;
  const std::size_t count = positions.size();
  const std::size_t end = line.ring ? count + points - 1 : count;
  while (sliding.end() < end) {
    cross += to_required[positions[sliding.end() % count]];
    sliding.AddLast();
    if (sliding.end() - sliding.first() < points) continue;
    const std::uint64_t total = sliding.total() + cross;
    if (!best || total < best->total) best = {sliding.first(), total};
    cross -= to_required[positions[sliding.first()]];
    sliding.RemoveFirst();
  }
  return *best;
}

// Whether the best window is proved to be an optimum. On a ring it is not
// proved with several nodes at one position or with required nodes: in rare
// cases the optimum is not a window.
bool IsProvedOptimum(const Line& line, const std::vector<Position>& positions,
                     const std::vector<Position>& required) {
  return !line.ring || (required.empty() &&
                        std::adjacent_find(positions.begin(),
                                           positions.end()) == positions.end());
}

// The exact algorithm for one dimension that Bender et al. mention (cpa-rd100-
// cplant-bender, section 1, Our Results).
//
// On a line some optimum consists of consecutive points. Proof: let an optimum
// S contain a and c but not b, a < b < c. The sum of distances to a set is
// convex with its minimum at the set's median, and median(S - c) <=
// median(S - a). Hence b <= median(S - a) or b >= median(S - c), and replacing
// a by b, or c by b, does not increase the total. The argument only exchanges
// points that are not required, so it also holds with required points.
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
      BestWindow(line_, others.positions, required.positions, points);
  trace.Note("optimum",
             IsProvedOptimum(line_, others.positions, required.positions)
                 ? "proved"
                 : "not proved: best window of the ring");
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
