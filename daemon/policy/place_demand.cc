// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/place_demand.h"

#include <algorithm>
#include <functional>
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
  bool IsRequired(NodeId node) const {
    return required_count_ > 0 && required_.Contains(node);
  }
  std::uint64_t UnitsOf(const std::vector<NodeId>& nodes) const;
  std::vector<NodeId> DropSpare(std::vector<NodeId> nodes) const;
  std::vector<NodeId> AmongRichest(NodeCount nodes, Trace& trace) const;

  const MachineView& view_;
  const Demand& demand_;
  const NodeSet& required_;
  NodeCount required_count_;
  std::uint64_t seed_;
  ChooseNodes choose_;
  std::vector<NodeId> richest_;  // not required, most units first, then by id
};

std::uint64_t UnitsSearch::UnitsOf(const std::vector<NodeId>& nodes) const {
  std::uint64_t units = 0;
  for (const NodeId node : nodes) units += view_.FreeUnits(node);
  return units;
}

std::vector<NodeId> UnitsSearch::DropSpare(std::vector<NodeId> nodes) const {
  std::uint64_t units = UnitsOf(nodes);
  std::sort(nodes.begin(), nodes.end(), [this](NodeId a, NodeId b) {
    const Units units_a = view_.FreeUnits(a);
    const Units units_b = view_.FreeUnits(b);
    return units_a != units_b ? units_a < units_b : a > b;
  });
  std::vector<NodeId> kept;
  kept.reserve(nodes.size());
  std::size_t left = nodes.size();
  for (const NodeId node : nodes) {
    const Units own = view_.FreeUnits(node);
    if (left > demand_.min_nodes && units - own >= demand_.units &&
        !IsRequired(node)) {
      --left;
      units -= own;
    } else {
      kept.push_back(node);
    }
  }
  return kept;
}

// Nodes richer than the poorest that such a choice must use are required, so
// the choice has all the units that this many nodes can have.
std::vector<NodeId> UnitsSearch::AmongRichest(NodeCount nodes,
                                              Trace& trace) const {
  const NodeCount free_choices = nodes - required_count_;
  NodeSet required(view_.available().size());
  if (required_count_ > 0) required = required_;
  NodeSet available = required;
  NodeCount required_count = required_count_;
  if (free_choices > 0) {
    const Units poorest = view_.FreeUnits(richest_[free_choices - 1]);
    for (const NodeId node : richest_) {
      const Units units = view_.FreeUnits(node);
      if (units < poorest) break;
      available.Insert(node);
      if (units == poorest) continue;
      required.Insert(node);
      ++required_count;
    }
  }
  return choose_({available, required, required_count, nodes, seed_}, trace);
}

std::optional<std::vector<NodeId>> UnitsSearch::Find(Trace& trace) {
  NodeSet others = view_.available();
  if (required_count_ > 0) others -= required_;
  richest_ = others.Members();
  std::stable_sort(richest_.begin(), richest_.end(),
                   [this](NodeId a, NodeId b) {
                     return view_.FreeUnits(a) > view_.FreeUnits(b);
                   });
  const auto available =
      static_cast<NodeCount>(richest_.size()) + required_count_;
  const NodeCount most = std::min(demand_.max_nodes, available);
  NodeCount nodes = std::max(required_count_, demand_.min_nodes);
  if (nodes > most) return std::nullopt;

  std::uint64_t units = UnitsOf(required_.Members());
  for (NodeCount i = 0; i + required_count_ < nodes; ++i) {
    units += view_.FreeUnits(richest_[i]);
  }
  while (units < demand_.units) {
    if (nodes == most) return std::nullopt;
    units += view_.FreeUnits(richest_[nodes - required_count_]);
    ++nodes;
  }

  NodeCount step = 1;
  while (true) {
    Trace attempt;
    std::vector<NodeId> chosen = choose_(
        {view_.available(), required_, required_count_, nodes, seed_}, attempt);
    const std::uint64_t chosen_units = UnitsOf(chosen);
    const bool enough = chosen_units >= demand_.units;
    if (!enough && nodes < most) {
      const std::uint64_t in_proportion =
          chosen_units == 0
              ? most
              : (nodes * std::uint64_t{demand_.units} + chosen_units - 1) /
                    chosen_units;
      nodes = static_cast<NodeCount>(std::min<std::uint64_t>(
          most, std::max<std::uint64_t>(nodes + step, in_proportion)));
      step *= 2;
      continue;
    }
    if (!enough) {
      attempt.Clear();
      chosen = AmongRichest(most, attempt);
    }
    for (const Trace::Fact& fact : attempt.facts()) {
      trace.Note(fact.name, fact.value);
    }
    trace.Note("units", static_cast<std::int64_t>(demand_.units));
    return DropSpare(std::move(chosen));
  }
}

}  // namespace

std::optional<Allocation> PlaceDemand(const MachineView& view,
                                      const Request& request, Trace& trace,
                                      ChooseNodes choose) {
  const NodeSet& available = view.available();
  const NodeSet& required = request.required;
  const NodeCount required_count = required.Count();
  const NodeCount available_count = available.Count();
  const NodeCount least = request.demand.min_nodes;
  trace.Note("available_nodes", std::int64_t{available_count});
  if (least > available_count ||
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
    if (required_count > least) return std::nullopt;
    if (least == 0) return Allocation{};
    nodes = choose({available, required, required_count, least, request.seed},
                   trace);
  }
  SortNodes(nodes, available.size());
  return Allocation{std::move(nodes)};
}

}  // namespace coolspan
