// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "policy/policies.h"
#include "policy/thermal/least_ranked.h"
#include "policy/thermal/thermal_policy.h"

namespace coolspan {
namespace {

// Least recirculated heat (spatio-temporal-scint, equation 11): chooses the
// nodes with the lowest victor rank
//
//   r_i = sum_j v_j d_ij p_i^max,  v_j = sum_i d_ij p_i^max
//
// Equation 11 counts d_ij as heat from i to j. D here is that of equation 4,
// with the receiver as row, so v = D p^max and r_i = p_i^max (D^T v)_i. Ranks
// depend on the room only and are computed once.
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
