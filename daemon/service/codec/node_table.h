// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CODEC_NODE_TABLE_H_
#define COOLSPAN_SERVICE_CODEC_NODE_TABLE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/node_set.h"
#include "core/types.h"

namespace coolspan {

// Node names of a resource manager in bitmap order, with the nodes of the
// machine they refer to. Names that are not in the machine have a bit, but are
// never allocated. Immutable, thread-safe.
class NodeTable {
 public:
  static constexpr std::size_t kMaxNames = std::size_t{1} << 22;
  static constexpr NodeId kUnknown = ~NodeId{0};

  NodeTable() = default;
  // Error: INVALID_ARGUMENT (syntax of a hostlist, no names, more than
  // kMaxNames, duplicate names).
  static absl::StatusOr<NodeTable> Create(
      const Machine& machine, std::span<const std::string> hostlists);

  std::size_t size() const { return node_at_.size(); }
  std::uint32_t unknown_count() const { return unknown_count_; }
  // Nodes of the machine that have a name here.
  const NodeSet& known() const { return known_; }
  // Identifies the table: the number of names and a hash of them.
  const std::string& epoch() const { return epoch_; }
  // The names as one hostlist.
  const std::string& text() const { return text_; }
  // kUnknown for names that are not in the machine.
  NodeId NodeAt(std::size_t bit) const { return node_at_[bit]; }

  // The bits set, ascending.
  // Error: INVALID_ARGUMENT with the field (length other than ceil(size / 8)
  // bytes, bits set beyond the last name).
  absl::StatusOr<std::vector<std::size_t>> BitsOf(std::string_view bitmap,
                                                  std::string_view field) const;
  // The nodes of a bitmap. unknown: set to the number of unknown names in it.
  absl::StatusOr<NodeSet> Decode(std::string_view bitmap,
                                 std::string_view field,
                                 std::uint32_t& unknown) const;
  // REQUIRES nodes that are in the table.
  std::string Encode(std::span<const NodeId> nodes) const;

 private:
  absl::Status CheckBitmap(std::string_view bitmap,
                           std::string_view field) const;

  std::vector<NodeId> node_at_;        // by bit
  std::vector<std::uint32_t> bit_of_;  // by NodeId
  NodeSet known_;
  std::uint32_t unknown_count_ = 0;
  // Bit i is node i, for all nodes of the machine.
  bool is_identity_ = false;
  std::string epoch_;
  std::string text_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CODEC_NODE_TABLE_H_
