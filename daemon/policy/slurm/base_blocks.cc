// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/slurm/base_blocks.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

namespace coolspan {

BaseBlocks::BaseBlocks(const Blocks& blocks, const std::vector<NodeId>& order)
    : blocks_(blocks), nodes_(blocks.count()) {
  for (TableIndex i = 0; i < order.size(); ++i) {
    nodes_[BlockOf(blocks, order[i])].push_back(i);
  }
}

// The state of one request. "Base" is the index of a base block, "part" that of
// a part, and "block" that of a block of the size of the rule.
class BaseBlocks::Choice {
 public:
  Choice(const BaseBlocks& all, TableNodes& nodes)
      : all_(all),
        nodes_(nodes),
        free_(all.blocks_.count(), 0),
        has_required_(all.blocks_.count(), false),
        is_used_(all.blocks_.count(), false) {
    NodeCount required = 0;
    for (std::uint32_t base = 0; base < count(); ++base) {
      for (const TableIndex node : all.nodes_[base]) {
        if (nodes.IsAvailable(node) && !nodes.IsChosen(node)) ++free_[base];
        if (!nodes.IsRequired(node)) continue;
        has_required_[base] = true;
        ++required;
      }
    }
    rule_ = RuleFor(all.blocks_, required + nodes.missing());
    max_parts_ = static_cast<std::int64_t>(rule_.max_parts);
    limits_parts_ = rule_.block_size != rule_.part_size * rule_.max_parts;
  }

  bool Run() {
    const std::optional<std::uint32_t> block =
        IsAnyRequired() ? RequiredBlock() : SmallestBlock();
    if (!block.has_value()) return false;
    first_ = *block * rule_.block_size;
    end_ = std::min(first_ + rule_.block_size, count());
    UseRequired();
    if (max_parts_ < 0 || FreeIn(first_, end_) < nodes_.missing()) return false;
    for (std::uint32_t base = first_; base < end_; ++base) {
      if (is_used_[base]) Take(base);
    }
    CountParts();
    while (nodes_.missing() > 0) {
      const Best best = BestBase();
      if (!best.base.has_value()) return false;
      if (max_parts_ <= 0 && !best.in_used_part) return false;
      const NodeCount before = nodes_.missing();
      Take(*best.base);
      is_used_[*best.base] = true;
      if (nodes_.missing() == before) return false;
      if (!best.in_used_part) --max_parts_;
    }
    return true;
  }

 private:
  struct Best {
    std::optional<std::uint32_t> base;
    bool in_used_part = true;  // true also where parts are not limited
  };

  std::uint32_t count() const { return all_.blocks_.count(); }
  std::uint32_t PartOf(std::uint32_t base) const {
    return base / rule_.part_size;
  }
  NodeCount FreeIn(std::uint32_t first, std::uint32_t end) const {
    return std::accumulate(free_.begin() + first, free_.begin() + end,
                           NodeCount{0});
  }
  bool IsAnyRequired() const {
    return std::find(has_required_.begin(), has_required_.end(), true) !=
           has_required_.end();
  }

  // The block with all required nodes.
  std::optional<std::uint32_t> RequiredBlock() const {
    std::optional<std::uint32_t> block;
    for (std::uint32_t base = 0; base < count(); ++base) {
      if (!has_required_[base]) continue;
      const std::uint32_t own = base / rule_.block_size;
      if (block.value_or(own) != own) return std::nullopt;
      block = own;
    }
    return block;
  }

  // The free nodes of a block that one job may use. Slurm may use those of a
  // part that does not count.
  NodeCount UsableIn(std::uint32_t first, std::uint32_t end) const {
    if (!limits_parts_) return FreeIn(first, end);
    std::vector<NodeCount> parts;
    for (std::uint32_t base = first; base < end && parts.size() < rule_.parts;
         base += rule_.part_size) {
      parts.push_back(FreeIn(base, std::min(base + rule_.part_size, end)));
    }
    std::sort(parts.begin(), parts.end(), std::greater<>());
    parts.resize(std::min<std::size_t>(parts.size(), rule_.max_parts));
    return std::accumulate(parts.begin(), parts.end(), NodeCount{0});
  }

