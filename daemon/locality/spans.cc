// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/spans.h"

#include <algorithm>
#include <bit>

namespace coolspan {
namespace {

constexpr std::uint32_t kWordBits = 64;

}  // namespace

SpanMeter::SpanMeter(std::uint32_t size)
    : size_(size),
      words_((size + kWordBits - 1) / kWordBits),
      first_word_(words_.size()) {}

void SpanMeter::Insert(std::uint32_t place) {
  const std::size_t word = place / kWordBits;
  words_[word] |= std::uint64_t{1} << (place % kWordBits);
  first_word_ = std::min(first_word_, word);
  last_word_ = std::max(last_word_, word);
}

SpanMeter::Spans SpanMeter::Take() {
  const auto first = static_cast<std::uint32_t>(
      first_word_ * kWordBits + std::countr_zero(words_[first_word_]));
  std::uint32_t previous = first;
  std::uint32_t largest_step = 0;
  for (std::size_t w = first_word_; w <= last_word_; ++w) {
    for (std::uint64_t word = words_[w]; word != 0; word &= word - 1) {
      const auto place =
          static_cast<std::uint32_t>(w * kWordBits + std::countr_zero(word));
      largest_step = std::max(largest_step, place - previous);
      previous = place;
    }
    words_[w] = 0;
  }
  largest_step = std::max(largest_step, size_ - previous + first);
  first_word_ = words_.size();
  last_word_ = 0;
  return {previous - first + 1, size_ - (largest_step - 1)};
}

}  // namespace coolspan
