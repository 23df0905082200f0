// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "policy/policies.h"
#include "policy/thermal/least_ranked.h"
#include "policy/thermal/thermal_policy.h"

namespace coolspan {
namespace {

// Least recirculated heat (Mukherjee et al., Spatio-temporal thermal-aware job
// scheduling, equation 11). The paper counts d_ij as heat that goes from i to
// j; in D, as in its own equation 4, a row receives. So with most power
// everywhere v = D p is how warm each inlet becomes, and a node's rank is what
// it adds to them, each weighted by v: its own most power times (D^T v) of its
// zone. Static: known once the room is.
class LeastRecirculatedHeat final : public ThermalPolicy {
 public:
  explicit LeastRecirculatedHeat(const Room& room);

  std::string_view name() const override { return "lrh"; }

 private:
  std::vector<NodeId> ChooseNodes(const Decision& decision,
                                  Trace& trace) const override;

  std::vector<double> victor_rank_;  // by node
};

double MaxWatts(const Room::NodePower& power) {
  return std::max(power.compute_w, power.communicate_w);
}

LeastRecirculatedHeat::LeastRecirculatedHeat(const Room& room) {
  std::vector<ZonePower> max_power(room.zone_count());
  for (ZoneId zone = 0; zone < room.zone_count(); ++zone) {
    max_power[zone].zone = zone;
    for (const NodeId node : room.NodesOf(zone)) {
      max_power[zone].watts += MaxWatts(room.PowerOf(node));
    }
  }
  std::vector<double> v(room.zone_count(), 0.0);
  room.heat().AddRise(max_power, v);
  std::vector<double> d_transpose_v(room.zone_count(), 0.0);
  room.heat().AddPull(v, d_transpose_v);
  victor_rank_.reserve(room.node_count());
  for (NodeId node = 0; node < room.node_count(); ++node) {
    victor_rank_.push_back(MaxWatts(room.PowerOf(node)) *
                           d_transpose_v[room.ZoneOf(node)]);
  }
}

std::vector<NodeId> LeastRecirculatedHeat::ChooseNodes(const Decision& decision,
                                                       Trace& /*trace*/) const {
  return LeastRanked(decision.choice,
                     [this](NodeId node) { return victor_rank_[node]; });
}

}  // namespace

std::unique_ptr<Policy> MakeLrh(const std::shared_ptr<const Machine>& machine,
                                const PolicyOptions& /*options*/) {
  return std::make_unique<LeastRecirculatedHeat>(*machine->room());
}

}  // namespace coolspan
