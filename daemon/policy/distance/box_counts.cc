// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/box_counts.h"

#include <algorithm>

#include "policy/parallel.h"

namespace coolspan {
namespace {

// Lines processed together: their running sums fit into the L1 cache.
constexpr std::size_t kColumns = 1024;

// Sums of sliding windows along `columns` lines side by side; element i of line
// c is at [i * stride + c].
void SlideAlong(const GridAxis& axis, std::uint32_t shells, const NodeCount* in,
                NodeCount* out, std::size_t columns) {
  const std::uint32_t extent = axis.extent;
  const std::size_t stride = axis.stride;
  std::vector<NodeCount> sum(columns, 0);
  const auto add = [&](std::uint32_t i) {
    const NodeCount* row = in + i * stride;
    for (std::size_t c = 0; c < columns; ++c) sum[c] += row[c];
  };
  const auto subtract = [&](std::uint32_t i) {
    const NodeCount* row = in + i * stride;
    for (std::size_t c = 0; c < columns; ++c) sum[c] -= row[c];
  };
  std::uint32_t left = axis.ReachLeft(0, shells);
  std::uint32_t right = axis.ReachRight(0, shells);
  for (std::uint32_t t = left; t > 0; --t) add(axis.Left(0, t));
  for (std::uint32_t t = 0; t <= right; ++t) add(axis.Right(0, t));
  for (std::uint32_t x = 0;; ++x) {
    std::copy(sum.begin(), sum.end(), out + x * stride);
    if (x + 1 == extent) return;
    const std::uint32_t next_left = axis.ReachLeft(x + 1, shells);
    const std::uint32_t next_right = axis.ReachRight(x + 1, shells);
    if (next_right == right) add(axis.Right(x + 1, right));
    if (next_left == left) subtract(axis.Left(x, left));
    left = next_left;
    right = next_right;
  }
}

}  // namespace

BoxCounts::BoxCounts(std::span<const GridAxis> axes,
                     std::span<const NodeCount> nodes)
    : axes_(axes), from_(nodes.size()), to_(nodes.size()) {
  const GridAxis& axis = axes.front();
  const std::size_t extent = axis.extent;
  prefixes_.resize(nodes.size() / extent * (3 * extent + 1));
  NodeCount* out = prefixes_.data();
  for (std::size_t line = 0; line < nodes.size(); line += extent) {
    NodeCount sum = 0;
    *out++ = sum;
    for (int copy = 0; copy < 3; ++copy) {
      const bool counted = axis.wrap || copy == 1;
      for (std::size_t x = 0; x < extent; ++x) {
        if (counted) sum += nodes[line + x];
        *out++ = sum;
      }
    }
  }
}

void BoxCounts::SumAlongFirst(std::uint32_t shells) {
  const GridAxis& axis = axes_.front();
  const std::size_t extent = axis.extent;
  // On a ring both are the same for all coordinates.
  const std::size_t left =
      axis.wrap ? axis.ReachLeft(0, shells)
                : std::min<std::size_t>(axis.before + shells, extent);
  const std::size_t right =
      axis.wrap ? axis.ReachRight(0, shells)
                : std::min<std::size_t>(axis.after + shells, extent - 1);
  const std::size_t lines = from_.size() / extent;
  const std::size_t piece =
      std::max<std::size_t>(1, (std::size_t{1} << 16) / extent);
  ForEachPiece(lines, piece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t line = begin; line < end; ++line) {
      const NodeCount* const middle =
          &prefixes_[line * (3 * extent + 1) + extent];
      const NodeCount* const up_to = middle + right + 1;
      const NodeCount* const before = middle - left;
      NodeCount* const out = &from_[line * extent];
      for (std::size_t x = 0; x < extent; ++x) out[x] = up_to[x] - before[x];
    }
  });
}

const std::vector<NodeCount>& BoxCounts::Count(std::uint32_t shells) {
  SumAlongFirst(shells);
  for (const GridAxis& axis : axes_.subspan(1)) {
    if (axis.extent == 1) continue;
    const std::size_t block = std::size_t{axis.stride} * axis.extent;
    const std::size_t columns = std::min<std::size_t>(axis.stride, kColumns);
    const std::size_t parts = (axis.stride + columns - 1) / columns;
    const std::size_t work = from_.size() / block * parts;
    const std::size_t piece = std::max<std::size_t>(
        1, (std::size_t{1} << 16) / (columns * axis.extent));
    ForEachPiece(work, piece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t column = i % parts * columns;
        const std::size_t first = i / parts * block + column;
        SlideAlong(axis, shells, &from_[first], &to_[first],
                   std::min<std::size_t>(columns, axis.stride - column));
      }
    });
    from_.swap(to_);
  }
  return from_;
}

}  // namespace coolspan
