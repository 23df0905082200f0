// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_BOX_SUMS_H_
#define COOLSPAN_POLICY_STREAM_BOX_SUMS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/types.h"
#include "policy/distance/grid_axis.h"

namespace coolspan {

// `count` consecutive coordinates of an axis from `start` to the right, around
// the end of a ring; at most the whole axis.
struct AxisRange {
  std::uint32_t start;
  std::uint32_t count;
};

// The layout of prefix sums over a grid: one coordinate more per axis than the
// grid has, the first with sums of 0.
class PrefixLayout {
 public:
  explicit PrefixLayout(std::span<const GridAxis> axes);

  std::span<const GridAxis> axes() const { return axes_; }
  std::size_t size() const { return size_; }
  // Of axis d: distance of the prefixes of neighbouring coordinates.
  std::size_t stride(std::size_t d) const { return strides_[d]; }

  // Calls visit(v, p) for the first vertex v of each line of the first axis; p:
  // the index of the prefix before it.
  template <typename Visit>
  void ForEachLine(Visit&& visit) const {
    std::vector<std::uint32_t> at(axes_.size(), 0);
    std::size_t vertex = 0;
    for (std::size_t d = 0; d < axes_.size();) {
      std::size_t prefix = 0;
      for (std::size_t i = 1; i < axes_.size(); ++i) {
        prefix += (at[i] + 1) * strides_[i];
      }
      visit(vertex, prefix);
      vertex += axes_[0].extent;
      for (d = 1; d < axes_.size() && ++at[d] == axes_[d].extent; ++d) {
        at[d] = 0;
      }
    }
  }

 private:
  std::vector<GridAxis> axes_;
  std::vector<std::size_t> strides_;
  std::size_t size_ = 1;
};

// A box as the signed corners of prefix sums: the sum of a quantity over the
// box is the sum of sign * prefix over them. Reused for one box after another.
class BoxCorners {
 public:
  struct Corner {
    std::size_t offset;
    std::int64_t sign;
  };

  // layout must outlive this.
  explicit BoxCorners(const PrefixLayout& layout);

  // The box of one range for each axis.
  void Set(std::span<const AxisRange> box) { SetWithout(box, box.size()); }
  // The box without axis d, to be summed along it (BoxSums::SumsBefore).
  void SetWithout(std::span<const AxisRange> box, std::size_t d) {
    corners_[0] = {0, 1};
    count_ = 1;
    for (std::size_t i = 0; i < box.size(); ++i) {
      if (i != d)
        AddAxis(layout_->axes()[i].extent, layout_->stride(i), box[i]);
    }
  }

  std::span<const Corner> corners() const { return {corners_.data(), count_}; }

 private:
  // A range [a, b) has the corners +b and -a; one around the end of a ring of L
  // coordinates, [a, L) and [0, b), has +L, -a and +b. Prefixes at 0 are 0.
  void AddAxis(std::uint32_t extent, std::size_t stride,
               const AxisRange& range) {
    const std::uint32_t end = range.start + range.count;
    const std::size_t before = count_;
    Corner* const corners = corners_.data();
    const auto add = [&](std::uint32_t coordinate, std::int64_t sign) {
      for (std::size_t i = 0; i < before; ++i) {
        corners[count_++] = {corners[i].offset + coordinate * stride,
                             sign * corners[i].sign};
      }
    };
    if (range.start > 0) add(range.start, -1);
    if (end > extent) add(end - extent, 1);
    const std::size_t last = (end > extent ? extent : end) * stride;
    for (std::size_t i = 0; i < before; ++i) corners[i].offset += last;
  }

  const PrefixLayout* layout_;
  std::vector<Corner> corners_;  // 3^axes: as many as a box can have
  std::size_t count_ = 0;
};

// Prefix sums of a quantity given by vertex. A sum over a box takes
// O(2^axes), more where it leads around the end of a ring.
class BoxSums {
 public:
  // value(v): the quantity at vertex v. Time linear in the grid and its axes.
  // layout must outlive this.
  template <typename Value>
  BoxSums(const PrefixLayout& layout, Value&& value)
      : layout_(&layout), prefixes_(layout.size(), 0) {
    layout.ForEachLine([&](std::size_t vertex, std::size_t prefix) {
      const std::size_t end = vertex + layout.axes()[0].extent;
      std::int64_t sum = 0;
      for (; vertex < end; ++vertex) {
        sum += value(vertex);
        prefixes_[++prefix] = sum;
      }
    });
    AddLines();
  }

  std::int64_t Sum(const BoxCorners& box) const {
    std::int64_t sum = 0;
    for (const BoxCorners::Corner& corner : box.corners()) {
      sum += corner.sign * prefixes_[corner.offset];
    }
    return sum;
  }
  // Sets out[i] to the sum over the coordinates of axis d below from + i.
  // REQUIRES a box without the axis.
  void SumsBefore(const BoxCorners& box, std::size_t d, std::uint32_t from,
                  std::span<std::int64_t> out) const {
    const std::size_t stride = layout_->stride(d);
    std::fill(out.begin(), out.end(), 0);
    for (const BoxCorners::Corner& corner : box.corners()) {
      const std::int64_t* prefix = &prefixes_[corner.offset + stride * from];
      for (std::int64_t& sum : out) {
        sum += corner.sign * *prefix;
        prefix += stride;
      }
    }
  }
  // The sum at one coordinate. REQUIRES a box without the axis.
  std::int64_t SumAt(const BoxCorners& box, std::size_t d,
                     std::uint32_t coordinate) const {
    const std::size_t stride = layout_->stride(d);
    const std::int64_t* const before = &prefixes_[stride * coordinate];
    std::int64_t sum = 0;
    for (const BoxCorners::Corner& corner : box.corners()) {
      const std::int64_t* const at = before + corner.offset;
      sum += corner.sign * (at[stride] - at[0]);
    }
    return sum;
  }

 private:
  void AddLines();

  const PrefixLayout* layout_;
  std::vector<std::int64_t> prefixes_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_BOX_SUMS_H_
