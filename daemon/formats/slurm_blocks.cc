// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/slurm_blocks.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "core/hostlist.h"
#include "core/topology.h"
#include "formats/file_error.h"

namespace coolspan {
namespace {

constexpr std::uint32_t kDefaultSizes[] = {1, 2, 4, 8, 16};
constexpr std::uint32_t kMaxSize = 1U << 15;

class SlurmBlocksReader {
 public:
  explicit SlurmBlocksReader(const std::string& path) : path_(path) {}

  absl::StatusOr<SlurmBlocks> Read(const std::vector<SlurmLine>& lines) {
    result_.blocks.first_node = {0};
    for (const SlurmLine& line : lines) {
      const absl::Status status =
          line.front().key == "blocksizes" ? ReadSizes(line) : AddBlock(line);
      if (!status.ok()) return status;
    }
    if (block_places_.empty()) {
      return ErrorAt(path_, {1, 1},
                     "no block (expected lines BlockName=NAME Nodes=LIST)");
    }
    if (absl::Status status = SetSizes(); !status.ok()) return status;
    return std::move(result_);
  }

 private:
  absl::Status ReadSizes(const SlurmLine& settings) {
    const SlurmSetting& setting = settings.front();
    if (settings.size() > 1) {
      return ErrorAt(path_, settings[1].key_place,
                     fmt::format("unknown key {} after BlockSizes (expected "
                                 "the end of the line)",
                                 Quoted(settings[1].written_key)));
    }
    if (!sizes_.empty()) {
      return ErrorAt(path_, setting.key_place,
                     "BlockSizes: specified more than once");
    }
    sizes_place_ = setting.value_place;
    for (const absl::string_view text : absl::StrSplit(setting.value, ',')) {
      std::uint32_t size = 0;
      if (!absl::SimpleAtoi(text, &size) || size == 0 || size > kMaxVertices) {
        return ErrorAt(path_, sizes_place_,
                       fmt::format("BlockSizes: {} is not a number of nodes "
                                   "(expected 1 to {})",
                                   Quoted(std::string(text)), kMaxVertices));
      }
      sizes_.push_back(size);
    }
    return absl::OkStatus();
  }

  absl::Status AddBlock(const SlurmLine& settings) {
    const SlurmSetting* name = nullptr;
    const SlurmSetting* nodes = nullptr;
    for (const SlurmSetting& setting : settings) {
      const bool is_name = setting.key == "blockname";
      if (!is_name && setting.key != "nodes") {
        return ErrorAt(
            path_, setting.key_place,
            fmt::format(
                "unknown key {} (expected BlockName, Nodes or BlockSizes)",
                Quoted(setting.written_key)));
      }
      const SlurmSetting*& found = is_name ? name : nodes;
      if (found != nullptr) {
        return ErrorAt(
            path_, setting.key_place,
            fmt::format("{}: specified more than once", setting.written_key));
      }
      found = &setting;
    }
    const Place place = settings.front().key_place;
    if (name == nullptr || name->value.empty()) {
      return ErrorAt(path_, place,
                     "BlockName: missing (expected BlockName=NAME)");
    }
    if (nodes == nullptr) {
      return ErrorAt(path_, place,
                     fmt::format("block {}: no Nodes (expected Nodes=LIST)",
                                 Quoted(name->value)));
    }
    const auto [known, is_new] =
        block_named_.try_emplace(name->value, block_places_.size());
    if (!is_new) {
      return ErrorAt(
          path_, name->value_place,
          fmt::format("block {}: specified more than once, first in line {}",
                      Quoted(name->value), block_places_[known->second].line));
    }
    block_places_.push_back(nodes->value_place);
    return AddNodes(*nodes);
  }

  absl::Status AddNodes(const SlurmSetting& setting) {
    auto names = ExpandHostlist(setting.value, kMaxVertices);
    if (!names.ok()) {
      return ErrorAt(path_, setting.value_place,
                     fmt::format("Nodes: {}", MessageOf(names.status())));
    }
    if (names->empty()) {
      return ErrorAt(path_, setting.value_place,
                     "Nodes: no value (expected a hostlist)");
    }
    for (std::string& node : *names) {
      const auto [known, is_new] =
          block_of_node_.try_emplace(node, block_places_.size() - 1);
      if (!is_new) {
        return ErrorAt(
            path_, setting.value_place,
            fmt::format("node {}: in two blocks, first in line {} (expected "
                        "one block for each node)",
                        Quoted(node), block_places_[known->second].line));
      }
      result_.names.push_back(std::move(node));
    }
    if (result_.names.size() > kMaxVertices) {
      return ErrorAt(path_, setting.value_place,
                     fmt::format("more than {} nodes (expected at most {})",
                                 kMaxVertices, kMaxVertices));
    }
    result_.blocks.first_node.push_back(
        static_cast<NodeId>(result_.names.size()));
    return absl::OkStatus();
  }

  absl::Status SetSizes() {
    Blocks& blocks = result_.blocks;
    if (sizes_.empty()) {
      blocks.base_nodes = blocks.first_node[1];
      blocks.sizes.assign(std::begin(kDefaultSizes), std::end(kDefaultSizes));
    } else {
      blocks.base_nodes = sizes_.front();
      for (const std::uint32_t size : sizes_) {
        const std::uint32_t blocks_of_it = size / blocks.base_nodes;
        if (size % blocks.base_nodes != 0 ||
            !std::has_single_bit(blocks_of_it) || blocks_of_it > kMaxSize ||
            (!blocks.sizes.empty() && blocks_of_it <= blocks.sizes.back())) {
          return ErrorAt(
              path_, sizes_place_,
              fmt::format("BlockSizes: {} after {} (expected the first size "
                          "times ascending powers of 2, at most {})",
                          size, blocks.base_nodes, kMaxSize));
        }
        blocks.sizes.push_back(blocks_of_it);
      }
    }
    return absl::OkStatus();
  }

  std::string path_;
  SlurmBlocks result_;
  std::vector<std::uint32_t> sizes_;  // in nodes, as in the file
  Place sizes_place_;
  std::vector<Place> block_places_;
  absl::flat_hash_map<std::string, std::size_t> block_named_;
  absl::flat_hash_map<std::string, std::size_t> block_of_node_;
};

}  // namespace

absl::StatusOr<SlurmBlocks> ReadSlurmBlocks(
    const std::string& path, const std::vector<SlurmLine>& lines) {
  return SlurmBlocksReader(path).Read(lines);
}

}  // namespace coolspan
