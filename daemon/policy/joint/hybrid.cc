// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/joint/hybrid.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "policy/centre/centre_search.h"
#include "policy/centre/even_sample.h"
#include "policy/joint/thermal_centre_score.h"
#include "policy/policies.h"
#include "policy/thermal/inlet_constraints.h"
#include "policy/thermal/mpit_solver.h"
#include "policy/thermal/recirculation_sums.h"
#include "policy/thermal/thermal_policy.h"
#include "policy/thermal/thermal_problem.h"

namespace coolspan {
namespace {

// The share of the budget for mpit.
constexpr double kMpitBudgetShare = 0.5;
// Budget for improving the last shells of all centres, divided among them.
constexpr std::uint64_t kLastShellWork = 3'000'000;
// Above this (about 0.1 s) for one centre, the nodes of mpit are used.
constexpr std::uint64_t kMaxWorkPerCentre = 50'000'000;
// Above this (about 0.5 s) for all centres, an even sample of them is used.
constexpr std::uint64_t kMaxWork = 600'000'000;

// The joint policy of joint-allocation-sst, section 4.3: opens the shells of
// mc1x1 around each node of the mpit solution and chooses the allocation with
// the lowest peak inlet, then the lowest total distance. On machines without
// coordinates, shells are hop distances. On large requests only a sample of the
// centres is tried; if even one centre would take too long, the mpit solution
// is the answer.
class Hybrid final : public ThermalPolicy {
 public:
  explicit Hybrid(const Machine& machine)
      : column_sums_(RecirculationSums(*machine.room())) {
    if (const Grid* grid = machine.topology().grid()) grid_.emplace(*grid);
  }

  std::string_view name() const override { return "hybrid"; }
  std::vector<NodeId> ChooseNodes(const Decision& decision,
                                  Trace& trace) const override;

 private:
  std::vector<double> column_sums_;
  std::optional<GridTable> grid_;
};

std::vector<VertexId> VerticesOf(const Topology& topology,
                                 const std::vector<NodeId>& nodes) {
  std::vector<VertexId> vertices;
  vertices.reserve(nodes.size());
  for (const NodeId node : nodes) vertices.push_back(topology.VertexOf(node));
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

// Budget units for one centre. On a grid, distance sums make it linear in n;
// elsewhere it is n^2 / 4, four distances per unit.
std::uint64_t WorkPerCentre(const FreeSites& sites, bool on_grid) {
  const std::uint64_t n = sites.wanted;
  return std::uint64_t{sites.free_count} + (on_grid ? 40 * n : n * n / 4);
}

std::vector<NodeId> Hybrid::ChooseNodes(const Decision& decision,
                                        Trace& trace) const {
  const Choice& choice = decision.choice;
  const Topology& topology = decision.view.topology();
  const ThermalProblem problem(decision.room, choice,
                               decision.communication_share);
  InletConstraints constraints(problem);
  Budget mpit_budget = decision.budget.Part(kMpitBudgetShare);
  const MpitSolution mpit = SolveMpit(constraints, column_sums_, mpit_budget);
  decision.budget.Take(mpit_budget);
  std::vector<NodeId> mpit_nodes = problem.NodesOf(mpit.placement.counts());
  trace.Note("least_peak_c", mpit.placement.peak_c());
  trace.Note("bound_c", mpit.bound_c);
  const FreeSites sites(topology, choice);
  if (sites.wanted == sites.free_count || sites.wanted == 0) {
    trace.Note("peak_inlet_c", mpit.placement.peak_c());
    return mpit_nodes;
  }

  std::optional<GridPlaces> places;
  if (grid_) places.emplace(PlacesOnGrid(*grid_, ShellKind::kBox, sites));
  const std::uint64_t work = WorkPerCentre(sites, places.has_value());
  const std::vector<VertexId> vertices =
      EvenSample(VerticesOf(topology, mpit_nodes), kMaxWork / work);
  const auto collect_around = [&]() -> CollectAround {
    return [&, collector = places ? MakeGridCollector(topology, *places)
                                  : MakeHopCollector(topology, sites)](
               VertexId centre) {
      Budget last_shell_budget(kLastShellWork / vertices.size());
      const CentreFound found = collector->Collect(centre, last_shell_budget);
      CollectedNodes collected{NodesOf(topology, choice, found.chosen),
                               found.pairwise_total.value_or(0)};
      collected.nodes.erase(
          collected.nodes.begin(),
          collected.nodes.begin() +
              static_cast<std::ptrdiff_t>(choice.required_count));
      return collected;
    };
  };
  const auto found =
      work > kMaxWorkPerCentre
          ? std::nullopt
          : FindThermalCentre(constraints, vertices, collect_around, work,
                              decision.budget);
  if (!found) {
    trace.Note("centres", std::int64_t{0});
    trace.Note("peak_inlet_c", mpit.placement.peak_c());
    return mpit_nodes;
  }
  trace.Note("centre_vertex", std::int64_t{found->centre});
  trace.Note("peak_inlet_c", found->peak_c);
  trace.Note("pairwise_total_hops",
             static_cast<std::int64_t>(found->pairwise_total));
  trace.Note("centres", static_cast<std::int64_t>(found->collected));
  trace.Note("centres_worked_out", static_cast<std::int64_t>(found->evaluated));
  std::vector<NodeId> nodes = choice.required.Members();
  nodes.insert(nodes.end(), found->nodes.begin(), found->nodes.end());
  return nodes;
}

}  // namespace

std::unique_ptr<const ThermalPolicy> NewHybrid(const Machine& machine) {
  return std::make_unique<Hybrid>(machine);
}

std::vector<NodeId> HybridNodes(const ThermalPolicy& hybrid,
                                const ThermalPolicy::Decision& decision,
                                double share) {
  Budget part = decision.budget.Part(share);
  Trace unused;
  std::vector<NodeId> nodes =
      hybrid.ChooseNodes({decision.view, decision.room,
                          decision.communication_share, decision.choice, part},
                         unused);
  decision.budget.Take(part);
  return nodes;
}

std::unique_ptr<Policy> MakeHybrid(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& /*options*/) {
  return std::make_unique<Hybrid>(*machine);
}

}  // namespace coolspan
