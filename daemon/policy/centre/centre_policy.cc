// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/centre_policy.h"

#include "policy/centre/pairwise_swaps.h"

namespace coolspan {
namespace {

// The most cubic box of the grid with at least `nodes` nodes: extents grow
// one at a time, the smallest first.
std::vector<std::uint32_t> CubicShape(const Grid& grid, NodeCount nodes) {
  std::vector<std::uint32_t> shape(grid.dims.size(), 1);
  std::uint64_t box_nodes = grid.nodes_per_vertex;
  while (box_nodes < nodes) {
    std::size_t smallest = shape.size();
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == grid.dims[d]) continue;
      if (smallest == shape.size() || shape[d] < shape[smallest]) smallest = d;
    }
    if (smallest == shape.size()) break;
    box_nodes = box_nodes / shape[smallest] * (shape[smallest] + 1);
    ++shape[smallest];
  }
  return shape;
}

std::vector<VertexNodes> AllSites(const FreeSites& sites) {
  std::vector<VertexNodes> all;
  for (VertexId v = 0; v < sites.capacity.size(); ++v) {
    if (sites.capacity[v] > 0) all.push_back({v, sites.capacity[v]});
  }
  return all;
}

void NoteFound(const CentreFound& found, CentreRule::Score score,
               Trace& trace) {
  trace.Note("centre_vertex", std::int64_t{found.centre});
  trace.Note("shells", std::int64_t{found.last_shell} + 1);
  if (score == CentreRule::Score::kShellSum) {
    trace.Note("shell_sum", static_cast<std::int64_t>(found.shell_sum));
  }
  if (found.pairwise_total) {
    trace.Note("pairwise_total_hops",
               static_cast<std::int64_t>(*found.pairwise_total));
  }
  trace.Note("centres", static_cast<std::int64_t>(found.centres));
  trace.Note("centres_scored", static_cast<std::int64_t>(found.scored));
}

}  // namespace

CentrePolicy::CentrePolicy(const Kind& kind, const Machine& machine)
    : kind_(kind) {
  if (const Grid* grid = machine.topology().grid()) grid_.emplace(*grid);
}

std::optional<Allocation> CentrePolicy::Place(const MachineView& view,
                                              const Request& request,
                                              Budget& budget,
                                              Trace& trace) const {
  return PlaceDemand(view, request, trace,
                     [&](const Choice& choice, Trace& facts) {
                       return ChooseNodes(view.topology(), choice,
                                          request.shape, budget, facts);
                     });
}

std::vector<NodeId> CentrePolicy::ChooseNodes(
    const Topology& topology, const Choice& choice,
    const std::vector<std::uint32_t>& shape, Budget& budget,
    Trace& trace) const {
  const FreeSites sites(topology, choice);
  if (sites.wanted == sites.free_count) {
    trace.Note("all_available_nodes", std::int64_t{choice.nodes});
    return NodesOf(topology, choice, AllSites(sites));
  }
  if (sites.wanted == 0) return choice.required.Members();

  CentreFound found;
  const GridTable* table = grid_ ? &*grid_ : nullptr;
  if (table != nullptr) {
    GridPlaces places = PlacesOnGrid(*table, kind_.rule.shells, sites);
    if (kind_.uses_shape) {
      const Grid& grid = *topology.grid();
      places.axes =
          AxesOf(grid, shape.empty() ? CubicShape(grid, choice.nodes) : shape);
    }
    found = SearchGrid(topology, places, kind_.rule, budget);
  } else {
    found = SearchHops(topology, sites, kind_.rule, budget);
  }
  NoteFound(found, kind_.rule.score, trace);
  if (!kind_.swaps) return NodesOf(topology, choice, found.chosen);
  const Improved improved =
      ImproveBySwaps(topology, table, sites, found.chosen, budget);
  trace.Note("swaps", static_cast<std::int64_t>(improved.swaps));
  trace.Note("saved_hops", static_cast<std::int64_t>(improved.saved));
  return NodesOf(topology, choice, improved.chosen);
}

}  // namespace coolspan
