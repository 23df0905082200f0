// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CORE_COMPARISON_H_
#define COOLSPAN_CORE_COMPARISON_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/budget.h"
#include "core/heat_cost.h"
#include "core/ledger.h"
#include "core/machine.h"
#include "core/policy.h"
#include "core/request.h"
#include "core/room_state.h"

namespace coolspan {

// The policies that decisions in a room are held against.
struct ReferencePolicies {
  std::shared_ptr<const Policy> coolest;
  std::shared_ptr<const Policy> most_compact;
};

// What a decision was made from, so that it can be held against what else could
// have been chosen: later and on another thread, because nobody who waits for
// nodes should wait for that. For one thread at a time.
class Comparison {
 public:
  // Of each alternative; some milliseconds.
  static constexpr std::uint64_t kMaxWork = 400'000;

  // own: what the decision's nodes do. REQUIRES a view with a room, its nodes,
  // and all alternatives.
  Comparison(ReferencePolicies reference_policies,
             std::shared_ptr<const Machine> machine, const MachineView& view,
             const Request& request, const Ledger& ledger,
             const RoomState& room, std::vector<NodeId> nodes, HeatCost own);

  // Notes how hot the room would be, what cooling would take and how far apart
  // the nodes would be, had the coolest or the most compact choice been made.
  // The coolest of what was decided and what the alternatives choose is the
  // coolest there is, so the most compact. Of an alternative that found nothing
  // in its work or until the budget's end nothing is noted, but for
  // compared "no time" where it was the time.
  void Note(Budget& budget, Trace& trace);

 private:
  struct Cost {
    HeatCost heat;
    std::uint64_t pairwise_total = 0;
  };

  // None: no answer.
  std::optional<Cost> CostOf(const Policy& policy, const MachineView& view,
                             Budget& budget);

  const ReferencePolicies reference_policies_;
  const std::shared_ptr<const Machine> machine_;
  const Request request_;
  const NodeSet available_;
  const std::vector<Units> free_units_;  // by NodeId
  const std::vector<Units> capacity_;    // by NodeId
  const std::uint64_t ledger_version_;
  RoomState room_;  // before the decision
  const std::vector<NodeId> nodes_;
  const HeatCost own_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CORE_COMPARISON_H_
