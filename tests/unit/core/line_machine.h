// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_CORE_LINE_MACHINE_H_
#define COOLSPAN_TESTS_UNIT_CORE_LINE_MACHINE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/machine.h"
#include "core/policy.h"
#include "core/topology.h"

namespace coolspan {

// Nodes in a row, one a vertex.
class LineTopology final : public Topology {
 public:
  explicit LineTopology(NodeCount nodes) : nodes_(nodes) {}

  std::string_view kind() const override { return "line"; }
  NodeCount node_count() const override { return nodes_; }
  VertexId vertex_count() const override { return nodes_; }
  VertexId VertexOf(NodeId node) const override { return node; }
  NodeRange NodesAt(VertexId vertex) const override { return {vertex, 1}; }
  Hops VertexDistance(VertexId a, VertexId b) const override {
    return a < b ? b - a : a - b;
  }
  void AppendNeighbours(VertexId vertex,
                        std::vector<VertexId>& out) const override {
    if (vertex > 0) out.push_back(vertex - 1);
    if (vertex + 1 < nodes_) out.push_back(vertex + 1);
  }

 private:
  NodeCount nodes_;
};

// Nodes n0, n1, ... in a row.
inline std::shared_ptr<const Machine> LineMachine(NodeCount nodes) {
  std::vector<std::string> names;
  names.reserve(nodes);
  for (NodeId node = 0; node < nodes; ++node) {
    names.push_back("n" + std::to_string(node));
  }
  return *Machine::Create("line", std::move(names),
                          std::make_shared<LineTopology>(nodes));
}

// The required nodes and then the lowest that are available.
class LowestFree final : public Policy {
 public:
  std::string_view name() const override { return "lowest-free"; }

  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& budget,
                                  Trace& trace) const override {
    if (!budget.Spend(1)) return std::nullopt;
    const Demand& demand = request.demand;
    NodeSet chosen(view.available().size());
    NodeCount count = 0;
    std::uint64_t units = 0;
    const auto enough = [&] {
      return count >= demand.min_nodes && units >= demand.units;
    };
    const auto take = [&](NodeId node) {
      chosen.Insert(node);
      ++count;
      units += view.FreeUnits(node);
    };
    if (request.required.size() != 0) request.required.ForEach(take);
    for (NodeId node = view.available().FindNext(0);
         node < view.available().size() && !enough();
         node = view.available().FindNext(node + 1)) {
      if (!chosen.Contains(node)) take(node);
    }
    const NodeCount most =
        demand.units == 0 ? demand.min_nodes : demand.max_nodes;
    if (!enough() || count > most) return std::nullopt;
    Allocation allocation;
    allocation.nodes.reserve(count);
    chosen.ForEach([&](NodeId node) { allocation.nodes.push_back(node); });
    trace.Note("nodes", std::int64_t{count});
    return allocation;
  }
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_CORE_LINE_MACHINE_H_
