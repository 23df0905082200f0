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

// Along each axis but the first: plus the prefix one step before.
void BoxSums::AddLines() {
  const PrefixLayout& layout = *layout_;
  const std::span<const GridAxis> axes = layout.axes();
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
