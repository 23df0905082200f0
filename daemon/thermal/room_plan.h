// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_THERMAL_ROOM_PLAN_H_
#define COOLSPAN_THERMAL_ROOM_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "thermal/low_rank_heat.h"

namespace coolspan {

// Parameters of a synthetic room: rows of racks, back to back over hot aisles
// and face to face over cold ones, one zone for each node. Zone number:
// height + nodes_per_rack * (rack + racks * row), height 0 at the floor.
struct RoomPlan {
  std::uint32_t rows = 1;
  std::uint32_t racks = 1;  // of a row
  std::uint32_t nodes_per_rack = 1;
  double supply_c = 15;
  double idle_peak_c = 24;
  double full_peak_c = 41;
  double busy_w = 400;  // of a node
  // Maximum share of an inlet's air, or of a node's exhaust, that recirculates:
  // the maximum row or column sum of A.
  double recirculation = 0.6;
  std::uint64_t seed = 0;
  // The zones with a node, by number, ascending; empty: all. Air passes through
  // an empty slot, which has no zone: D has the rows and columns of the others.
  std::vector<ZoneId> occupied = {};
};

struct PlannedRoom {
  LowRankHeat::Factors heat;
  double airflow_w_per_k = 0;  // K, the same for all zones
  double idle_w = 0;           // of a node
};

// Generates D of a synthetic room, O(racks) in time and memory:
// 1. A, physical by construction (docs/large-rooms.md describes it);
// 2. K D = (I - A^T)^-1 - I in closed form (joint-allocation-sst, equation 5);
// 3. the rows and columns of the occupied zones: the A that belongs to them,
//    with the air by way of empty slots (a Schur complement of I - A), has
//    entries of at least 0 and no larger sums than 1, as A has;
// 4. K such that the hottest inlet is at full_peak_c when all nodes draw
//    busy_w;
// 5. idle power such that it is at idle_peak_c when all nodes are idle.
// Deterministic. Errors: INVALID_ARGUMENT for sizes of 0 or too large,
// temperatures not supply < idle < full, recirculation not in (0, 0.95),
// occupied zones out of order or range.
inline constexpr std::uint32_t kMaxPlannedZones = 1U << 20;
inline constexpr std::uint32_t kMaxPlannedRacks = 1U << 14;
absl::StatusOr<PlannedRoom> MakeUpRoom(const RoomPlan& plan);

}  // namespace coolspan

#endif  // COOLSPAN_THERMAL_ROOM_PLAN_H_
