// SPDX-License-Identifier: GPL-3.0-or-later
// Branch and bound for any hop distance against exhaustive enumeration. It
// starts from a bad answer, so that a bound that is too high is detected.
#include "policy/optimal/pair_search.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "property/vertex_question.h"

namespace coolspan {
namespace {

// A topology with any symmetric distances and without coordinates.
class Matrix final : public Topology {
 public:
  Matrix(VertexId vertices, NodeCount nodes_per_vertex, std::mt19937& random)
      : vertices_(vertices),
        nodes_per_vertex_(nodes_per_vertex),
        hops_(std::size_t{vertices} * vertices, 0) {
    // With few different distances some vertices are equivalent.
    const auto kinds = static_cast<Hops>(1 + random() % 6);
    const bool groups = random() % 2 == 0;
    const auto group = static_cast<VertexId>(1 + random() % 4);
    for (VertexId a = 0; a < vertices; ++a) {
      for (VertexId b = 0; b < a; ++b) {
        const auto hops = groups ? (a / group == b / group ? 1 : 1 + kinds)
                                 : static_cast<Hops>(1 + random() % kinds);
        hops_[a * vertices + b] = hops_[b * vertices + a] = hops;
      }
    }
  }
  std::string_view kind() const override { return "matrix"; }
  NodeCount node_count() const override {
    return vertices_ * nodes_per_vertex_;
  }
  VertexId vertex_count() const override { return vertices_; }
  VertexId VertexOf(NodeId node) const override {
    return node / nodes_per_vertex_;
  }
  NodeRange NodesAt(VertexId vertex) const override {
    return {vertex * nodes_per_vertex_, nodes_per_vertex_};
  }
  Hops VertexDistance(VertexId a, VertexId b) const override {
    return hops_[a * vertices_ + b];
  }
  void AppendNeighbours(VertexId vertex,
                        std::vector<VertexId>& out) const override {
    for (VertexId other = 0; other < vertices_; ++other) {
      if (hops_[vertex * vertices_ + other] == 1) out.push_back(other);
    }
  }

 private:
  VertexId vertices_;
  NodeCount nodes_per_vertex_;
  std::vector<Hops> hops_;
};

std::shared_ptr<const Machine> MatrixMachine(std::mt19937& random) {
  const auto vertices = static_cast<VertexId>(1 + random() % 14);
  const auto nodes_per_vertex = static_cast<NodeCount>(1 + random() % 4);
  auto matrix = std::make_shared<Matrix>(vertices, nodes_per_vertex, random);
  std::vector<std::string> names;
  for (NodeId node = 0; node < matrix->node_count(); ++node) {
    names.push_back("m" + std::to_string(node));
  }
  return Machine::Create("matrix", std::move(names), std::move(matrix)).value();
}

TEST(PairSearchProperty, ProvesTheOptimum) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const PlacementQuestion question =
        DrawQuestion(MatrixMachine(random), 13, random);
    const VertexQuestion vertices(question);
    const VertexSet start = vertices.FirstNodes();
    Budget budget;
    const Proof proof = SearchPairs(vertices.topology(), vertices.pool(),
                                    question.nodes, start, budget);
    ASSERT_EQ(proof.best.total, LeastTotal(question)) << i;
    ASSERT_TRUE(proof.proved() || start.total == 0) << i;
    vertices.ExpectValid(proof.best);
    ASSERT_FALSE(HasFailure()) << i;
  }
}

TEST(PairSearchProperty, ExactIsProvedOrHasAValidLowerBound) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    PolicyOptions options;
    const PlacementQuestion question =
        DrawQuestion(MatrixMachine(random), 12, random);
    options.ordering = std::make_shared<const Ordering>(
        Ordering::Create("ids",
                         NodeSet::All(question.machine->node_count()).Members())
            .value());
    const auto optimum = static_cast<std::int64_t>(LeastTotal(question));
    for (const std::uint64_t work : {1, 200, 1000, 5000, 1'000'000}) {
      const Placed placed = Place(question, "exact", options, Budget(work));
      ASSERT_LE(placed.Fact("lower_bound"), optimum);
      ASSERT_GE(placed.Fact("total"), optimum);
    }
    ASSERT_TRUE(Place(question, "exact", options).Says("proved", "yes")) << i;
  }
}

}  // namespace
}  // namespace coolspan
