// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/box_sums.h"

namespace coolspan {

PrefixLayout::PrefixLayout(std::span<const GridAxis> axes)
    : axes_(axes.begin(), axes.end()) {
  for (const GridAxis& axis : axes_) {
    strides_.push_back(size_);
    size_ *= std::size_t{axis.extent} + 1;
  }
}

BoxCorners::BoxCorners(const PrefixLayout& layout) : layout_(&layout) {
  std::size_t most = 1;
  for (std::size_t d = 0; d < layout.axes().size(); ++d) most *= 3;
  corners_.resize(most);
}

BoxSums::BoxSums(const PrefixLayout& layout,
                 std::span<const std::int32_t> values)
    : layout_(&layout), prefixes_(layout.size(), 0) {
  const std::span<const GridAxis> axes = layout.axes();
  const std::size_t first = axes[0].extent;
  // Along the first axis, line by line.
  std::vector<std::uint32_t> at(axes.size(), 0);
  for (std::size_t line = 0; line < values.size(); line += first) {
    std::size_t out = 0;
    for (std::size_t d = 1; d < axes.size(); ++d) {
      out += (at[d] + 1) * layout.stride(d);
    }
    std::int64_t sum = 0;
    for (std::size_t x = 0; x < first; ++x) {
      sum += values[line + x];
      prefixes_[out + x + 1] = sum;
    }
    for (std::size_t d = 1; d < axes.size() && ++at[d] == axes[d].extent; ++d) {
      at[d] = 0;
    }
  }
  // Then along each further one: plus the prefix one step before.
  for (std::size_t d = 1; d < axes.size(); ++d) {
    const std::size_t stride = layout.stride(d);
    const std::size_t block = stride * (std::size_t{axes[d].extent} + 1);
    for (std::size_t begin = 0; begin < layout.size(); begin += block) {
      std::int64_t* const out = &prefixes_[begin];
      for (std::size_t i = stride; i < block; ++i) out[i] += out[i - stride];
    }
  }
}

}  // namespace coolspan
