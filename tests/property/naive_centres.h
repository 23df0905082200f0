// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_PROPERTY_NAIVE_CENTRES_H_
#define COOLSPAN_TESTS_PROPERTY_NAIVE_CENTRES_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/topology.h"

namespace coolspan {

// The centre-based policies by their plain definitions, node by node, for
// machines of a few dozen nodes.
class NaiveCentres {
 public:
  struct Question {
    std::vector<NodeId> free;      // ascending, required ones among them
    std::vector<NodeId> required;  // ascending
    NodeCount nodes;
    std::vector<std::uint32_t> shape;  // as many entries as dimensions
  };

  explicit NaiveCentres(const Topology& topology) : topology_(topology) {}

  std::vector<NodeId> Mc(const Question& q) const {
    return Best(q, NodeVertices(q.free), true, true);
  }
  std::vector<NodeId> Mc1x1(Question q) const {
    std::fill(q.shape.begin(), q.shape.end(), 1);
    return Mc(q);
  }
  // Mc1x1 with one centre to choose from.
  std::vector<NodeId> ShellsAround(VertexId centre, Question q) const {
    std::fill(q.shape.begin(), q.shape.end(), 1);
    return Best(q, {centre}, true, true);
  }
  std::vector<NodeId> Genalg(const Question& q) const {
    return Best(q, NodeVertices(q.free), false, false);
  }
  std::vector<NodeId> Mm(const Question& q) const {
    return Best(q, Crossings(q.free), false, false);
  }
  std::vector<NodeId> MmInc(const Question& q) const {
    return Swapped(q, Mm(q));
  }

  std::uint64_t Total(const std::vector<NodeId>& nodes) const {
    std::uint64_t total = 0;
    for (const NodeId a : nodes) total += SumTo(a, nodes);
    return total / 2;
  }

 private:
  std::uint64_t SumTo(NodeId node, const std::vector<NodeId>& nodes) const {
    std::uint64_t sum = 0;
    for (const NodeId other : nodes) sum += topology_.Distance(node, other);
    return sum;
  }

  std::vector<VertexId> NodeVertices(const std::vector<NodeId>& nodes) const {
    std::set<VertexId> vertices;
    for (const NodeId node : nodes) vertices.insert(topology_.VertexOf(node));
    return {vertices.begin(), vertices.end()};
  }

  std::vector<std::uint32_t> At(VertexId vertex) const {
    std::vector<std::uint32_t> at(topology_.grid()->dims.size());
    topology_.grid()->CoordinatesOf(vertex, at);
    return at;
  }

  std::vector<VertexId> Crossings(const std::vector<NodeId>& free) const {
    std::vector<VertexId> crossings;
    if (topology_.grid() == nullptr) {
      for (VertexId v = 0; v < topology_.vertex_count(); ++v) {
        if (topology_.NodesAt(v).count > 0) crossings.push_back(v);
      }
      return crossings;
    }
    std::vector<std::set<std::uint32_t>> taken(topology_.grid()->dims.size());
    for (const NodeId node : free) {
      const auto at = At(topology_.VertexOf(node));
      for (std::size_t d = 0; d < at.size(); ++d) taken[d].insert(at[d]);
    }
    for (VertexId v = 0; v < topology_.vertex_count(); ++v) {
      const auto at = At(v);
      bool all = true;
      for (std::size_t d = 0; d < at.size(); ++d) {
        all = all && taken[d].count(at[d]) > 0;
      }
      if (all) crossings.push_back(v);
    }
    return crossings;
  }

  // Steps along one dimension from x to the nearest coordinate of the shape
  // around c.
  static std::uint32_t StepsToShape(std::uint32_t c, std::uint32_t x,
                                    std::uint32_t inside, std::uint32_t extent,
                                    bool wrap) {
    inside = std::min(inside, extent);
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    const auto first = static_cast<std::int64_t>(c) - (inside - 1) / 2;
    for (std::int64_t p = first; p < first + inside; ++p) {
      if (!wrap && (p < 0 || p >= extent)) continue;
      const auto y = static_cast<std::uint32_t>((p + extent) % extent);
      const std::uint32_t straight = x < y ? y - x : x - y;
      least = std::min(least,
                       wrap ? std::min(straight, extent - straight) : straight);
    }
    return least;
  }

  std::uint32_t Shell(VertexId centre, NodeId node, bool box,
                      const std::vector<std::uint32_t>& shape) const {
    const VertexId vertex = topology_.VertexOf(node);
    const Grid* grid = topology_.grid();
    if (!box || grid == nullptr)
      return topology_.VertexDistance(centre, vertex);
    const auto c = At(centre);
    const auto x = At(vertex);
    std::uint32_t shell = 0;
    for (std::size_t d = 0; d < c.size(); ++d) {
      shell = std::max(shell, StepsToShape(c[d], x[d], shape[d], grid->dims[d],
                                           grid->wrap[d]));
    }
    return shell;
  }

