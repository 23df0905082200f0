// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_THERMAL_THERMAL_POLICY_H_
#define COOLSPAN_POLICY_THERMAL_THERMAL_POLICY_H_

#include <optional>
#include <vector>

#include "core/policy.h"
#include "policy/place_demand.h"

namespace coolspan {

// The share of its time that a job communicates: of the request, else of the
// room. REQUIRES a view with a room.
double ShareOf(const MachineView& view, const Request& request);

// Base class of the policies that use the thermal model. Without a room in the
// view, Place returns nullopt.
class ThermalPolicy : public Policy {
 public:
  std::optional<Allocation> Place(const MachineView& view,
                                  const Request& request, Budget& budget,
                                  Trace& trace) const final;

  // The inputs of one decision.
  struct Decision {
    const MachineView& view;
    const RoomView& room;
    double communication_share;
    const Choice& choice;
    Budget& budget;
  };
  // Returns choice.nodes nodes, in any order.
  virtual std::vector<NodeId> ChooseNodes(const Decision& decision,
                                          Trace& trace) const = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_THERMAL_THERMAL_POLICY_H_
