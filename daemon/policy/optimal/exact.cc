// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <memory>
#include <utility>

#include "policy/distance/free_vertices.h"
#include "policy/optimal/cut_search.h"
#include "policy/optimal/least_triple.h"
#include "policy/optimal/pair_search.h"
#include "policy/place_demand.h"
#include "policy/policies.h"

namespace coolspan {
namespace {

// A lower bound of the total on a grid: nodes of different vertices are at
// least one hop apart, and taking the vertices with the most free nodes
// maximises the number of pairs on one vertex.
std::uint64_t MinPairsApart(const VertexPool& pool, NodeCount nodes) {
  std::vector<NodeCount> free = pool.free;
  std::sort(free.rbegin(), free.rend());
  const auto pairs = [](std::uint64_t n) { return n * (n - 1) / 2; };
  std::uint64_t apart = pairs(nodes);
  for (const NodeCount at_vertex : free) {
    if (nodes == 0) break;
    const NodeCount together = std::min(nodes, at_vertex);
    apart -= pairs(together);
    nodes -= together;
  }
  return apart;
}

// The reference for other policies: the minimum total pairwise distance with a
// proof, or the best within the budget with a lower bound.
class Exact final : public Policy {
 public:
  explicit Exact(std::shared_ptr<const Machine> machine)
      : machine_(std::move(machine)) {}

  std::string_view name() const override { return "exact"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& budget,
                                  Trace& trace) const override {
    return PlaceDemand(view, request, trace,
                       [&](const Choice& choice, Trace& facts) {
                         return ChooseOptimal(choice, budget, facts);
                       });
  }

 private:
  std::vector<NodeId> ChooseOptimal(const Choice& choice, Budget& budget,
                                    Trace& trace) const;
  Proof Search(const VertexPool& pool, NodeCount nodes, Budget& budget,
               Trace& trace) const;

  std::shared_ptr<const Machine> machine_;
};

std::vector<NodeId> Exact::ChooseOptimal(const Choice& choice, Budget& budget,
                                         Trace& trace) const {
  const Topology& topology = machine_->topology();
  const VertexPool pool = FreeVertices(topology, choice);
  const Proof proof = Search(pool, choice.nodes, budget, trace);
  trace.Note("total", static_cast<std::int64_t>(proof.best.total));
  trace.Note("lower_bound", static_cast<std::int64_t>(proof.lower_bound));
  trace.Note("proved", proof.proved() ? "yes" : "no");
  return NodesAtVertices(topology, choice, pool, proof.best.taken);
}

Proof Exact::Search(const VertexPool& pool, NodeCount nodes, Budget& budget,
                    Trace& trace) const {
  const Topology& topology = machine_->topology();
  const Grid* grid = topology.grid();
  if (nodes == 3 && grid != nullptr && IsPlane(*grid)) {
    trace.Note("search", "smallest bounding box of three nodes");
    Proof proof{LeastTriple(*grid, pool), 0, 0};
    proof.lower_bound = proof.best.total;
    return proof;
  }
  // Limits the start to about a second; the search improves it.
  constexpr std::size_t kMaxCentres = 256;
  constexpr std::size_t kMaxPlaces = 2'000'000;
  const std::size_t centres =
      std::clamp<std::size_t>(kMaxPlaces / pool.size(), 1, kMaxCentres);
  VertexSet start = MostCompactAround(topology, pool, nodes, centres, budget);
  const std::uint64_t pairs_bound =
      grid != nullptr ? MinPairsApart(pool, nodes) : 0;
  if (start.total == pairs_bound) {
    trace.Note("search", "not needed");
    return {std::move(start), pairs_bound, 0};
  }
  if (budget.exhausted()) {
    trace.Note("search", "skipped, out of budget");
    return {std::move(start), pairs_bound, 0};
  }
  trace.Note("search", grid != nullptr ? "cuts" : "pairs");
  Proof proof =
      grid != nullptr
          ? SearchCuts(topology, pool, nodes, std::move(start), budget)
          : SearchPairs(topology, pool, nodes, std::move(start), budget);
  proof.lower_bound = std::max(proof.lower_bound, pairs_bound);
  trace.Note("subproblems", static_cast<std::int64_t>(proof.subproblems));
  return proof;
}

}  // namespace

std::unique_ptr<Policy> MakeExact(const std::shared_ptr<const Machine>& machine,
                                  const PolicyOptions& /*options*/) {
  return std::make_unique<Exact>(machine);
}

}  // namespace coolspan
