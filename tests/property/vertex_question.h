// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_PROPERTY_VERTEX_QUESTION_H_
#define COOLSPAN_TESTS_PROPERTY_VERTEX_QUESTION_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "policy/distance/free_vertices.h"
#include "policy/place_demand.h"
#include "property/placement_question.h"

namespace coolspan {

// The question as searches over vertices take it, and what they found.
class VertexQuestion {
 public:
  explicit VertexQuestion(const PlacementQuestion& question)
      : topology_(question.machine->topology()),
        available_(question.machine->node_count(), question.free),
        required_(question.machine->node_count(), question.required),
        choice_{available_, required_, required_.Count(), question.nodes, 0},
        pool_(FreeVertices(topology_, choice_)) {}
  VertexQuestion(const VertexQuestion&) = delete;
  VertexQuestion& operator=(const VertexQuestion&) = delete;

  const Topology& topology() const { return topology_; }
  const VertexPool& pool() const { return pool_; }

  // A bad answer to start from: the required nodes and the first of the other
  // nodes.
  VertexSet FirstNodes() const {
    VertexSet first;
    first.taken = pool_.required;
    NodeCount left = choice_.nodes - required_.Count();
    for (std::size_t i = 0; i < first.taken.size(); ++i) {
      const NodeCount more = std::min(left, pool_.free[i] - first.taken[i]);
      first.taken[i] += more;
      left -= more;
    }
    first.total = topology_.PairwiseTotal(NodesOf(first));
    return first;
  }
  std::vector<NodeId> NodesOf(const VertexSet& found) const {
    return NodesAtVertices(topology_, choice_, pool_, found.taken);
  }
  // Has as many nodes as requested, the required ones, and this total.
  void ExpectValid(const VertexSet& found) const {
    const std::vector<NodeId> nodes = NodesOf(found);
    EXPECT_EQ(nodes.size(), choice_.nodes);
    EXPECT_EQ(topology_.PairwiseTotal(nodes), found.total);
    EXPECT_TRUE(required_.IsSubsetOf(NodeSet(available_.size(), nodes)));
  }

 private:
  const Topology& topology_;
  const NodeSet available_;
  const NodeSet required_;
  const Choice choice_;
  const VertexPool pool_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_PROPERTY_VERTEX_QUESTION_H_
