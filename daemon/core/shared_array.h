// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_SHARED_ARRAY_H_
#define COOLSPAN_CORE_SHARED_ARRAY_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/copy_on_write.h"

namespace coolspan {

// An array in blocks of kBlockItems (the last block may be smaller). Copies
// share blocks: a copy costs one pointer per block, a change copies the block
// it touches if that is shared. Thread safety as for CopyOnWrite.
template <typename T, std::size_t kBlockItems>
class SharedArray {
 public:
  static constexpr std::size_t kItemsOfBlock = kBlockItems;

  SharedArray() = default;
  SharedArray(std::size_t size, const T& value) : size_(size) {
    blocks_.reserve((size + kBlockItems - 1) / kBlockItems);
    for (std::size_t left = size; left > 0;) {
      const std::size_t items = std::min(left, kBlockItems);
      blocks_.emplace_back(std::in_place, items, value);
      left -= items;
    }
  }
  explicit SharedArray(std::span<const T> items)
      : SharedArray(items.size(), T{}) {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const std::span<T> block = MutableBlock(b);
      std::copy_n(items.begin() + static_cast<std::ptrdiff_t>(b * kBlockItems),
                  block.size(), block.begin());
    }
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t i) const {
    return (*blocks_[i / kBlockItems])[i % kBlockItems];
  }
  // REQUIRES i < size(). The reference is valid until the next copy or change.
  T& Mutable(std::size_t i) {
    return blocks_[i / kBlockItems].Mutable()[i % kBlockItems];
  }

  // Block b starts at item b * kBlockItems.
  std::size_t block_count() const { return blocks_.size(); }
  std::span<const T> Block(std::size_t b) const { return *blocks_[b]; }
  std::span<T> MutableBlock(std::size_t b) { return blocks_[b].Mutable(); }
  // Whether block b is the same in memory as in other; shares it. REQUIRES
  // arrays of the same size.
  bool SharesBlock(std::size_t b, const SharedArray& other) const {
    return blocks_[b].IsSharedWith(other.blocks_[b]);
  }
  void ShareBlock(std::size_t b, const SharedArray& other) {
    blocks_[b] = other.blocks_[b];
  }

  friend bool operator==(const SharedArray& a, const SharedArray& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.blocks_.size(); ++i) {
      if (!a.SharesBlock(i, b) && *a.blocks_[i] != *b.blocks_[i]) return false;
    }
    return true;
  }

 private:
  absl::InlinedVector<CopyOnWrite<std::vector<T>>, 1> blocks_;
  std::size_t size_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_SHARED_ARRAY_H_
