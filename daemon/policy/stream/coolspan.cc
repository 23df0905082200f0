// SPDX-License-Identifier: GPL-3.0-or-later
// The policy for a stream of jobs: docs/policy-coolspan.md.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "policy/place_demand.h"
#include "policy/policies.h"
#include "policy/stream/graph_stream.h"
#include "policy/stream/grid_stream.h"
#include "policy/stream/joint_search.h"
#include "policy/stream/neighbours.h"
#include "policy/stream/stream_costs.h"

namespace coolspan {
namespace {

class Coolspan final : public Policy {
 public:
  Coolspan(std::shared_ptr<const Machine> machine, const StreamWeights& weights,
           const HeatWeights& heat)
      : machine_(std::move(machine)), weights_(weights) {
    const Topology& topology = machine_->topology();
    if (const Grid* grid = topology.grid()) {
      grid_.emplace(*grid);
      layout_.emplace(grid_->axes);
    }
    const bool heats = heat.heat > 0 && machine_->room() != nullptr &&
                       machine_->node_count() <= NodePairs::kMaxNodes;
    if (!grid_ || heats) neighbours_.emplace(topology);
    if (heats) joint_.emplace(*machine_, *neighbours_, weights, heat);
  }

  std::string_view name() const override { return "coolspan"; }
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& budget,
                                  Trace& trace) const override {
    return PlaceDemand(view, request, trace,
                       [&](const Choice& choice, Trace& facts) {
                         return Choose(view, request, choice, budget, facts);
                       });
  }

 private:
  std::vector<NodeId> Choose(const MachineView& view, const Request& request,
                             const Choice& choice, Budget& budget,
                             Trace& trace) const {
    const FreeSites sites(view.topology(), choice);
    if (sites.wanted == 0) return choice.required.Members();
    if (sites.wanted == sites.free_count) return choice.available.Members();
    const StreamCosts costs = CostsFor(view, request, weights_);
    const StreamFound found = Search(view.topology(), sites, costs, budget);
    trace.Note("score_hops", found.score);
    trace.Note("perimeter_weight", costs.perimeter_weight);
    trace.Note("centres", static_cast<std::int64_t>(found.centres));
    trace.Note("centres_scored", static_cast<std::int64_t>(found.scored));
    std::vector<NodeId> nodes = NodesOf(view.topology(), choice, found.chosen);
    if (!joint_ || view.room() == nullptr) return nodes;
    return joint_->Choose(view, request, choice, costs.perimeter_weight,
                          std::move(nodes), budget, trace);
  }

  StreamFound Search(const Topology& topology, const FreeSites& sites,
                     const StreamCosts& costs, Budget& budget) const {
    if (!grid_) {
      return SearchGraphForStream(topology, *neighbours_, sites, costs, budget);
    }
    const GridPlaces places = PlacesOnGrid(*grid_, ShellKind::kBox, sites);
    const StreamGrid grid(places, costs);
    return SearchGridForStream(grid, *layout_, budget);
  }

  std::shared_ptr<const Machine> machine_;
  StreamWeights weights_;
  // With coordinates only.
  std::optional<GridTable> grid_;
  std::optional<PrefixLayout> layout_;
  std::optional<Neighbours> neighbours_;  // where needed
  std::optional<JointSearch> joint_;      // with a room
};

}  // namespace

std::unique_ptr<Policy> MakeCoolspan(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options) {
  return std::make_unique<Coolspan>(
      machine,
      StreamWeights{options.Value("perimeter"), options.Value("ends-before"),
                    options.Value("ends-after"), options.Value("rate"),
                    options.Value("scarcity")},
      HeatWeights{options.Value("heat"), options.Value("futures"),
                  options.Value("pue"), options.Value("node-price"),
                  options.Value("energy-price")});
}

}  // namespace coolspan
