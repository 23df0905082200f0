// SPDX-License-Identifier: GPL-3.0-or-later
#include <bit>
#include <random>

#include "policy/place_demand.h"
#include "policy/policies.h"
#include "policy/uniform_draw.h"

namespace coolspan {
namespace {

// A uniformly random set of `count` numbers below bound (Floyd's algorithm).
NodeSet Sample(std::mt19937_64& random, NodeCount bound, NodeCount count) {
  NodeSet sample(bound);
  for (NodeCount top = bound - count; top < bound; ++top) {
    const NodeCount draw = UniformDraw(random, top + 1);
    sample.Insert(sample.Contains(draw) ? top : draw);
  }
  return sample;
}

// The required nodes and a uniformly random set of the others.
class Random final : public Policy {
 public:
  std::string_view name() const override { return "random"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& /*budget*/,
                                  Trace& trace) const override {
    return PlaceDemand(view, request, trace, Draw);
  }

 private:
  static std::vector<NodeId> Draw(const Choice& choice, Trace& trace) {
    NodeSet others = choice.available;
    if (choice.required_count > 0) others -= choice.required;
    const NodeCount others_count = others.Count();
    std::mt19937_64 random(choice.seed);
    const NodeSet positions =
        Sample(random, others_count, choice.nodes - choice.required_count);
    trace.Note("seed", static_cast<std::int64_t>(choice.seed));
    std::vector<NodeId> nodes = choice.required.Members();
    AppendMembersAt(others, positions, nodes);
    return nodes;
  }

  // Appends the members of `set` at these positions of its ascending order.
  static void AppendMembersAt(const NodeSet& set, const NodeSet& positions,
                              std::vector<NodeId>& out) {
    NodeCount before = 0;
    std::size_t w = 0;
    std::uint64_t word = set.word_count() == 0 ? 0 : set.word(0);
    positions.ForEach([&](NodeId position) {
      while (before + static_cast<NodeCount>(std::popcount(word)) <= position) {
        before += static_cast<NodeCount>(std::popcount(word));
        word = set.word(++w);
      }
      for (; before < position; ++before) word &= word - 1;
      out.push_back(static_cast<NodeId>(w * NodeSet::kWordBits) +
                    static_cast<NodeId>(std::countr_zero(word)));
    });
  }
};

}  // namespace

std::unique_ptr<Policy> MakeRandom(
    const std::shared_ptr<const Machine>& /*machine*/,
    const PolicyOptions& /*options*/) {
  return std::make_unique<Random>();
}

}  // namespace coolspan
