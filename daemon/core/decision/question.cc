// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/question.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/decision/tiers.h"

namespace coolspan {
namespace {

// The units that the job can use of each node; removes nodes without any from
// the available ones.
UnitsByNode KeepUsable(const UsableByNode& usable,
                       const Availability& availability, NodeSet& available) {
  std::vector<Units> units(usable.size());
  available.ForEach([&](NodeId node) {
    units[node] = usable[node].Within(availability.free_units[node]);
  });
  for (NodeId node = 0; node < units.size(); ++node) {
    if (units[node] == 0 && available.Contains(node)) available.Erase(node);
  }
  return UnitsByNode(units);
}

}  // namespace

const NodeSet& FreeFor(const Request& request,
                       const Availability& availability) {
  return request.whole ? availability.free_whole : availability.free_shared;
}

NodeSet AvailableTo(const AllocateCall& call,
                    const Availability& availability) {
  NodeSet available = FreeFor(call.request, availability);
  if (call.candidates.size() != 0) available &= call.candidates;
  if (call.excluded.size() != 0) available -= call.excluded;
  return available;
}

bool IsPlain(const AllocateCall& call) {
  const Demand& demand = call.request.demand;
  return call.tiers.empty() && call.request.usable == nullptr &&
         !demand.up_to_max_nodes &&
         (demand.units > 0 || demand.min_nodes == demand.max_nodes);
}

Question QuestionOf(const AllocateCall& call, NodeSet available,
                    const Availability& availability) {
  Question question{std::move(available), call.request,
                    availability.free_units};
  if (call.request.usable != nullptr) {
    question.units =
        KeepUsable(*call.request.usable, availability, question.available);
  }
  Demand& demand = question.request.demand;
  if (demand.units == 0 || demand.up_to_max_nodes) {
    demand.max_nodes = std::clamp(question.available.Count(), demand.min_nodes,
                                  demand.max_nodes);
    demand.min_nodes = demand.max_nodes;
  }
  if (call.tiers.empty()) return question;
  TieredRequest limited = LimitToTiers(question.request, question.available,
                                       call.tiers, question.units);
  question.available = std::move(limited.available);
  question.request = std::move(limited.request);
  return question;
}

}  // namespace coolspan
