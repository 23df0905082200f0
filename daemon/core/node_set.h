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
#include "core/types.h"

namespace coolspan {

// A set of nodes of one machine: a dense bitset of fixed size, processed by
// words. Node i is bit i % 64 of word i / 64; bits from size() on are zero.
// Binary operations REQUIRE equal sizes. Thread-compatible.
class NodeSet {
 public:
  static constexpr NodeCount kWordBits = 64;

  NodeSet() = default;
  explicit NodeSet(NodeCount size)
      : size_(size), words_((size + kWordBits - 1) / kWordBits) {}
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
  void Insert(NodeId node) { words_[node / kWordBits] |= Bit(node); }
  void Erase(NodeId node) { words_[node / kWordBits] &= ~Bit(node); }
  void Clear();

  NodeCount Count() const;
  bool Empty() const;
  bool Intersects(const NodeSet& other) const;
  bool IsSubsetOf(const NodeSet& other) const;
  // |*this & other| without making the intersection.
  NodeCount CountCommon(const NodeSet& other) const;

  NodeSet& operator|=(const NodeSet& other);
  NodeSet& operator&=(const NodeSet& other);
  NodeSet& operator-=(const NodeSet& other);
  friend bool operator==(const NodeSet& a, const NodeSet& b) = default;

  // Smallest member >= from, or size() if there is none.
  NodeId FindNext(NodeId from) const;

  // Calls visit(NodeId) for each member, ascending.
  template <typename Visitor>
  void ForEach(Visitor&& visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        visit(static_cast<NodeId>(w * kWordBits +
                                  static_cast<NodeId>(std::countr_zero(rest))));
      }
    }
  }
  std::vector<NodeId> Members() const;

  std::span<const std::uint64_t> words() const { return words_; }

 private:
  static std::uint64_t Bit(NodeId node) {
    return std::uint64_t{1} << (node % kWordBits);
  }

  NodeCount size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_NODE_SET_H_
