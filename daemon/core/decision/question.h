// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_DECISION_QUESTION_H_
#define COOLSPAN_CORE_DECISION_QUESTION_H_

#include <vector>

#include "core/availability.h"
#include "core/decision/tiers.h"
#include "core/ledger.h"
#include "core/node_set.h"
#include "core/request.h"
#include "core/types.h"

namespace coolspan {

// A request of the resource manager for a start decision.
struct AllocateCall {
  JobKey job;
  std::uint64_t attempt = 0;  // grows with each RUN_NOW of one run
  Request request;
  // Nodes offered and nodes excluded. Size 0: all offered, none excluded.
  NodeSet candidates;
  NodeSet excluded;
  std::vector<Tier> tiers;  // by NodeId; empty: no preference
  TimeMs now_ms = 0;        // the caller's clock
};

// What a policy is asked: the nodes that the call may use, its request with an
// exact number of nodes or as few as hold the units, both limited to the
// preferred tiers, and the units that the job can use of each node.
struct Question {
  NodeSet available;
  Request request;
  UnitsByNode units;
};

// The nodes that are free for the request, whole or shared.
const NodeSet& FreeFor(const Request& request,
                       const Availability& availability);
// The nodes that the call may use: free, offered, not excluded.
NodeSet AvailableTo(const AllocateCall& call, const Availability& availability);

// Whether the policy gets the call's request, available nodes and free units
// as they are, so that no Question needs to be made.
bool IsPlain(const AllocateCall& call);
// available: of AvailableTo.
Question QuestionOf(const AllocateCall& call, NodeSet available,
                    const Availability& availability);

}  // namespace coolspan

#endif  // COOLSPAN_CORE_DECISION_QUESTION_H_
