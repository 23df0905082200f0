// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "policy/place_demand.h"
#include "policy/policies.h"
#include "policy/stream/graph_stream.h"
#include "policy/stream/grid_stream.h"
#include "policy/stream/stream_costs.h"

namespace coolspan {
namespace {

class Coolspan final : public Policy {
 public:
  Coolspan(std::shared_ptr<const Machine> machine, const StreamWeights& weights)
      : machine_(std::move(machine)), weights_(weights) {
    if (const Grid* grid = machine_->topology().grid()) {
      grid_.emplace(*grid);
      layout_.emplace(grid_->axes);
    } else {
      neighbours_.emplace(machine_->topology());
    }
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
    const StreamFound found = Search(view.topology(), sites,
                                     CostsFor(view, request, weights_), budget);
    trace.Note("score", found.score);
    trace.Note("centres", static_cast<std::int64_t>(found.centres));
    trace.Note("centres_scored", static_cast<std::int64_t>(found.scored));
    return NodesOf(view.topology(), choice, found.chosen);
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
  std::optional<GridTable> grid_;
  std::optional<PrefixLayout> layout_;
  std::optional<Neighbours> neighbours_;  // without a grid
};

}  // namespace

std::unique_ptr<Policy> MakeCoolspan(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options) {
  return std::make_unique<Coolspan>(
      machine,
      StreamWeights{options.Value("perimeter"), options.Value("ends-before"),
                    options.Value("ends-after"), options.Value("rate"),
                    options.Value("scarcity")});
}

}  // namespace coolspan
