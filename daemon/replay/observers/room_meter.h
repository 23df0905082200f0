// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_OBSERVERS_ROOM_METER_H_
#define COOLSPAN_REPLAY_OBSERVERS_ROOM_METER_H_

#include <memory>
#include <span>
#include <vector>

#include "core/room.h"
#include "core/room_state.h"
#include "core/types.h"
#include "thermal/cooling.h"

namespace coolspan {

// The room of a machine during a replay. Power and inlet temperatures are those
// of the steady state and constant between two events (start or end of a job),
// so energies are exact sums. A node has at most one job. Times never
// decrease. Not thread-safe.
class RoomMeter {
 public:
  struct Totals {
    double time_s = 0;
    double it_energy_j = 0;
    double cooling_energy_j = 0;
    // Time with a supply temperature outside the valid range of the CoP model.
    double cop_not_sensible_s = 0;
  };

  // Energy is counted from begin_ms on; the first start may be earlier.
  RoomMeter(std::shared_ptr<const Room> room, TimeMs begin_ms);

  // The cooling of the room if another job ran on these free nodes and
  // communicated for that share of its run time.
  Cooling IfStarted(const std::vector<NodeId>& nodes, float communication_share,
                    TimeMs now_ms);
  // The cooling of the room since the last start or end, and its inlet
  // temperatures by zone, valid until the next call.
  const Cooling& Now();
  std::span<const double> InletsNow();
  // A job starts on these nodes. REQUIRES free nodes.
  void Start(const std::vector<NodeId>& nodes, float communication_share,
             TimeMs now_ms);
  // The job on the nodes of from goes on on as many others, which may include
  // some of them.
  void Move(const std::vector<NodeId>& from, const std::vector<NodeId>& to,
            TimeMs now_ms);
  // The job on these nodes ends.
  void End(const std::vector<NodeId>& nodes, TimeMs now_ms);
  // Nothing changes until then. No effect for a time that has passed.
  void Wait(TimeMs until_ms) { AdvanceTo(until_ms); }
  const Room& room() const { return state_.room(); }
  // From begin_ms to the last start or end, or to the end of Wait.
  const Totals& totals() const { return totals_; }

 private:
  void SetLoads(const std::vector<NodeId>& nodes, NodeLoad load);
  Cooling Measure();
  void AdvanceTo(TimeMs now_ms);

  RoomState state_;
  std::vector<NodeLoad> loads_;  // by NodeId
  Cooling cooling_;
  bool is_measured_ = false;  // cooling_ belongs to loads_
  const TimeMs begin_ms_;
  TimeMs now_ms_;
  Totals totals_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_OBSERVERS_ROOM_METER_H_
