// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_COOLING_CURVE_H_
#define COOLSPAN_POLICY_STREAM_COOLING_CURVE_H_

#include <algorithm>
#include <span>

#include "core/node_set.h"
#include "core/room.h"
#include "core/types.h"

namespace coolspan {

// What heat and time are worth.
struct HeatWeights {
  double heat = 1;        // weight of the cooling power; 0: the room is ignored
  double futures = 8;     // of a round of the lookahead; 0: none
  double pue = 0;         // total power / IT power; 0: by the room's CoP
  double node_price = 0;  // of one node for an hour
  double energy_price = 0.1;  // of a kWh, in the same currency
};

// The cooling power of a room as searches use it. The room must outlive this.
class CoolingCurve {
 public:
  explicit CoolingCurve(const Room& room);

  // Room::CoolingWatts at the maximum supply temperature for this peak. Where
  // that is below the range in which the CoP model is used (from 2 C, in steps
  // of 1 K the first temperature at which it is sensible, or the supply
  // temperature of the room), a continuation that grows with the peak, so that
  // searches find their way back. Finite: a CoP below 0.1 counts as 0.1.
  double Watts(double it_w, double peak_c) const {
    constexpr double kGrowthPerK = 0.1;
    const double supply_c = room_.SupplyMaxC(peak_c);
    if (supply_c >= min_supply_c_) return it_w / CopAt(supply_c);
    return it_w / CopAt(min_supply_c_) *
           (1 + kGrowthPerK * (min_supply_c_ - supply_c));
  }
  // The same with a job on these nodes, at the peak of all inlets and with the
  // idle power of nodes that it wakes.
  double WattsWith(const RoomView& view, std::span<const NodeId> nodes,
                   double communication_share) const;
  // What the use of one busy node is worth in watts: the energy that it takes,
  // now with cooling, and its price. nodes: those that it may be, for the mean
  // of their power; not empty.
  double NodeWatts(const RoomView& view, const NodeSet& nodes,
                   double communication_share, const HeatWeights& heat) const;

 private:
  double CopAt(double supply_c) const {
    constexpr double kLeast = 0.1;
    return std::max(room_.CopAt(supply_c), kLeast);
  }

  const Room& room_;
  double min_supply_c_;
};

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_COOLING_CURVE_H_
