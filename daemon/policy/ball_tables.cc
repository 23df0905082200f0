// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/ball_tables.h"

#include <algorithm>

#include "policy/parallel.h"

namespace coolspan {
namespace {

using Count = std::uint32_t;

// out[r] += in[r - steps], for radii that reach so far.
void AddShifted(const Count* in, std::uint32_t steps, std::uint32_t radii,
                Count* out) {
  for (std::uint32_t r = steps; r < radii; ++r) out[r] += in[r - steps];
}

// Adds a dimension to all balls: from balls in the dimensions so far to balls
// that extend along the axis too.
std::vector<Count> Extend(const std::vector<Count>& balls,
                          const GridPlaces& places, const GridAxis& axis,
                          std::size_t dimension, std::uint32_t radii) {
  constexpr std::size_t kPiece = 4096;
  std::vector<Count> out(balls.size(), 0);
  const std::size_t vertices = places.sites->capacity.size();
  ForEachPiece(vertices, kPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::uint32_t x =
          places.coordinates[v * places.axes.size() + dimension];
      Count* to = &out[v * radii];
      const std::uint32_t left = axis.ReachLeft(x, radii - 1);
      const std::uint32_t right = axis.ReachRight(x, radii - 1);
      AddShifted(&balls[v * radii], 0, radii, to);
      for (std::uint32_t t = 1; t <= left; ++t) {
        const std::size_t u =
            v + (std::size_t{axis.Left(x, t)} - x) * axis.stride;
        AddShifted(&balls[u * radii], t, radii, to);
      }
      for (std::uint32_t t = 1; t <= right; ++t) {
        const std::size_t u =
            v + (std::size_t{axis.Right(x, t)} - x) * axis.stride;
        AddShifted(&balls[u * radii], t, radii, to);
      }
    }
  });
  return out;
}

}  // namespace

BallTables::BallTables(const GridPlaces& places, std::uint32_t most_radius)
    : radii_(most_radius + 1) {
  const std::vector<NodeCount>& capacity = places.sites->capacity;
  std::vector<Count> points(capacity.size() * radii_);
  for (std::size_t v = 0; v < capacity.size(); ++v) {
    std::fill_n(&points[v * radii_], radii_, capacity[v]);
  }
  for (std::size_t without = 0; without < places.axes.size(); ++without) {
    std::vector<Count> balls = points;
    for (std::size_t d = 0; d < places.axes.size(); ++d) {
      if (d == without || places.axes[d].extent == 1) continue;
      balls = Extend(balls, places, places.axes[d], d, radii_);
    }
    slices_.push_back(std::move(balls));
  }
  balls_ = Extend(slices_[0], places, places.axes[0], 0, radii_);
}

std::uint64_t BallTables::BytesFor(const GridPlaces& places,
                                   std::uint32_t most_radius) {
  // While they are made, two more than are kept.
  const std::uint64_t tables = places.axes.size() + 3;
  return tables * places.sites->capacity.size() * sizeof(Count) *
         (std::uint64_t{most_radius} + 1);
}

std::uint32_t RadiusOfBall(std::span<const GridAxis> axes,
                           std::uint64_t vertices) {
  std::uint32_t most = 0;
  for (const GridAxis& axis : axes) most += axis.LastShell(axis.extent / 2);
  // Vertices at each distance, one dimension after another; numbers past what
  // is asked for need not be exact.
  std::vector<std::uint64_t> at(1, 1);
  for (const GridAxis& axis : axes) {
    const std::uint32_t middle = axis.extent / 2;
    std::vector<std::uint64_t> next(at.size() + axis.LastShell(middle), 0);
    for (std::uint32_t s = 0; s <= axis.LastShell(middle); ++s) {
      axis.ForEachInShell(middle, s, [&](std::uint32_t) {
        for (std::size_t r = 0; r < at.size(); ++r) next[r + s] += at[r];
      });
    }
    at = std::move(next);
  }
  std::uint64_t inside = 0;
  for (std::uint32_t r = 0; r < at.size(); ++r) {
    inside += at[r];
    if (inside >= vertices) return r;
  }
  return most;
}

}  // namespace coolspan
