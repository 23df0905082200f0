// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/in_order.h"

#include "mapping/mappers.h"

namespace coolspan {
namespace {

class InOrder final : public Mapper {
 public:
  RankToNode Map(const Topology& /*topology*/, const MappingProblem& problem,
                 Budget& /*budget*/) const override {
    return MapInOrder(problem);
  }
};

}  // namespace

RankToNode MapInOrder(const MappingProblem& problem) {
  const std::size_t ranks = problem.pattern->ranks();
  RankToNode rank_to_node;
  rank_to_node.reserve(ranks);
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    for (std::uint32_t slot = 0;
         slot < problem.slots[i] && rank_to_node.size() < ranks; ++slot) {
      rank_to_node.push_back(problem.nodes[i]);
    }
  }
  return rank_to_node;
}

std::unique_ptr<Mapper> MakeInOrder(const SpecValues& /*values*/) {
  return std::make_unique<InOrder>();
}

}  // namespace coolspan
