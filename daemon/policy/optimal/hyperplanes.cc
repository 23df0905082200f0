// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/optimal/hyperplanes.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace coolspan {

struct Hyperplanes::Walk {
  Below below;
  Step step;
  Visit visit;
  Planes planes;
};

Hyperplanes::Hyperplanes(std::vector<std::int64_t> coordinates,
                         std::span<const std::int64_t> sizes)
    : coordinates_(std::move(coordinates)),
      sizes_(sizes.begin(), sizes.end()),
      points_(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0})),
      sums_(coordinates_.size() + 1, 0),
      moments_(coordinates_.size() + 1, 0) {
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    sums_[i + 1] = sums_[i] + coordinates_[i];
    moments_[i + 1] =
        moments_[i] + static_cast<std::int64_t>(i) * coordinates_[i];
  }
}

// sum_r (2r - k + 1) x_r over `count` consecutive points, the first one of
// which has this rank in the set.
std::int64_t Hyperplanes::WindowTotal(std::size_t first, std::int64_t rank,
                                      std::int64_t count) const {
  const std::size_t end = first + static_cast<std::size_t>(count);
  const std::int64_t shift = rank - static_cast<std::int64_t>(first);
  return 2 * (moments_[end] - moments_[first]) +
         (2 * shift - (points_ - 1)) * (sums_[end] - sums_[first]);
}

// The minimum of WindowTotal over points from `from` to `to` - 1. Weights grow
// with the rank, so the minimum is at consecutive points.
std::int64_t Hyperplanes::MinWindowTotal(std::size_t from, std::size_t to,
                                         std::int64_t rank,
                                         std::int64_t count) const {
  if (count == 0) return 0;
  const std::size_t last = to - static_cast<std::size_t>(count);
  if (Weight(rank) >= 0) return WindowTotal(from, rank, count);
  if (Weight(rank + count - 1) <= 0) return WindowTotal(last, rank, count);
  std::int64_t min_total = std::numeric_limits<std::int64_t>::max();
  for (std::size_t first = from; first <= last; ++first) {
    min_total = std::min(min_total, WindowTotal(first, rank, count));
  }
  return min_total;
}

std::int64_t Hyperplanes::MinTotal() const {
  return MinWindowTotal(0, coordinates_.size(), 0, points_);
}

bool Hyperplanes::ForEach(Below below, Step step, Visit visit) const {
  Walk walk{below, step, visit, {}};
  const std::size_t last_start =
      coordinates_.size() - static_cast<std::size_t>(points_);
  for (std::size_t first = 0; first <= last_start; ++first) {
    walk.planes = {first};
    if (!Place(walk, 0, 0)) return false;
  }
  return true;
}

// Places the planes after the last one placed. rank: of the first point of the
// slice that starts there. bound: of the slices before it.
bool Hyperplanes::Place(Walk& walk, std::int64_t rank,
                        std::int64_t bound) const {
  const std::size_t slice = walk.planes.size() - 1;
  const std::size_t first = walk.planes.back();
  const std::size_t all = coordinates_.size();
  if (!walk.step(all - first)) return false;
  bound += Weight(rank) * coordinates_[first];
  const std::int64_t rest =
      MinWindowTotal(first + 1, all, rank + 1, points_ - rank - 1);
  if (bound + rest >= walk.below()) return true;
  if (slice + 1 == sizes_.size()) return PlaceLast(walk, rank, bound);
  const std::int64_t size = sizes_[slice];
  const std::int64_t after = points_ - rank - size;
  for (std::size_t next = first + static_cast<std::size_t>(size);
       next + static_cast<std::size_t>(after) <= all; ++next) {
    const std::int64_t inside =
        bound + MinWindowTotal(first + 1, next, rank + 1, size - 1);
    walk.planes.push_back(next);
    const bool proceed = Place(walk, rank + size, inside);
    walk.planes.pop_back();
    if (!proceed) return false;
  }
  return true;
}

bool Hyperplanes::PlaceLast(Walk& walk, std::int64_t rank,
                            std::int64_t bound) const {
  const std::int64_t size = sizes_.back();
  const std::size_t first = walk.planes.back();
  const std::size_t all = coordinates_.size();
  for (std::size_t last = first + static_cast<std::size_t>(size) - 1;
       last < (size == 1 ? first + 1 : all); ++last) {
    std::int64_t total = bound;
    if (size > 1) {
      total += Weight(points_ - 1) * coordinates_[last] +
               MinWindowTotal(first + 1, last, rank + 1, size - 2);
    }
    if (total >= walk.below()) continue;
    walk.planes.push_back(last + 1);
    const bool proceed = walk.visit(walk.planes, total);
    walk.planes.pop_back();
    if (!proceed) return false;
  }
  return true;
}

}  // namespace coolspan
