// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "policy/buddy/buddy_blocks.h"
#include "policy/place_demand.h"
#include "policy/policies.h"

namespace coolspan {
namespace {

// The multi-buddy strategy MBS (Lo et al., IEEE TPDS 8(7), 1997; cited by
// cpa-rd100-cplant-bender). The request of k nodes is written as the sum with
// the fewest blocks,
//   k = sum over i of a_i 2^(d i)    (d dimensions, one node per vertex)
// For each size, largest first, blocks of that size are taken, then larger ones
// are split into buddies; blocks that are still missing are replaced by blocks
// of the next smaller size. The free blocks follow from the free nodes, so no
// state is kept between decisions.
//
// Blocks with required nodes come before others of their size. A block that
// would leave too few nodes for the other required ones is split.
class MultiBuddy final : public Policy {
 public:
  MultiBuddy(std::shared_ptr<const Machine> machine,
             std::shared_ptr<const Ordering> ordering)
      : machine_(std::move(machine)), ordering_(std::move(ordering)) {}

  std::string_view name() const override { return "mbs"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& /*budget*/,
                                  Trace& trace) const override {
    return PlaceDemand(view, request, trace,
                       [this](const Choice& choice, Trace& facts) {
                         return ChooseBlocks(choice, facts);
                       });
  }

 private:
  std::vector<NodeId> ChooseBlocks(const Choice& choice, Trace& trace) const;

  std::shared_ptr<const Machine> machine_;
  std::shared_ptr<const Ordering> ordering_;
};

std::vector<NodeId> MultiBuddy::ChooseBlocks(const Choice& choice,
                                             Trace& trace) const {
  BuddyBlocks free(machine_->topology(), *ordering_, choice);
  NodeCount missing = choice.nodes;
  NodeCount missing_others = choice.nodes - choice.required_count;
  std::vector<NodeId> nodes;
  std::int64_t blocks = 0;
  std::int64_t splits = 0;
  NodeCount largest = 0;
  for (std::size_t level = free.level_count(); level-- > 0;) {
    while (free.NodesAtLevel(level) <= missing) {
      const auto block = free.Pop(level);
      if (!block) break;
      const NodeCount others = free.NodesOf(*block) - block->required;
      if (block->level == level && others <= missing_others) {
        free.AppendNodes(*block, nodes);
        missing -= free.NodesOf(*block);
        missing_others -= others;
        largest = std::max(largest, free.NodesOf(*block));
        ++blocks;
      } else if (block->level > level || block->required > 0) {
        free.Split(*block);
        ++splits;
      } else {
        // The other blocks have no required nodes either.
        free.PutBack(*block);
        break;
      }
    }
  }
  trace.Note("blocks", blocks);
  trace.Note("largest_block_nodes", std::int64_t{largest});
  trace.Note("splits", splits);
  return nodes;
}

}  // namespace

std::unique_ptr<Policy> MakeMbs(const std::shared_ptr<const Machine>& machine,
                                const PolicyOptions& options) {
  return std::make_unique<MultiBuddy>(machine, options.ordering);
}

}  // namespace coolspan
