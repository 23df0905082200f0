// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "policy/distance/free_vertices.h"
#include "policy/optimal/ptas_search.h"
#include "policy/place_demand.h"
#include "policy/policies.h"

namespace coolspan {
namespace {

bool IsMesh(const Grid* grid) {
  if (grid == nullptr) return false;
  for (std::size_t d = 0; d < grid->dims.size(); ++d) {
    if (grid->wrap[d] && grid->dims[d] > 2) return false;
  }
  return true;
}

// The polynomial-time approximation scheme of Bender et al.
// (cpa-rd100-cplant-bender), sections 3 and 4.2: a total of at most (1 +
// epsilon) times the minimum. The time is polynomial in the nodes but large.
// Starts from the best set of nodes around a free vertex; if the budget ends
// first, returns the best so far. The scheme needs coordinates without wrap;
// elsewhere the start is the answer.
class Ptas final : public Policy {
 public:
  Ptas(std::shared_ptr<const Machine> machine, double epsilon)
      : machine_(std::move(machine)), epsilon_(epsilon) {}

  std::string_view name() const override { return "ptas"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& budget,
                                  Trace& trace) const override {
    return PlaceDemand(view, request, trace,
                       [&](const Choice& choice, Trace& facts) {
                         return Approximate(choice, budget, facts);
                       });
  }

 private:
  std::vector<NodeId> Approximate(const Choice& choice, Budget& budget,
                                  Trace& trace) const;
  VertexSet SearchFrom(VertexSet start, const VertexPool& pool, NodeCount nodes,
                       Budget& budget, Trace& trace) const;

  std::shared_ptr<const Machine> machine_;
  double epsilon_;
};

std::vector<NodeId> Ptas::Approximate(const Choice& choice, Budget& budget,
                                      Trace& trace) const {
  const Topology& topology = machine_->topology();
  const VertexPool pool = FreeVertices(topology, choice);
  constexpr std::size_t kMaxCentres = 4096;
  VertexSet best =
      MostCompactAround(topology, pool, choice.nodes, kMaxCentres, budget);
  if (IsMesh(topology.grid())) {
    best = SearchFrom(std::move(best), pool, choice.nodes, budget, trace);
  } else {
    trace.Note("fallback", "nodes nearest to a free vertex");
  }
  trace.Note("total", static_cast<std::int64_t>(best.total));
  return NodesAtVertices(topology, choice, pool, best.taken);
}

VertexSet Ptas::SearchFrom(VertexSet start, const VertexPool& pool,
                           NodeCount nodes, Budget& budget,
                           Trace& trace) const {
  const double strips = std::min<double>(nodes, std::ceil(1 / epsilon_));
  PtasAnswer answer{std::nullopt, 0, true};
  if (start.total > 0) {
    answer = SearchPtas(machine_->topology(), pool, nodes,
                        static_cast<NodeCount>(strips), start.total, budget);
  }
  trace.Note("epsilon", epsilon_);
  trace.Note("strips", static_cast<std::int64_t>(strips));
  trace.Note("sets_tried", static_cast<std::int64_t>(answer.tried));
  trace.Note("finished", answer.finished ? "yes" : "no");
  trace.Note("start_total", static_cast<std::int64_t>(start.total));
  return answer.best ? *std::move(answer.best) : std::move(start);
}

}  // namespace

std::unique_ptr<Policy> MakePtas(const std::shared_ptr<const Machine>& machine,
                                 const PolicyOptions& options) {
  return std::make_unique<Ptas>(machine, options.Value("epsilon"));
}

}  // namespace coolspan
