// SPDX-License-Identifier: GPL-3.0-or-later
// The policy for a stream of jobs: docs/policy-coolspan.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "policy/place_demand.h"
#include "policy/policies.h"
#include "policy/stream/graph_stream.h"
#include "policy/stream/grid_stream.h"
#include "policy/stream/joint_search.h"
#include "policy/stream/large_room.h"
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
    const Room* const room = machine_->room().get();
    const bool heats = heat.heat > 0 && room != nullptr;
    const bool is_large = machine_->node_count() > NodePairs::kMaxNodes;
    if (!grid_ || (heats && !is_large)) neighbours_.emplace(topology);
    if (heats && is_large) large_room_.emplace(*machine_, heat);
    if (heats && !is_large) {
      joint_.emplace(*machine_, *neighbours_, weights, heat);
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
    const NodeCount available = choice.available.Count();
    if (choice.nodes == choice.required_count) return choice.required.Members();
    if (choice.nodes == available) return choice.available.Members();
    const StreamCosts costs = CostsFor(view, request, weights_);
    trace.Note("perimeter_weight", costs.perimeter_weight);
    if (request.expected_run_ms > 0) {
      trace.Note("expected_run_s",
                 static_cast<double>(request.expected_run_ms) / kMsPerSecond);
    }
    const auto compact_among = [&](const Choice& among, Budget& part,
                                   Trace& facts) {
      if (among.available.Count() == view.available().Count()) {
        return Compact(view, among, costs, part, facts);
      }
      return Compact(view, among, CostsAmong(view, among, costs), part, facts);
    };
    if (large_room_ && view.room() != nullptr) {
      return large_room_->Choose(
          view, request, choice,
          [&](const Choice& among, Budget& part) {
            Trace unused;
            return compact_among(among, part, unused);
          },
          budget, trace);
    }
    std::vector<NodeId> nodes = compact_among(choice, budget, trace);
    if (!joint_ || view.room() == nullptr) return nodes;
    return joint_->Choose(view, request, choice, costs.perimeter_weight,
                          std::move(nodes), budget, trace);
  }

  // Free nodes that are not among the choice count as free neighbours.
  static StreamCosts CostsAmong(const MachineView& view, const Choice& choice,
                                const StreamCosts& costs) {
    StreamCosts among = costs;
    among.busy_phi.resize(view.topology().vertex_count(), 0);
    NodeSet others = view.available();
    others -= choice.available;
    others.ForEach([&](NodeId node) {
      std::int32_t& phi = among.busy_phi[view.topology().VertexOf(node)];
      phi = static_cast<std::int32_t>(
          std::min(std::int64_t{phi} + kPhiUnit, kMaxPhi));
    });
    return among;
  }

  // The nodes of least distance and perimeter.
  std::vector<NodeId> Compact(const MachineView& view, const Choice& choice,
                              const StreamCosts& costs, Budget& budget,
                              Trace& trace) const {
    const FreeSites sites(view.topology(), choice);
    if (sites.wanted == sites.free_count) return choice.available.Members();
    const StreamFound found = Search(view.topology(), sites, costs, budget);
    if (std::isfinite(found.score)) trace.Note("score_hops", found.score);
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
  // With coordinates only.
  std::optional<GridTable> grid_;
  std::optional<PrefixLayout> layout_;
  std::optional<Neighbours> neighbours_;  // where needed
  std::optional<JointSearch> joint_;      // with a room
  std::optional<LargeRoom> large_room_;   // with a room of more nodes
};

}  // namespace

std::unique_ptr<Policy> MakeCoolspan(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options) {
  return std::make_unique<Coolspan>(
      machine,
      StreamWeights{options.Value("perimeter"), options.Value("ends-before"),
                    options.Value("ends-after"), options.Value("rate")},
      HeatWeights{options.Value("heat"), options.Value("futures"),
                  options.Value("pue"), options.Value("node-price"),
                  options.Value("energy-price")});
}

}  // namespace coolspan
