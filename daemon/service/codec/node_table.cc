// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/node_table.h"

#include <fmt/format.h>

#include <bit>

#include "absl/container/flat_hash_set.h"
#include "core/hostlist.h"
#include "core/stable_hash.h"

namespace coolspan {
namespace {

absl::StatusOr<std::vector<std::string>> ExpandNames(
    std::span<const std::string> hostlists) {
  std::vector<std::string> names;
  for (const std::string& hostlist : hostlists) {
    auto part = ExpandHostlist(hostlist, NodeTable::kMaxNames - names.size());
    if (!part.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("hostlist: {}", std::string(part.status().message())));
    }
    if (part->empty()) {
      return absl::InvalidArgumentError(
          "hostlist: empty entry (expected node names in each)");
    }
    names.insert(names.end(), std::make_move_iterator(part->begin()),
                 std::make_move_iterator(part->end()));
  }
  if (names.empty()) {
    return absl::InvalidArgumentError(
        "hostlist: empty (expected the node names of the cluster)");
  }
  return names;
}

}  // namespace

absl::StatusOr<NodeTable> NodeTable::Create(
    const Machine& machine, std::span<const std::string> hostlists) {
  auto names = ExpandNames(hostlists);
  if (!names.ok()) return names.status();
  NodeTable table;
  table.node_at_.reserve(names->size());
  table.bit_of_.assign(machine.node_count(), 0);
  table.known_ = NodeSet(machine.node_count());
  table.is_identity_ = names->size() == machine.node_count();
  absl::flat_hash_set<std::string_view> seen;
  StableHash hash;
  for (const std::string& name : *names) {
    if (!seen.insert(name).second) {
      return absl::InvalidArgumentError(
          fmt::format("hostlist: node {} specified more than once", name));
    }
    hash.Add(name);
    const auto bit = static_cast<std::uint32_t>(table.node_at_.size());
    const NodeId node = machine.FindNode(name).value_or(kUnknown);
    table.node_at_.push_back(node);
    table.is_identity_ = table.is_identity_ && node == bit;
    if (node == kUnknown) {
      ++table.unknown_count_;
    } else {
      table.known_.Insert(node);
      table.bit_of_[node] = bit;
    }
  }
  table.text_ = fmt::format("{}", fmt::join(hostlists, ","));
  table.epoch_ = fmt::format("{}-{:016x}", names->size(), hash.value());
  return table;
}

absl::Status NodeTable::CheckBitmap(std::string_view bitmap,
                                    std::string_view field) const {
  const std::size_t expected = (size() + 7) / 8;
  if (bitmap.size() != expected) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: the bitmap has {} bytes (expected {} for a node table of {} "
        "names)",
        field, bitmap.size(), expected, size()));
  }
  const std::size_t bits_of_last = size() % 8;
  if (bits_of_last != 0 &&
      static_cast<unsigned char>(bitmap.back()) >> bits_of_last != 0) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: the bitmap has bits set beyond the last of {} names (expected "
        "zeros)",
        field, size()));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::size_t>> NodeTable::BitsOf(
    std::string_view bitmap, std::string_view field) const {
  if (absl::Status status = CheckBitmap(bitmap, field); !status.ok()) {
    return status;
  }
  std::vector<std::size_t> bits;
  for (std::size_t at = 0; at < bitmap.size(); ++at) {
    for (auto rest = static_cast<unsigned char>(bitmap[at]); rest != 0;
         rest = static_cast<unsigned char>(rest & (rest - 1))) {
      bits.push_back(8 * at + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }
  return bits;
}

absl::StatusOr<NodeSet> NodeTable::Decode(std::string_view bitmap,
                                          std::string_view field,
                                          std::uint32_t& unknown) const {
  unknown = 0;
  if (is_identity_) {
    if (absl::Status status = CheckBitmap(bitmap, field); !status.ok()) {
      return status;
    }
    return NodeSet::FromBytes(bitmap, known_.size());
  }
  auto bits = BitsOf(bitmap, field);
  if (!bits.ok()) return bits.status();
  NodeSet nodes(known_.size());
  for (const std::size_t bit : *bits) {
    if (node_at_[bit] == kUnknown) {
      ++unknown;
    } else {
      nodes.Insert(node_at_[bit]);
    }
  }
  return nodes;
}

std::string NodeTable::Encode(std::span<const NodeId> nodes) const {
  std::string bitmap((size() + 7) / 8, '\0');
  for (const NodeId node : nodes) {
    const std::uint32_t bit = bit_of_[node];
    bitmap[bit / 8] = static_cast<char>(
        static_cast<unsigned char>(bitmap[bit / 8]) | 1U << bit % 8);
  }
  return bitmap;
}

}  // namespace coolspan
