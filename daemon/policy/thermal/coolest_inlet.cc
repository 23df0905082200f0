// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>

#include "policy/policies.h"
#include "policy/thermal/least_ranked.h"
#include "policy/thermal/thermal_policy.h"

namespace coolspan {
namespace {

// The nodes whose inlets are the coolest before the job starts. What the job
// does to them is not looked at.
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
