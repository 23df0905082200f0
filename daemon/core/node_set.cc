// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/node_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"

namespace coolspan {
namespace {

constexpr std::size_t kBytesOfBlock =
    NodeSet::kWordsOfBlock * sizeof(std::uint64_t);

// The wire form is little-endian.
void SwapOnBigEndian([[maybe_unused]] std::span<std::uint64_t> words) {
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
  for (std::size_t b = 0; b < all.words_.block_count(); ++b) {
    const std::span<std::uint64_t> words = all.words_.MutableBlock(b);
    std::fill(words.begin(), words.end(), ~std::uint64_t{0});
  }
  if (const NodeCount used = size % kWordBits; used != 0) {
    all.words_.Mutable(size / kWordBits) >>= kWordBits - used;
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
  for (std::size_t b = 0; b < set.words_.block_count(); ++b) {
    const std::span<std::uint64_t> words = set.words_.MutableBlock(b);
    const std::string_view part =
        bytes.substr(b * kBytesOfBlock, words.size() * sizeof(words[0]));
    std::memcpy(words.data(), part.data(), part.size());
    SwapOnBigEndian(words);
  }
  const NodeCount used = size % kWordBits;
  if (used != 0 && set.words_[size / kWordBits] >> used != 0) {
    return absl::InvalidArgumentError(fmt::format(
        "bitmap has a bit set past its {} nodes (expected 0)", size));
  }
  return set;
}

std::string NodeSet::ToBytes() const {
  std::string bytes((std::size_t{size_} + 7) / 8, '\0');
  for (std::size_t b = 0; b < words_.block_count(); ++b) {
    const std::span<const std::uint64_t> words = words_.Block(b);
    std::vector<std::uint64_t> swapped;
    const std::uint64_t* from = words.data();
    if constexpr (std::endian::native == std::endian::big) {
      swapped.assign(words.begin(), words.end());
      SwapOnBigEndian(swapped);
      from = swapped.data();
    }
    const std::size_t begin = b * kBytesOfBlock;
    std::memcpy(&bytes[begin], from,
                std::min(words.size_bytes(), bytes.size() - begin));
  }
  return bytes;
}

void NodeSet::Clear() { words_ = Words(words_.size(), 0); }

NodeCount NodeSet::Count() const {
  NodeCount count = 0;
  for (std::size_t b = 0; b < words_.block_count(); ++b) {
    for (const std::uint64_t word : words_.Block(b)) {
      count += static_cast<NodeCount>(std::popcount(word));
    }
  }
  return count;
}

bool NodeSet::Empty() const {
  for (std::size_t b = 0; b < words_.block_count(); ++b) {
    for (const std::uint64_t word : words_.Block(b)) {
      if (word != 0) return false;
    }
  }
  return true;
}

// Whether holds(word of this, word of other) for all words.
template <typename Holds>
bool NodeSet::HoldsForAll(const NodeSet& other, Holds&& holds) const {
  for (std::size_t b = 0; b < words_.block_count(); ++b) {
    const std::span<const std::uint64_t> own = words_.Block(b);
    const std::span<const std::uint64_t> others = other.words_.Block(b);
    for (std::size_t w = 0; w < own.size(); ++w) {
      if (!holds(own[w], others[w])) return false;
    }
  }
  return true;
}

bool NodeSet::Intersects(const NodeSet& other) const {
  return !HoldsForAll(other, [](std::uint64_t own, std::uint64_t others) {
    return (own & others) == 0;
  });
}

bool NodeSet::IsSubsetOf(const NodeSet& other) const {
  return HoldsForAll(other, [](std::uint64_t own, std::uint64_t others) {
    return (own & ~others) == 0;
  });
}

NodeCount NodeSet::CountCommon(const NodeSet& other) const {
  NodeCount count = 0;
  HoldsForAll(other, [&count](std::uint64_t own, std::uint64_t others) {
    count += static_cast<NodeCount>(std::popcount(own & others));
    return true;
  });
  return count;
}

template <typename Combine>
void NodeSet::CombineWith(const NodeSet& other, Combine&& combine) {
  for (std::size_t b = 0; b < words_.block_count(); ++b) {
    const std::span<const std::uint64_t> own = words_.Block(b);
    const std::span<const std::uint64_t> others = other.words_.Block(b);
    bool as_own = true;
    bool as_other = true;
    for (std::size_t w = 0; w < own.size(); ++w) {
      const std::uint64_t combined = combine(own[w], others[w]);
      as_own &= combined == own[w];
      as_other &= combined == others[w];
    }
    if (as_own) continue;
    if (as_other) {
      words_.ShareBlock(b, other.words_);
      continue;
    }
    const std::span<std::uint64_t> words = words_.MutableBlock(b);
    for (std::size_t w = 0; w < words.size(); ++w) {
      words[w] = combine(words[w], others[w]);
    }
  }
}

NodeSet& NodeSet::operator|=(const NodeSet& other) {
  CombineWith(other, [](std::uint64_t a, std::uint64_t b) { return a | b; });
  return *this;
}

NodeSet& NodeSet::operator&=(const NodeSet& other) {
  CombineWith(other, [](std::uint64_t a, std::uint64_t b) { return a & b; });
  return *this;
}

NodeSet& NodeSet::operator-=(const NodeSet& other) {
  CombineWith(other, [](std::uint64_t a, std::uint64_t b) { return a & ~b; });
  return *this;
}

NodeId NodeSet::FindNext(NodeId from) const {
  if (from >= size_) return size_;
  const std::size_t first = from / kWordBits;
  std::uint64_t mask = ~std::uint64_t{0} << (from % kWordBits);
  std::size_t w = first % kWordsOfBlock;
  for (std::size_t b = first / kWordsOfBlock; b < words_.block_count(); ++b) {
    const std::span<const std::uint64_t> words = words_.Block(b);
    for (; w < words.size(); ++w) {
      const std::uint64_t rest = words[w] & mask;
      if (rest != 0) {
        return static_cast<NodeId>((b * kWordsOfBlock + w) * kWordBits +
                                   static_cast<NodeId>(std::countr_zero(rest)));
      }
      mask = ~std::uint64_t{0};
    }
    w = 0;
  }
  return size_;
}

std::vector<NodeId> NodeSet::Members() const {
  std::vector<NodeId> members;
  members.reserve(Count());
  ForEach([&members](NodeId node) { members.push_back(node); });
  return members;
}

}  // namespace coolspan
