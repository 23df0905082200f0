// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/optimal/least_triple.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

namespace coolspan {
namespace {

struct Point {
  std::int32_t x;
  std::int32_t y;
  std::uint32_t place;  // in the pool
};
using Triple = std::array<Point, 3>;

// Width plus height of the bounding box.
std::int32_t BoxOf(const Triple& points) {
  const auto [left, right] =
      std::minmax({points[0].x, points[1].x, points[2].x});
  const auto [low, high] = std::minmax({points[0].y, points[1].y, points[2].y});
  return right - left + high - low;
}

struct Best {
  std::int32_t box = std::numeric_limits<std::int32_t>::max();
  Triple points{};

  void Try(const Triple& triple) {
    const std::int32_t tried = BoxOf(triple);
    if (tried >= box) return;
    box = tried;
    points = triple;
  }
};

bool ByX(const Point& a, const Point& b) {
  return a.x != b.x ? a.x < b.x : a.place < b.place;
}
bool ByY(const Point& a, const Point& b) {
  return a.y != b.y ? a.y < b.y : a.place < b.place;
}

class TripleSearch {
 public:
  // min_box: a lower bound of all boxes.
  TripleSearch(std::vector<Point> points, std::int32_t min_box)
      : points_(std::move(points)),
        merged_(points_.size()),
        min_box_(min_box) {}

  Best Find() {
    std::sort(points_.begin(), points_.end(), ByX);
    Search(0, points_.size());
    return best_;
  }

 private:
  // Sorts the points by y.
  void Search(std::size_t first, std::size_t end);
  void TryAcross(std::int32_t middle_x, std::size_t first, std::size_t end);

  std::vector<Point> points_;
  std::vector<Point> merged_;
  std::vector<Point> near_;
  std::int32_t min_box_;
  Best best_;
};

void TripleSearch::Search(std::size_t first, std::size_t end) {
  if (best_.box <= min_box_) return;
  const auto begin = points_.begin();
  const auto at = [&](std::size_t i) {
    return begin + static_cast<std::ptrdiff_t>(i);
  };
  if (end - first <= 3) {
    if (end - first == 3) {
      best_.Try({points_[first], points_[first + 1], points_[first + 2]});
    }
    std::sort(at(first), at(end), ByY);
    return;
  }
  const std::size_t middle = first + (end - first) / 2;
  const std::int32_t middle_x = points_[middle].x;
  Search(first, middle);
  Search(middle, end);
  if (best_.box <= min_box_) return;
  std::merge(at(first), at(middle), at(middle), at(end),
             merged_.begin() + static_cast<std::ptrdiff_t>(first), ByY);
  std::copy(merged_.begin() + static_cast<std::ptrdiff_t>(first),
            merged_.begin() + static_cast<std::ptrdiff_t>(end), at(first));
  TryAcross(middle_x, first, end);
}

void TripleSearch::TryAcross(std::int32_t middle_x, std::size_t first,
                             std::size_t end) {
  near_.clear();
  for (std::size_t i = first; i < end; ++i) {
    if (std::abs(points_[i].x - middle_x) < best_.box) {
      near_.push_back(points_[i]);
    }
  }
  for (std::size_t i = 0; i < near_.size(); ++i) {
    for (std::size_t j = i + 1; j < near_.size(); ++j) {
      if (near_[j].y - near_[i].y >= best_.box) break;
      if (near_[j].y - near_[i].y + std::abs(near_[j].x - near_[i].x) >=
          best_.box) {
        continue;
      }
      for (std::size_t k = j + 1; k < near_.size(); ++k) {
        if (near_[k].y - near_[i].y >= best_.box) break;
        best_.Try({near_[i], near_[j], near_[k]});
      }
    }
    if (best_.box <= min_box_) return;
  }
}

// A point relative to the required one.
struct RelativePoint {
  std::int32_t along;   // distance along the sweep
  std::int32_t across;  // distance in the other dimension
  std::size_t quadrant;
  Point point;
};

// Of two points on the same side, the farther one along the sweep sets the
// length of the box. Its width is the larger `across` for points of the same
// quadrant and the sum for points of different quadrants. So the best partner
// of a point is the earlier one with the smallest `across`, in each quadrant.
void SweepSide(const Point& required, std::vector<RelativePoint> points,
               Best& best) {
  std::sort(points.begin(), points.end(),
            [](const RelativePoint& a, const RelativePoint& b) {
              return a.along != b.along ? a.along < b.along
                                        : a.point.place < b.point.place;
            });
  std::array<const RelativePoint*, 4> min_across{};
  for (const RelativePoint& current : points) {
    // Quadrants 0 and 1 are on one side of the required point, 2 and 3 on the
    // other.
    const std::size_t side = current.quadrant & 2;
    for (const std::size_t quadrant : {side, side + 1}) {
      if (const RelativePoint* other = min_across[quadrant]) {
        best.Try({required, current.point, other->point});
      }
    }
    const RelativePoint*& nearest = min_across[current.quadrant];
    if (nearest == nullptr || current.across < nearest->across) {
      nearest = &current;
    }
  }
}

Best SmallestWith(const Point& required, const std::vector<Point>& others) {
  std::vector<RelativePoint> along_x;
  std::vector<RelativePoint> along_y;
  std::array<const Point*, 4> nearest{};
  std::array<std::int32_t, 4> nearest_at{};
  for (const Point& point : others) {
    const std::int32_t x = point.x - required.x;
    const std::int32_t y = point.y - required.y;
    const std::size_t left = x < 0 ? 1 : 0;
    const std::size_t below = y < 0 ? 1 : 0;
    along_x.push_back({std::abs(x), std::abs(y), 2 * left + below, point});
    along_y.push_back({std::abs(y), std::abs(x), 2 * below + left, point});
    const std::size_t quadrant = 2 * left + below;
    const std::int32_t away = std::abs(x) + std::abs(y);
    if (nearest[quadrant] == nullptr || away < nearest_at[quadrant]) {
      nearest[quadrant] = &point;
      nearest_at[quadrant] = away;
    }
  }
  Best best;
  for (const std::size_t quadrant : {0U, 1U}) {
    const std::size_t opposite = 3 - quadrant;
    if (nearest[quadrant] != nullptr && nearest[opposite] != nullptr) {
      best.Try({required, *nearest[quadrant], *nearest[opposite]});
    }
  }
  SweepSide(required, std::move(along_x), best);
  SweepSide(required, std::move(along_y), best);
  return best;
}

std::vector<std::size_t> Extended(const Grid& grid) {
  std::vector<std::size_t> extended;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    if (grid.dims[d] > 1) extended.push_back(d);
  }
  return extended;
}

}  // namespace

