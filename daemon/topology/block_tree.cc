// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/block_tree.h"

#include <bit>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topology/fat_tree.h"

namespace coolspan {
namespace {

class BlockTree final : public Topology {
 public:
  BlockTree(Blocks blocks, std::shared_ptr<const Topology> tree)
      : blocks_(std::move(blocks)), tree_(std::move(tree)) {}

  std::string_view kind() const override { return "blocks"; }
  NodeCount node_count() const override { return tree_->node_count(); }
  VertexId vertex_count() const override { return tree_->vertex_count(); }
  VertexId VertexOf(NodeId node) const override {
    return tree_->VertexOf(node);
  }
  NodeRange NodesAt(VertexId vertex) const override {
    return tree_->NodesAt(vertex);
  }
  Hops VertexDistance(VertexId a, VertexId b) const override {
    return tree_->VertexDistance(a, b);
  }
  void AppendNeighbours(VertexId vertex,
                        std::vector<VertexId>& out) const override {
    tree_->AppendNeighbours(vertex, out);
  }
  std::uint64_t PairwiseTotal(std::span<const NodeId> nodes) const override {
    return tree_->PairwiseTotal(nodes);
  }
  const Blocks* blocks() const override { return &blocks_; }
  const Switches* switches() const override { return tree_->switches(); }

 private:
  Blocks blocks_;
  std::shared_ptr<const Topology> tree_;
};

absl::Status CheckBlocks(const Blocks& blocks) {
  if (blocks.first_node.size() < 2 || blocks.base_nodes == 0) {
    return absl::InvalidArgumentError("no blocks");
  }
  for (std::size_t b = 0; b + 1 < blocks.first_node.size(); ++b) {
    if (blocks.first_node[b + 1] <= blocks.first_node[b]) {
      return absl::InvalidArgumentError(
          absl::StrCat("block ", b, " has no nodes (expected at least 1)"));
    }
  }
  std::uint32_t last = 0;
  for (const std::uint32_t size : blocks.sizes) {
    if (!std::has_single_bit(size) || size <= last ||
        (last == 0 && size != 1)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a block of ", size,
          " base blocks (expected 1, and then ascending powers of 2)"));
    }
    last = size;
  }
  return last == 0 ? absl::InvalidArgumentError("no sizes of blocks")
                   : absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Topology>> MakeBlockTree(Blocks blocks) {
  if (absl::Status status = CheckBlocks(blocks); !status.ok()) return status;
  SwitchTree tree;
  // The switches of one size, and the base blocks of each.
  std::size_t level_start = 0;
  std::uint32_t level_size = 1;
  for (std::uint32_t b = 0; b < blocks.count(); ++b) {
    tree.nodes_at.push_back(blocks.first_node[b + 1] - blocks.first_node[b]);
  }
  const auto add_level = [&](std::uint32_t size) {
    const std::size_t start = tree.nodes_at.size();
    for (std::size_t v = level_start; v < start; ++v) {
      tree.parent.push_back(static_cast<VertexId>(
          start + (v - level_start) / (size / level_size)));
    }
    level_start = start;
    level_size = size;
    tree.nodes_at.resize(start + (blocks.count() - 1) / size + 1, 0);
  };
  for (const std::uint32_t size : blocks.sizes) {
    if (size > 1 && size < blocks.count()) add_level(size);
  }
  // One above all; a single base block is its own top.
  if (blocks.count() > 1) add_level(level_size * std::bit_ceil(blocks.count()));
  tree.parent.push_back(static_cast<VertexId>(tree.parent.size()));
  auto made = MakeFatTree(std::move(tree));
  if (!made.ok()) return made.status();
  return std::make_shared<const BlockTree>(std::move(blocks), *std::move(made));
}

}  // namespace coolspan
