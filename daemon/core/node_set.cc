// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/node_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"

namespace coolspan {
namespace {

// The wire form is little-endian.
void SwapOnBigEndian(std::span<std::uint64_t> words) {
  if constexpr (std::endian::native == std::endian::big) {
    for (std::uint64_t& word : words) word = __builtin_bswap64(word);
  }
}

}  // namespace

NodeSet::NodeSet(NodeCount size, std::span<const NodeId> members)
    : NodeSet(size) {
  for (const NodeId node : members) Insert(node);
}

NodeSet NodeSet::All(NodeCount size) {
  NodeSet all(size);
  std::fill(all.words_.begin(), all.words_.end(), ~std::uint64_t{0});
  if (const NodeCount used = size % kWordBits; used != 0) {
    all.words_.back() >>= kWordBits - used;
  }
  return all;
}

absl::StatusOr<NodeSet> NodeSet::FromBytes(std::string_view bytes,
                                           NodeCount size) {
  const std::size_t expected = (std::size_t{size} + 7) / 8;
  if (bytes.size() != expected) {
    return absl::InvalidArgumentError(
        fmt::format("bitmap of {} bytes (expected {} for {} nodes)",
                    bytes.size(), expected, size));
  }
  NodeSet set(size);
  if (expected == 0) return set;
  std::memcpy(set.words_.data(), bytes.data(), bytes.size());
  SwapOnBigEndian(set.words_);
  const NodeCount used = size % kWordBits;
  if (used != 0 && set.words_.back() >> used != 0) {
    return absl::InvalidArgumentError(fmt::format(
        "bitmap has a bit set past its {} nodes (expected 0)", size));
  }
  return set;
}

std::string NodeSet::ToBytes() const {
  std::string bytes((std::size_t{size_} + 7) / 8, '\0');
  if (bytes.empty()) return bytes;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(bytes.data(), words_.data(), bytes.size());
  } else {
    std::vector<std::uint64_t> swapped = words_;
    SwapOnBigEndian(swapped);
    std::memcpy(bytes.data(), swapped.data(), bytes.size());
  }
  return bytes;
}

void NodeSet::Clear() { std::fill(words_.begin(), words_.end(), 0); }

NodeCount NodeSet::Count() const {
  NodeCount count = 0;
  for (const std::uint64_t word : words_) {
    count += static_cast<NodeCount>(std::popcount(word));
  }
  return count;
}

bool NodeSet::Empty() const {
  return std::all_of(words_.begin(), words_.end(),
                     [](std::uint64_t word) { return word == 0; });
}

bool NodeSet::Intersects(const NodeSet& other) const {
  for (std::size_t w = 0; w < words_.size(); ++w) {
    if ((words_[w] & other.words_[w]) != 0) return true;
  }
  return false;
}

bool NodeSet::IsSubsetOf(const NodeSet& other) const {
  for (std::size_t w = 0; w < words_.size(); ++w) {
    if ((words_[w] & ~other.words_[w]) != 0) return false;
  }
  return true;
}

NodeCount NodeSet::CountCommon(const NodeSet& other) const {
  NodeCount count = 0;
  for (std::size_t w = 0; w < words_.size(); ++w) {
    count += static_cast<NodeCount>(std::popcount(words_[w] & other.words_[w]));
  }
  return count;
}

NodeSet& NodeSet::operator|=(const NodeSet& other) {
  for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  return *this;
}

NodeSet& NodeSet::operator&=(const NodeSet& other) {
  for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
  return *this;
}

NodeSet& NodeSet::operator-=(const NodeSet& other) {
  for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
  return *this;
}

NodeId NodeSet::FindNext(NodeId from) const {
  if (from >= size_) return size_;
  std::size_t w = from / kWordBits;
  std::uint64_t rest = words_[w] & (~std::uint64_t{0} << (from % kWordBits));
  while (rest == 0) {
    if (++w == words_.size()) return size_;
    rest = words_[w];
  }
  return static_cast<NodeId>(w * kWordBits +
                             static_cast<NodeId>(std::countr_zero(rest)));
}

std::vector<NodeId> NodeSet::Members() const {
  std::vector<NodeId> members;
  members.reserve(Count());
  ForEach([&members](NodeId node) { members.push_back(node); });
  return members;
}

}  // namespace coolspan
