// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_ROOM_METER_H_
#define COOLSPAN_REPLAY_ROOM_METER_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/room.h"
#include "core/room_state.h"
#include "core/types.h"
#include "replay/workload.h"
#include "thermal/cooling.h"

namespace coolspan {

// The room of a machine during a replay. Power and inlets are always those of
// the steady state, constant between a start or an end and the next one, so
// that energies are exact sums. Jobs have their nodes to themselves. Times
// never go back. Not thread-safe.
class RoomMeter {
 public:
  struct Totals {
    double it_energy_j = 0;
    double cooling_energy_j = 0;
    // How long the CoP polynomial said nothing sensible (Cooling).
    double cop_not_sensible_s = 0;
  };

  // Energy is counted from begin_ms on.
  RoomMeter(std::shared_ptr<const Room> room, TimeMs begin_ms);

  // What it would take to cool the room if a job had those free nodes too and
  // communicated for that share of its time.
  Cooling IfStarted(const std::vector<NodeId>& nodes, float communication_share,
                    TimeMs now_ms);
  // REQUIRES a job that has not started yet, free nodes.
  void Start(JobIndex job, const std::vector<NodeId>& nodes,
             float communication_share, TimeMs now_ms);
  void End(JobIndex job, TimeMs now_ms);
  // Up to the last start or end.
  const Totals& totals() const { return totals_; }

 private:
  void SetLoads(const std::vector<NodeId>& nodes, NodeLoad load);
  Cooling Measure();
  void AdvanceTo(TimeMs now_ms);

  RoomState state_;
  std::vector<NodeLoad> loads_;  // by NodeId
  absl::flat_hash_map<JobIndex, std::vector<NodeId>> running_;
  Cooling cooling_;
  bool is_measured_ = false;  // cooling_ is that of loads_
  TimeMs now_ms_;
  Totals totals_;
};

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_ROOM_METER_H_