  std::optional<std::uint32_t> SmallestBlock() const {
    std::optional<std::uint32_t> smallest;
    NodeCount free_in_smallest = 0;
    for (std::uint32_t first = 0; first < count(); first += rule_.block_size) {
      const std::uint32_t end = std::min(first + rule_.block_size, count());
      if (UsableIn(first, end) < nodes_.missing()) continue;
      const NodeCount free = FreeIn(first, end);
      if (smallest.has_value() && free > free_in_smallest) continue;
      smallest = first / rule_.block_size;
      free_in_smallest = free;
    }
    return smallest;
  }

  // Slurm marks base blocks with required nodes as used only if parts are
  // limited.
  void UseRequired() {
    if (!limits_parts_) return;
    std::optional<std::uint32_t> last_part;
    for (std::uint32_t base = first_; base < end_; ++base) {
      if (!has_required_[base]) continue;
      is_used_[base] = true;
      if (last_part != PartOf(base)) --max_parts_;
      last_part = PartOf(base);
    }
  }

  void CountParts() {
    free_in_part_.assign(PartOf(count() - 1) + 1, 0);
    for (std::uint32_t base = first_; base < end_; ++base) {
      if (!is_used_[base]) free_in_part_[PartOf(base)] += free_[base];
    }
  }

  bool IsPartUsed(std::uint32_t part) const {
    const std::uint32_t first = part * rule_.part_size;
    const auto begin = is_used_.begin() + first;
    const auto end =
        is_used_.begin() + std::min(first + rule_.part_size, count());
    return std::find(begin, end, true) != end;
  }

  void Take(std::uint32_t base) {
    for (const TableIndex node : all_.nodes_[base]) {
      if (nodes_.missing() == 0) return;
      if (nodes_.IsAvailable(node)) nodes_.Choose(node);
    }
  }

  // Positive: a count that fits is better if it is small, one that does not if
  // it is large.
  int CompareCounts(NodeCount count, NodeCount best) const {
    const bool fits = count >= nodes_.missing();
    const bool best_fits = best >= nodes_.missing();
    if (fits != best_fits) return fits ? 1 : -1;
    if (count == best) return 0;
    return (count < best) == fits ? 1 : -1;
  }

  // Compares the part of a base block with that of the best one so far.
  int CompareParts(std::uint32_t base, bool in_used_part,
                   const Best& best) const {
    if (in_used_part != best.in_used_part) return in_used_part ? 1 : -1;
    return CompareCounts(free_in_part_[PartOf(base)],
                         free_in_part_[PartOf(*best.base)]);
  }

  void Consider(std::uint32_t base, Best& best) const {
    if (limits_parts_ &&
        (!best.base.has_value() || PartOf(base) != PartOf(*best.base))) {
      const bool in_used_part = IsPartUsed(PartOf(base));
      const int order =
          best.base.has_value() ? CompareParts(base, in_used_part, best) : 1;
      if (order > 0) best = {base, in_used_part};
      if (order != 0) return;
    }
    if (best.base.has_value() &&
        CompareCounts(free_[base], free_[*best.base]) < 0) {
      return;
    }
    best.base = base;
  }

  Best BestBase() const {
    Best best;
    for (std::uint32_t base = first_; base < end_; ++base) {
      if (!is_used_[base]) Consider(base, best);
    }
    return best;
  }

  const BaseBlocks& all_;
  TableNodes& nodes_;
  std::vector<NodeCount> free_;  // by base block, before this request
  std::vector<bool> has_required_;
  std::vector<bool> is_used_;
  BlockRule rule_;
  std::int64_t max_parts_ = 0;  // that may still be used
  bool limits_parts_ = false;   // some blocks have more parts
  std::uint32_t first_ = 0;     // base blocks of the block, up to end_
  std::uint32_t end_ = 0;
  std::vector<NodeCount> free_in_part_;  // of base blocks not used at first
};

bool BaseBlocks::Choose(TableNodes& nodes) const {
  return Choice(*this, nodes).Run();
}

}  // namespace coolspan