bool IsPlane(const Grid& grid) {
  const std::vector<std::size_t> extended = Extended(grid);
  return extended.size() <= 2 &&
         std::none_of(extended.begin(), extended.end(),
                      [&grid](std::size_t d) { return grid.wrap[d]; });
}

VertexSet LeastTriple(const Grid& grid, const VertexPool& pool) {
  const std::vector<std::size_t> extended = Extended(grid);
  std::vector<std::uint32_t> coordinates(grid.dims.size());
  std::vector<Point> required;
  std::vector<Point> others;
  std::int32_t min_box = 2;
  for (std::uint32_t i = 0; i < pool.size(); ++i) {
    grid.CoordinatesOf(pool.vertices[i], coordinates);
    const auto coordinate = [&](std::size_t axis) {
      return axis < extended.size()
                 ? static_cast<std::int32_t>(coordinates[extended[axis]])
                 : 0;
    };
    const Point point{coordinate(0), coordinate(1), i};
    required.insert(required.end(), pool.required[i], point);
    others.insert(others.end(),
                  std::min<NodeCount>(3, pool.free[i] - pool.required[i]),
                  point);
    min_box = std::min(min_box, 3 - static_cast<std::int32_t>(
                                        std::min<NodeCount>(3, pool.free[i])));
  }
  Best best;
  if (required.size() == 3) {
    best.Try({required[0], required[1], required[2]});
  } else if (required.size() == 2) {
    for (const Point& point : others) {
      best.Try({required[0], required[1], point});
    }
  } else if (required.size() == 1) {
    best = SmallestWith(required[0], others);
  } else {
    best = TripleSearch(std::move(others), min_box).Find();
  }
  VertexSet triple{std::vector<NodeCount>(pool.size(), 0),
                   2 * static_cast<std::uint64_t>(best.box)};
  for (const Point& point : best.points) ++triple.taken[point.place];
  return triple;
}

}  // namespace coolspan