  struct Collected {
    std::uint64_t shell_sum = 0;
    std::vector<NodeId> whole;
    std::vector<NodeId> last;
    NodeCount missing = 0;
    std::vector<NodeId> chosen;
  };

  Collected Collect(const Question& q, VertexId centre, bool box) const {
    Collected c;
    c.whole = q.required;
    std::map<std::uint32_t, std::vector<NodeId>> shells;
    for (const NodeId node : q.free) {
      if (!std::binary_search(q.required.begin(), q.required.end(), node)) {
        shells[Shell(centre, node, box, q.shape)].push_back(node);
      }
    }
    for (const NodeId node : q.required) {
      c.shell_sum += Shell(centre, node, box, q.shape);
    }
    for (const auto& [number, nodes] : shells) {
      c.missing = q.nodes - static_cast<NodeCount>(c.whole.size());
      if (nodes.size() >= c.missing) {
        c.shell_sum += std::uint64_t{number} * c.missing;
        c.last = nodes;
        break;
      }
      c.shell_sum += std::uint64_t{number} * nodes.size();
      c.whole.insert(c.whole.end(), nodes.begin(), nodes.end());
    }
    std::vector<NodeId> sorted = c.last;
    std::stable_sort(sorted.begin(), sorted.end(), [&](NodeId a, NodeId b) {
      return SumTo(a, c.whole) < SumTo(b, c.whole);
    });
    c.chosen = c.whole;
    c.chosen.insert(c.chosen.end(), sorted.begin(), sorted.begin() + c.missing);
    return c;
  }

  std::vector<NodeId> Best(const Question& q,
                           const std::vector<VertexId>& centres, bool box,
                           bool by_shells) const {
    if (q.required.size() == q.nodes) return q.required;
    std::tuple<std::uint64_t, std::uint64_t> best(~0ULL, ~0ULL);
    Collected winner;
    for (const VertexId centre : centres) {
      Collected c = Collect(q, centre, box);
      const std::tuple score(by_shells ? c.shell_sum : 0, Total(c.chosen));
      if (score < best) {
        best = score;
        winner = std::move(c);
      }
    }
    std::vector<NodeId> again = winner.whole;
    std::vector<NodeId> left = winner.last;
    for (NodeCount i = 0; i < winner.missing; ++i) {
      const auto least =
          std::min_element(left.begin(), left.end(), [&](NodeId a, NodeId b) {
            return SumTo(a, again) < SumTo(b, again);
          });
      again.push_back(*least);
      left.erase(least);
    }
    std::vector<NodeId> nodes =
        Total(again) < Total(winner.chosen) ? again : winner.chosen;
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  // Swaps between vertices; of one vertex, the smallest ids are in the answer.
  std::vector<NodeId> Swapped(const Question& q,
                              std::vector<NodeId> nodes) const {
    const auto has = [](const std::vector<NodeId>& set, NodeId node) {
      return std::find(set.begin(), set.end(), node) != set.end();
    };
    while (true) {
      std::tuple<std::int64_t, VertexId, VertexId> best(0, 0, 0);
      NodeId goes = 0;
      NodeId comes = 0;
      for (const NodeId a : nodes) {
        if (has(q.required, a)) continue;
        for (const NodeId b : q.free) {
          if (has(nodes, b)) continue;
          std::vector<NodeId> other = nodes;
          *std::find(other.begin(), other.end(), a) = b;
          const auto change = static_cast<std::int64_t>(Total(other)) -
                              static_cast<std::int64_t>(Total(nodes));
          const std::tuple swap(change, topology_.VertexOf(a),
                                topology_.VertexOf(b));
          if (change < 0 && swap < best) {
            best = swap;
            goes = a;
            comes = b;
          }
        }
      }
      if (std::get<0>(best) == 0) break;
      *std::find(nodes.begin(), nodes.end(), goes) = comes;
    }
    return SmallestIds(q, nodes);
  }

  std::vector<NodeId> SmallestIds(const Question& q,
                                  const std::vector<NodeId>& nodes) const {
    std::map<VertexId, NodeCount> counts;
    for (const NodeId node : nodes) {
      if (!std::binary_search(q.required.begin(), q.required.end(), node)) {
        ++counts[topology_.VertexOf(node)];
      }
    }
    std::vector<NodeId> smallest = q.required;
    for (const NodeId node : q.free) {
      if (std::binary_search(q.required.begin(), q.required.end(), node)) {
        continue;
      }
      NodeCount& left = counts[topology_.VertexOf(node)];
      if (left == 0) continue;
      --left;
      smallest.push_back(node);
    }
    std::sort(smallest.begin(), smallest.end());
    return smallest;
  }

  const Topology& topology_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_PROPERTY_NAIVE_CENTRES_H_
