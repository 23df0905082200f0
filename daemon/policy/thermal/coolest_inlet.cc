// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>

#include "policy/policies.h"
#include "policy/thermal/least_ranked.h"
#include "policy/thermal/thermal_policy.h"

namespace coolspan {
namespace {

// The nodes with the lowest inlet temperatures before the job starts. Ignores
// the heat of the job itself.
class CoolestInlet final : public ThermalPolicy {
 public:
  std::string_view name() const override { return "coolest-inlet"; }

 private:
  std::vector<NodeId> ChooseNodes(const Decision& decision,
                                  Trace& /*trace*/) const override {
    const RoomView& room = decision.room;
    return LeastRanked(decision.choice, [&room](NodeId node) {
      return room.inlet_c()[room.room().ZoneOf(node)];
    });
  }
};

}  // namespace

std::unique_ptr<Policy> MakeCoolestInlet(
    const std::shared_ptr<const Machine>& /*machine*/,
    const PolicyOptions& /*options*/) {
  return std::make_unique<CoolestInlet>();
}

}  // namespace coolspan
