// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/place_demand.h"

#include <algorithm>
#include <utility>

namespace coolspan {
namespace {

void SortNodes(std::vector<NodeId>& nodes, NodeCount machine_nodes) {
  constexpr std::size_t kFewNodes = 64;
  // A set of all the machine's nodes is then larger than the answer.
  constexpr std::size_t kFewOfMachine = 32;
  if (std::is_sorted(nodes.begin(), nodes.end())) return;
  if (nodes.size() <= kFewNodes ||
      nodes.size() < machine_nodes / kFewOfMachine) {
    std::sort(nodes.begin(), nodes.end());
    return;
  }
  const NodeSet set(machine_nodes, nodes);
  nodes.clear();
  set.ForEach([&](NodeId node) { nodes.push_back(node); });
}

class UnitsSearch {
 public:
  UnitsSearch(const MachineView& view, const Request& request,
              const NodeSet& required, NodeCount required_count,
              ChooseNodes choose)
      : view_(view),
        demand_(request.demand),
        required_(required),
        required_count_(required_count),
        seed_(request.seed),
        choose_(choose) {}

  std::optional<std::vector<NodeId>> Find(Trace& trace);

 private:
  std::uint64_t UnitsOf(const std::vector<NodeId>& nodes) const;
  std::vector<NodeId> ChooseAmongAll(NodeCount nodes, Trace& trace) const;
  std::vector<NodeId> ChooseAmongEqual(NodeCount nodes, Trace& trace) const;
  std::vector<NodeId> ChooseByUnits(NodeCount nodes, Trace& trace) const;

  const MachineView& view_;
  const Demand& demand_;
  const NodeSet& required_;
  NodeCount required_count_;
  std::uint64_t seed_;
  ChooseNodes choose_;
  // Available nodes that are not required: most units first, then by id.
  std::vector<NodeId> by_units_;
};

std::uint64_t UnitsSearch::UnitsOf(const std::vector<NodeId>& nodes) const {
  std::uint64_t units = 0;
  for (const NodeId node : nodes) units += view_.FreeUnits(node);
  return units;
}

std::vector<NodeId> UnitsSearch::ChooseAmongAll(NodeCount nodes,
                                                Trace& trace) const {
  return choose_({view_.available(), required_, required_count_, nodes, seed_},
                 trace);
}

// A choice among the nodes of which any number `nodes` have enough, since each
// has its part of the units; none if there are too few.
std::vector<NodeId> UnitsSearch::ChooseAmongEqual(NodeCount nodes,
                                                  Trace& trace) const {
  const std::uint64_t of_required = UnitsOf(required_.Members());
  const NodeCount others = nodes - required_count_;
  if (others == 0 || of_required >= demand_.units) return {};
  const std::uint64_t each =
      (demand_.units - of_required + others - 1) / others;
  NodeSet available(view_.available().size());
  if (required_count_ > 0) available = required_;
  NodeCount count = 0;
  for (const NodeId node : by_units_) {
    if (view_.FreeUnits(node) < each) break;
    available.Insert(node);
    ++count;
  }
  if (count < others) return {};
  return choose_({available, required_, required_count_, nodes, seed_}, trace);
}

// A choice with the maximum number of units. The threshold is the number of
// free units of the last node taken in descending order of units: nodes above
// it become required, nodes at the threshold are interchangeable.
std::vector<NodeId> UnitsSearch::ChooseByUnits(NodeCount nodes,
                                               Trace& trace) const {
  const NodeCount others_count = nodes - required_count_;
  NodeSet required(view_.available().size());
  if (required_count_ > 0) required = required_;
  NodeSet available = required;
  NodeCount required_count = required_count_;
  if (others_count > 0) {
    const Units threshold = view_.FreeUnits(by_units_[others_count - 1]);
    for (const NodeId node : by_units_) {
      const Units units = view_.FreeUnits(node);
      if (units < threshold) break;
      available.Insert(node);
      if (units == threshold) continue;
      required.Insert(node);
      ++required_count;
    }
  }
  return choose_({available, required, required_count, nodes, seed_}, trace);
}

std::optional<std::vector<NodeId>> UnitsSearch::Find(Trace& trace) {
  NodeSet others = view_.available();
  if (required_count_ > 0) others -= required_;
  by_units_ = others.Members();
  std::stable_sort(by_units_.begin(), by_units_.end(),
                   [this](NodeId a, NodeId b) {
                     return view_.FreeUnits(a) > view_.FreeUnits(b);
                   });
  const auto available =
      static_cast<NodeCount>(by_units_.size()) + required_count_;
  const NodeCount max_nodes = std::min(demand_.max_nodes, available);
  NodeCount nodes = std::max(required_count_, demand_.min_nodes);
  if (nodes > max_nodes) return std::nullopt;

  std::uint64_t units = UnitsOf(required_.Members());
  for (NodeCount i = 0; i + required_count_ < nodes; ++i) {
    units += view_.FreeUnits(by_units_[i]);
  }
  while (units < demand_.units) {
    if (nodes == max_nodes) return std::nullopt;
    units += view_.FreeUnits(by_units_[nodes - required_count_]);
    ++nodes;
  }

  // The first choice is that of the policy among all nodes.
  std::vector<NodeId> chosen;
  for (const auto choose :
       {&UnitsSearch::ChooseAmongAll, &UnitsSearch::ChooseAmongEqual,
        &UnitsSearch::ChooseByUnits}) {
    Trace attempt;
    chosen = (this->*choose)(nodes, attempt);
    if (UnitsOf(chosen) < demand_.units) continue;
    for (const Trace::Fact& fact : attempt.facts()) {
      trace.Note(fact.name, fact.value);
    }
    break;
  }
  trace.Note("units", static_cast<std::int64_t>(demand_.units));
  return chosen;
}

}  // namespace

std::optional<Allocation> PlaceDemand(const MachineView& view,
                                      const Request& request, Trace& trace,
                                      ChooseNodes choose) {
  const NodeSet& available = view.available();
  const NodeSet& required = request.required;
  const NodeCount required_count = required.Count();
  const NodeCount available_count = available.Count();
  const NodeCount min_nodes = request.demand.min_nodes;
  trace.Note("available_nodes", std::int64_t{available_count});
  if (min_nodes > available_count ||
      (required_count > 0 && !required.IsSubsetOf(available))) {
    return std::nullopt;
  }

  std::vector<NodeId> nodes;
  if (request.demand.units > 0) {
    std::optional<std::vector<NodeId>> found =
        UnitsSearch(view, request, required, required_count, choose)
            .Find(trace);
    if (!found) return std::nullopt;
    nodes = *std::move(found);
  } else {
    if (required_count > min_nodes) return std::nullopt;
    if (min_nodes == 0) return Allocation{};
    nodes = choose(
        {available, required, required_count, min_nodes, request.seed}, trace);
  }
  SortNodes(nodes, available.size());
  return Allocation{std::move(nodes)};
}

}  // namespace coolspan
