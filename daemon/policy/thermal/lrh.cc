// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/policies.h"
#include "policy/thermal/least_ranked.h"
#include "policy/thermal/thermal_policy.h"
#include "policy/thermal/victor_ranks.h"

namespace coolspan {
namespace {

// Least recirculated heat (spatio-temporal-scint, section 5.1): chooses the
// nodes with the lowest victor rank.
class LeastRecirculatedHeat final : public ThermalPolicy {
 public:
  explicit LeastRecirculatedHeat(const Room& room)
      : victor_rank_(VictorRanks(room)) {}

  std::string_view name() const override { return "lrh"; }

 private:
  std::vector<NodeId> ChooseNodes(const Decision& decision,
                                  Trace& /*trace*/) const override {
    return LeastRanked(decision.choice,
                       [this](NodeId node) { return victor_rank_[node]; });
  }

  const std::vector<double> victor_rank_;  // by node
};

}  // namespace

std::unique_ptr<Policy> MakeLrh(const std::shared_ptr<const Machine>& machine,
                                const PolicyOptions& /*options*/) {
  return std::make_unique<LeastRecirculatedHeat>(*machine->room());
}

}  // namespace coolspan
