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

  // paper: ties=paper, which is also what applies without a grid.
  explicit NaiveCentres(const Topology& topology, bool paper = false)
      : topology_(topology),
        paper_(paper || topology.grid() == nullptr),
        nodes_(topology.node_count()),
        hops_(nodes_ * nodes_),
        beside_(nodes_) {
    for (NodeId a = 0; a < nodes_; ++a) {
      for (NodeId b = 0; b < nodes_; ++b) {
        hops_[a * nodes_ + b] = topology.Distance(a, b);
        if (hops_[a * nodes_ + b] == 1) beside_[a].push_back(b);
      }
    }
  }

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
    for (const NodeId other : nodes) sum += hops_[node * nodes_ + other];
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

  // The vertices beside the one of `node` with free nodes not in the set.
  std::uint64_t FreeBeside(const Question& q, NodeId node,
                           const std::vector<NodeId>& set) const {
    std::set<VertexId> beside;
    for (const NodeId other : beside_[node]) {
      if (std::binary_search(q.free.begin(), q.free.end(), other) &&
          std::find(set.begin(), set.end(), other) == set.end()) {
        beside.insert(topology_.VertexOf(other));
      }
    }
    return beside.size();
  }

  std::uint64_t Perimeter(const Question& q,
                          const std::vector<NodeId>& set) const {
    std::map<VertexId, std::uint64_t> by_vertex;
    for (const NodeId node : set) {
      by_vertex[topology_.VertexOf(node)] = FreeBeside(q, node, set);
    }
    std::uint64_t sum = 0;
    for (const auto& [vertex, beside] : by_vertex) sum += beside;
    return sum;
  }

  // The last shell node by node, by free neighbours, then distance.
  void FillByPerimeter(const Question& q, Collected& c) const {
    c.chosen = c.whole;
    std::vector<NodeId> left = c.last;
    for (NodeCount i = 0; i < c.missing; ++i) {
      const auto key = [&](NodeId node) {
        return std::tuple(FreeBeside(q, node, c.chosen), SumTo(node, c.chosen),
                          node);
      };
      const auto next =
          std::min_element(left.begin(), left.end(),
                           [&](NodeId a, NodeId b) { return key(a) < key(b); });
      c.chosen.push_back(*next);
      left.erase(next);
    }
  }

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
    std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> best(~0ULL, ~0ULL,
                                                                 ~0ULL);
    std::vector<NodeId> winner;
    for (const VertexId centre : centres) {
      Collected c = Collect(q, centre, box);
      if (by_shells && !paper_) FillByPerimeter(q, c);
      const std::uint64_t total = Total(c.chosen);
      const std::vector<NodeId> nodes =
          by_shells && !paper_ ? c.chosen : ChosenOnceMore(c);
      const std::uint64_t pairs =
          std::max<std::uint64_t>(std::uint64_t{q.nodes} * (q.nodes - 1), 1);
      std::tuple score(c.shell_sum, total, std::uint64_t{0});
      if (by_shells && !paper_) {
        std::get<1>(score) = 50 * total + pairs * Perimeter(q, nodes);
      } else if (!by_shells) {
        score = {total, 0, 0};
        if (!paper_) score = {total, Total(nodes), Perimeter(q, nodes)};
      }
      if (score < best) {
        best = score;
        winner = nodes;
      }
    }
    std::sort(winner.begin(), winner.end());
    return winner;
  }

  // The last shell node by node by distance, if that is better.
  std::vector<NodeId> ChosenOnceMore(const Collected& c) const {
    std::vector<NodeId> again = c.whole;
    std::vector<NodeId> left = c.last;
    for (NodeCount i = 0; i < c.missing; ++i) {
      const auto least =
          std::min_element(left.begin(), left.end(), [&](NodeId a, NodeId b) {
            return SumTo(a, again) < SumTo(b, again);
          });
      again.push_back(*least);
      left.erase(least);
    }
    return Total(again) < Total(c.chosen) ? again : c.chosen;
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
  const bool paper_;
  const std::size_t nodes_;
  std::vector<std::uint32_t> hops_;          // of each pair of nodes
  std::vector<std::vector<NodeId>> beside_;  // by node: one hop away
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_PROPERTY_NAIVE_CENTRES_H_
