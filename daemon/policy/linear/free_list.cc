// SPDX-License-Identifier: GPL-3.0-or-later

#include "policy/linear/index_pool.h"
#include "policy/place_demand.h"
#include "policy/policies.h"

namespace coolspan {
namespace {

// The sorted free list of Cplant 1.9 (cpa-rd100-cplant-bender, Cplant paper,
// section 2.1): the first free nodes in rank order, contiguous or not. Required
// nodes that are not among them replace the last ones.
class FreeList final : public Policy {
 public:
  explicit FreeList(const PolicyOptions& options)
      : indexes_(options.ordering) {}

  std::string_view name() const override { return "free-list"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& /*budget*/,
                                  Trace& trace) const override {
    return PlaceDemand(view, request, trace,
                       [this](const Choice& choice, Trace& facts) {
                         return FirstFree(choice, facts);
                       });
  }

 private:
  std::vector<NodeId> FirstFree(const Choice& choice, Trace& trace) const;

  // A cache: does not affect the answers.
  mutable IndexPool indexes_;
};

std::vector<NodeId> FreeList::FirstFree(const Choice& choice,
                                        Trace& trace) const {
  const IndexPool::Lease index = indexes_.Take(choice.available);
  std::vector<Rank> first_free;
  index->AppendFreeRanks(0, choice.nodes, first_free);
  std::vector<NodeId> nodes = choice.required.Members();
  NodeCount others = choice.nodes - choice.required_count;
  Rank last = 0;
  for (auto rank = first_free.begin(); others > 0; ++rank) {
    const NodeId node = index->ordering().NodeAt(*rank);
    if (choice.required_count > 0 && choice.required.Contains(node)) continue;
    nodes.push_back(node);
    last = *rank;
    --others;
  }
  trace.Note("last_rank", std::int64_t{last});
  return nodes;
}

}  // namespace

std::unique_ptr<Policy> MakeFreeList(
    const std::shared_ptr<const Machine>& /*machine*/,
    const PolicyOptions& options) {
  return std::make_unique<FreeList>(options);
}

}  // namespace coolspan
