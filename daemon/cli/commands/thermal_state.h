// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_COMMANDS_THERMAL_STATE_H_
#define COOLSPAN_CLI_COMMANDS_THERMAL_STATE_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/machine.h"
#include "core/node_set.h"
#include "core/room.h"
#include "core/room_state.h"

namespace coolspan {

// The steady state of a room at its supply temperature.
struct SteadyRoom {
  std::vector<double> inlet_c;       // by zone
  std::vector<double> power_w;       // by zone
  std::vector<double> node_power_w;  // by NodeId
  double it_w = 0;
};

// The state with these nodes busy. share: of their time that they communicate.
RoomState StateWithBusy(const std::shared_ptr<const Room>& room,
                        const NodeSet& busy, double share);
SteadyRoom SteadyOf(const RoomState& state);
// Nodes without a power are idle. Where idle zones are off, a zone without any
// power draws nothing.
SteadyRoom SteadyWithPowers(const Room& room,
                            const std::vector<std::optional<double>>& powers);

// The machine in the same room with another supply temperature or redline.
// Errors: INVALID_ARGUMENT unless redline_c is above supply_c.
absl::StatusOr<std::shared_ptr<const Machine>> WithTemperatures(
    const Machine& machine, double supply_c, double redline_c);

// Power usage effectiveness: (IT + cooling) / IT. Not finite without IT power
// or where the CoP is not positive.
double PueOf(double it_w, double cooling_w);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_COMMANDS_THERMAL_STATE_H_
