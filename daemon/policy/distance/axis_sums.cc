// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/axis_sums.h"

namespace coolspan {
namespace {

// Distances on a line: s_{x+1} = s_x + 2 * (nodes at coordinates <= x) - n.
void SumOnLine(AxisWindow& window) {
  std::uint64_t nodes = 0;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < window.counts.size(); ++i) {
    nodes += window.counts[i];
    sum += window.counts[i] * std::uint64_t{i};
  }
  std::uint64_t up_to_x = 0;
  for (std::size_t i = 0; i < window.counts.size(); ++i) {
    window.sums[i] = sum;
    up_to_x += window.counts[i];
    sum = sum + 2 * up_to_x - nodes;
  }
}

// Distances around a ring of L coordinates, h = floor(L/2). From x to x + 1,
// nodes at x + 1 ... x + h come one step nearer and all others go one farther;
// with L odd, the distance to x + h + 1 stays the same:
//   s_{x+1} = s_x + (n - ahead - same) - ahead
void SumOnRing(AxisWindow& window, std::uint32_t extent) {
  const auto count = [&](std::uint32_t i) {
    if (i >= extent) i -= extent;
    return std::uint64_t{i < window.counts.size() ? window.counts[i] : 0};
  };
  const std::uint32_t half = extent / 2;
  std::uint64_t nodes = 0;
  std::uint64_t sum = 0;
  std::uint64_t ahead = 0;  // nodes at x + 1 ... x + half
  for (std::uint32_t i = 0; i < window.counts.size(); ++i) {
    nodes += window.counts[i];
    sum += window.counts[i] * std::uint64_t{std::min(i, extent - i)};
    if (i >= 1 && i <= half) ahead += window.counts[i];
  }
  for (std::uint32_t i = 0; i < window.counts.size(); ++i) {
    window.sums[i] = sum;
    const std::uint64_t same = extent % 2 == 1 ? count(i + half + 1) : 0;
    sum = sum + (nodes - ahead - same) - ahead;
    ahead = ahead + count(i + 1 + half) - count(i + 1);
  }
}

}  // namespace

std::uint64_t AxisWindow::Sum(const GridAxis& axis) {
  sums.resize(counts.size());
  if (!axis.wrap || 2 * (counts.size() - 1) <= axis.extent) {
    SumOnLine(*this);
  } else {
    SumOnRing(*this, axis.extent);
  }
  std::uint64_t twice = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) twice += counts[i] * sums[i];
  return twice / 2;
}

void AxisWindow::AddSums(const GridAxis& axis, std::uint32_t x,
                         NodeCount nodes) {
  const std::size_t at = IndexOf(axis, x);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::uint64_t straight = i < at ? at - i : i - at;
    const std::uint64_t steps =
        axis.wrap ? std::min(straight, axis.extent - straight) : straight;
    sums[i] += nodes * steps;
  }
}

AxisSums::AxisSums(std::span<const GridAxis> axes,
                   std::span<const std::uint32_t> coordinates)
    : axes_(axes), coordinates_(coordinates), windows_(axes.size()) {
  for (std::size_t d = 0; d < axes.size(); ++d) {
    windows_[d].counts.assign(axes[d].extent, 0);
  }
}

void AxisSums::Add(VertexId vertex, NodeCount nodes) {
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    windows_[d].counts[coordinates_[vertex * axes_.size() + d]] += nodes;
  }
}

void AxisSums::Remove(VertexId vertex, NodeCount nodes) {
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    windows_[d].counts[coordinates_[vertex * axes_.size() + d]] -= nodes;
  }
}

void AxisSums::Update() {
  total_ = 0;
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    total_ += windows_[d].Sum(axes_[d]);
  }
}

}  // namespace coolspan
