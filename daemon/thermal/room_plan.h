// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_ROOM_PLAN_H_
#define COOLSPAN_THERMAL_ROOM_PLAN_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "thermal/low_rank_heat.h"

namespace coolspan {

// A room to make up: rows of racks, back to back over hot aisles and face to
// face over cold ones, one zone a node. Zone: height + nodes_per_rack * (rack +
// racks * row), height 0 at the floor.
struct RoomPlan {
  std::uint32_t rows = 1;
  std::uint32_t racks = 1;  // of a row
  std::uint32_t nodes_per_rack = 1;
  double supply_c = 15;
  double idle_peak_c = 24;
  double full_peak_c = 41;
  double busy_w = 400;  // of a node
  // The greatest share of an inlet's air, or of a node's exhaust, that goes
  // round: the greatest row or column sum of A.
  double recirculation = 0.6;
  std::uint64_t seed = 0;
};

struct PlannedRoom {
  LowRankHeat::Factors heat;
  double airflow_w_per_k = 0;  // K of each zone, with which A is physical
  double idle_w = 0;           // of a node
};

// D of such a room, O(racks) in time and memory. A is made up first, so that it
// is physical, then D = K^-1 ((I - A^T)^-1 - I) in closed form, then K so that
// the hottest inlet is at full_peak_c where all nodes draw busy_w, and the idle
// power so that it is at idle_peak_c where all are idle. docs/large-rooms.md
// says what A is like and why. The same plan makes the same room.
// Errors: INVALID_ARGUMENT for sizes of 0 or too many, temperatures that are
// not supply < idle < full, recirculation not above 0 and below 0.95.
inline constexpr std::uint32_t kMaxPlannedZones = 1U << 20;
inline constexpr std::uint32_t kMaxPlannedRacks = 1U << 14;
absl::StatusOr<PlannedRoom> MakeUpRoom(const RoomPlan& plan);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_ROOM_PLAN_H_
