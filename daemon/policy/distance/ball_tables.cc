// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/ball_tables.h"

#include <algorithm>
#include <utility>

#include "policy/parallel.h"

namespace coolspan {
namespace {

template <typename Count>
void AddRun(const Count* in, Count* out, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) {
    out[i] = static_cast<Count>(out[i] + in[i]);
  }
}

template <typename Table>
std::vector<const Table*> PointersTo(const std::vector<Table>& tables) {
  std::vector<const Table*> pointers;
  pointers.reserve(tables.size());
  for (const Table& table : tables) pointers.push_back(&table);
  return pointers;
}

}  // namespace

// out[x] += in[x + steps] along the axis if from_right, else in[x - steps].
// Coordinates past the end wrap on a ring and count as 0 on a line.
template <typename Count>
void BallTables<Count>::AddShifted(const std::vector<Count>& in,
                                   const GridAxis& axis, std::uint32_t steps,
                                   bool from_right, std::vector<Count>& out) {
  const std::size_t block = std::size_t{axis.stride} * axis.extent;
  const std::size_t shift = std::size_t{axis.stride} * steps;
  for (std::size_t b = 0; b < in.size(); b += block) {
    const Count* const from = in.data() + b;
    Count* const to = out.data() + b;
    if (from_right) {
      AddRun(from + shift, to, block - shift);
      if (axis.wrap) AddRun(from, to + (block - shift), shift);
    } else {
      AddRun(from, to + shift, block - shift);
      if (axis.wrap) AddRun(from + (block - shift), to, shift);
    }
  }
}

// Extends balls in the dimensions so far by one axis.
template <typename Count>
auto BallTables<Count>::Extend(std::span<const Table* const> balls,
                               const GridAxis& axis) -> Tables {
  const std::uint32_t left =
      axis.wrap ? (axis.extent - 1) / 2 : axis.extent - 1;
  const std::uint32_t right = axis.wrap ? axis.extent / 2 : axis.extent - 1;
  Tables out(balls.size());
  // Smaller pieces are not worth another thread.
  constexpr std::size_t kVerticesOfPiece = std::size_t{1} << 16;
  const std::size_t piece =
      std::max<std::size_t>(1, kVerticesOfPiece / balls[0]->size());
  ForEachPiece(balls.size(), piece, [&](std::size_t begin, std::size_t end) {
    for (auto r = static_cast<std::uint32_t>(begin); r < end; ++r) {
      out[r] = *balls[r];
      for (std::uint32_t t = 1; t <= std::min(r, right); ++t) {
        AddShifted(*balls[r - t], axis, t, true, out[r]);
      }
      for (std::uint32_t t = 1; t <= std::min(r, left); ++t) {
        AddShifted(*balls[r - t], axis, t, false, out[r]);
      }
    }
  });
  return out;
}

template <typename Count>
std::optional<BallTables<Count>> BallTables<Count>::Make(
    const GridPlaces& places, std::uint32_t max_radius, Budget& budget) {
  const std::vector<NodeCount>& capacity = places.sites->capacity;
  Table points(capacity.size());
  std::transform(capacity.begin(), capacity.end(), points.begin(),
                 [](NodeCount nodes) { return static_cast<Count>(nodes); });
  const std::size_t radii = std::size_t{max_radius} + 1;
  BallTables tables;
  for (std::size_t without = 0; without < places.axes.size(); ++without) {
    // A ball in no dimension is one point, whatever its radius.
    std::vector<const Table*> so_far(radii, &points);
    Tables balls;
    for (std::size_t d = 0; d < places.axes.size(); ++d) {
      if (d == without || places.axes[d].extent == 1) continue;
      if (!budget.Spend(capacity.size())) return std::nullopt;
      balls = Extend(so_far, places.axes[d]);
      so_far = PointersTo(balls);
    }
    if (balls.empty()) balls.assign(radii, points);
    tables.slices_.push_back(std::move(balls));
  }
  if (!budget.Spend(capacity.size())) return std::nullopt;
  tables.balls_ = Extend(PointersTo(tables.slices_[0]), places.axes[0]);
  return tables;
}

template <typename Count>
std::uint64_t BallTables<Count>::BytesForRadius(const GridPlaces& places) {
  // The tables kept, and the previous balls that the last step reads.
  return (places.axes.size() + 2) * places.sites->capacity.size() *
         sizeof(Count);
}

template class BallTables<std::uint16_t>;
template class BallTables<std::uint32_t>;

std::vector<std::uint64_t> BallSizes(std::span<const GridAxis> axes) {
  // By r: vertices at distance r in the dimensions so far; at the end, within
  // r.
  std::vector<std::uint64_t> sizes(1, 1);
  for (const GridAxis& axis : axes) {
    const std::uint32_t middle = axis.extent / 2;
    const std::uint32_t last = axis.LastShell(middle);
    std::vector<std::uint64_t> next(sizes.size() + last, 0);
    for (std::uint32_t s = 0; s <= last; ++s) {
      axis.ForEachInShell(middle, s, [&](std::uint32_t) {
        for (std::size_t r = 0; r < sizes.size(); ++r) next[r + s] += sizes[r];
      });
    }
    sizes = std::move(next);
  }
  for (std::size_t r = 1; r < sizes.size(); ++r) sizes[r] += sizes[r - 1];
  return sizes;
}

}  // namespace coolspan
