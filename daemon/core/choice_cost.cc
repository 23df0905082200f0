// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/choice_cost.h"

#include <algorithm>

#include "core/heat/heat_cost.h"

namespace coolspan {
namespace {

// With the loads of the snapshot, which include the job's.
std::optional<double> CoolingWatts(const MachineSnapshot& snapshot) {
  if (snapshot.room_states == nullptr) return std::nullopt;
  const RoomStates::Lease state = snapshot.room_states->Take(
      snapshot.availability->loads, snapshot.correction);
  const RoomView view = state->view();
  const Room& room = view.room();
  const double supply_c = room.SupplyMaxC(PeakInletC(view));
  if (!room.CopIsSensibleAt(supply_c)) return std::nullopt;
  return room.CoolingWatts(view.it_w(), supply_c);
}

ChoiceCost CostOf(const Holding& holding, const MachineSnapshot& snapshot) {
  return {static_cast<NodeCount>(holding.nodes.size()),
          snapshot.machine->topology().PairwiseTotal(holding.nodes),
          CoolingWatts(snapshot)};
}

}  // namespace

double ChoiceCost::pairwise_mean() const {
  if (nodes < 2) return 0;
  const double pairs = static_cast<double>(nodes) * (nodes - 1) / 2;
  return static_cast<double>(pairwise_total) / pairs;
}

std::optional<AdviceCost> CostOf(const Advice& advice) {
  const std::size_t nodes =
      std::max(advice.decided->nodes.size(), advice.actual->nodes.size());
  if (nodes > kMaxNodesCompared &&
      advice.after.machine->topology().grid() == nullptr) {
    return std::nullopt;
  }
  AdviceCost cost;
  cost.actual = CostOf(*advice.actual, advice.after);
  cost.decided = advice.decided->nodes == advice.actual->nodes
                     ? cost.actual
                     : CostOf(*advice.decided, advice.before);
  // A difference needs both.
  if (!cost.decided.cooling_w || !cost.actual.cooling_w) {
    cost.decided.cooling_w.reset();
    cost.actual.cooling_w.reset();
  }
  return cost;
}

}  // namespace coolspan
