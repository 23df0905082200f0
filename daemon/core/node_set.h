// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_NODE_SET_H_
#define COOLSPAN_CORE_NODE_SET_H_

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/shared_array.h"
#include "core/types.h"

namespace coolspan {

// A set of nodes of one machine: a dense bitset of fixed size, processed by
// words. Node i is bit i % 64 of word i / 64; bits from size() on are zero.
// Copies share blocks of 32,768 nodes until they differ there. Binary
// operations REQUIRE equal sizes. Thread safety as SharedArray's.
class NodeSet {
 public:
  static constexpr NodeCount kWordBits = 64;
  static constexpr std::size_t kWordsOfBlock = 512;

  NodeSet() = default;
  explicit NodeSet(NodeCount size)
      : size_(size), words_((size + kWordBits - 1) / kWordBits, 0) {}
  NodeSet(NodeCount size, std::span<const NodeId> members);

  static NodeSet All(NodeCount size);
  // The wire form: node i is bit i % 8 of byte i / 8, bit 0 the least
  // significant. Errors: INVALID_ARGUMENT for a length other than ceil(size /
  // 8) and for a set bit from size on.
  static absl::StatusOr<NodeSet> FromBytes(std::string_view bytes,
                                           NodeCount size);
  std::string ToBytes() const;

  NodeCount size() const { return size_; }
  bool Contains(NodeId node) const {
    return (words_[node / kWordBits] >> (node % kWordBits) & 1U) != 0;
  }
  void Insert(NodeId node) { words_.Mutable(node / kWordBits) |= Bit(node); }
  void Erase(NodeId node) { words_.Mutable(node / kWordBits) &= ~Bit(node); }
  void Clear();

  NodeCount Count() const;
  bool Empty() const;
  bool Intersects(const NodeSet& other) const;
  bool IsSubsetOf(const NodeSet& other) const;
  // |*this & other| without making the intersection.
  NodeCount CountCommon(const NodeSet& other) const;

  // A block that stays what it was in one of the two remains shared with it.
  NodeSet& operator|=(const NodeSet& other);
  NodeSet& operator&=(const NodeSet& other);
  NodeSet& operator-=(const NodeSet& other);
  friend bool operator==(const NodeSet& a, const NodeSet& b) = default;

  // Smallest member >= from, or size() if there is none.
  NodeId FindNext(NodeId from) const;

  // Calls visit(NodeId) for each member, ascending.
  template <typename Visitor>
  void ForEach(Visitor&& visit) const {
    NodeId base = 0;
    for (std::size_t b = 0; b < words_.block_count(); ++b) {
      for (std::uint64_t rest : words_.Block(b)) {
        for (; rest != 0; rest &= rest - 1) {
          visit(base + static_cast<NodeId>(std::countr_zero(rest)));
        }
        base += kWordBits;
      }
    }
  }
  std::vector<NodeId> Members() const;

  std::size_t word_count() const { return words_.size(); }
  std::uint64_t word(std::size_t w) const { return words_[w]; }
  // Words b * kWordsOfBlock and the ones after it.
  std::size_t block_count() const { return words_.block_count(); }
  std::span<const std::uint64_t> block(std::size_t b) const {
    return words_.Block(b);
  }
  // The caller keeps the bits past size() zero.
  std::span<std::uint64_t> MutableBlock(std::size_t b) {
    return words_.MutableBlock(b);
  }

 private:
  using Words = SharedArray<std::uint64_t, kWordsOfBlock>;

  static std::uint64_t Bit(NodeId node) {
    return std::uint64_t{1} << (node % kWordBits);
  }
  template <typename Combine>
  void CombineWith(const NodeSet& other, Combine&& combine);
  template <typename Holds>
  bool HoldsForAll(const NodeSet& other, Holds&& holds) const;

  NodeCount size_ = 0;
  Words words_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_NODE_SET_H_
