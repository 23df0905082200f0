// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/reference_policies.h"

#include <optional>
#include <utility>
#include <vector>

#include "core/heat/heat_cost.h"
#include "core/heat/job_load.h"
#include "policy/table.h"

namespace coolspan {
namespace {

// What a choice of nodes costs.
struct PlacementCost {
  HeatCost heat;
  std::uint64_t pairwise_total = 0;  // hops
};

class Comparison {
 public:
  Comparison(const MachineSnapshot& snapshot, const AllocateCall& call)
      : snapshot_(snapshot),
        question_(QuestionOf(call, AvailableTo(call, *snapshot.availability),
                             *snapshot.availability)),
        state_(snapshot.room_states->Take(snapshot.availability->loads,
                                          snapshot.correction)),
        before_(state_->view()) {}

  PlacementCost CostOf(const std::vector<NodeId>& nodes) {
    const Availability& availability = *snapshot_.availability;
    return {HeatCostOf(before_,
                       state_->With(LoadOf(question_.request, state_->room(),
                                           nodes, availability.free_units,
                                           *availability.capacity))),
            snapshot_.machine->topology().PairwiseTotal(nodes)};
  }

  // nullopt: the policy found nothing in its work or in time.
  std::optional<PlacementCost> CostOf(const Policy& policy, Budget& budget) {
    if (!budget.Spend(0)) return std::nullopt;
    const MachineView view(*snapshot_.machine, question_.available,
                           &question_.units, snapshot_.ledger_version, &before_,
                           &snapshot_.availability->ends, snapshot_.taken_ms);
    Trace unused;
    Budget policy_budget(kWorkOfReference,
                         [&budget] { return budget.Spend(0) ? 0.0 : 1.0; });
    const std::optional<Allocation> choice =
        policy.Place(view, question_.request, policy_budget, unused);
    // The best found before the time ended may be far from the best.
    if (!choice.has_value() || budget.exhausted()) return std::nullopt;
    return CostOf(choice->nodes);
  }

 private:
  const MachineSnapshot& snapshot_;
  const Question question_;
  const RoomStates::Lease state_;
  const RoomView before_;
};

}  // namespace

absl::StatusOr<ReferencePolicies> MakeReferencePolicies(
    const std::shared_ptr<const Machine>& machine,
    const PolicyOptions& options) {
  auto coolest = MakePolicy("mpit", machine, options);
  if (!coolest.ok()) return coolest.status();
  auto most_compact = MakePolicy("mc1x1", machine, options);
  if (!most_compact.ok()) return most_compact.status();
  return ReferencePolicies{*std::move(coolest), *std::move(most_compact)};
}

void NoteComparison(const ReferencePolicies& references,
                    const MachineSnapshot& snapshot, const AllocateCall& call,
                    const Decision& decision, Budget& budget, Trace& trace) {
  if (!budget.Spend(0)) {
    trace.Note("compared", "no time");
    return;
  }
  Comparison comparison(snapshot, call);
  const PlacementCost own = comparison.CostOf(decision.allocation.nodes);
  const auto of_coolest = comparison.CostOf(*references.coolest, budget);
  const auto of_compact = comparison.CostOf(*references.most_compact, budget);
  PlacementCost coolest = own;
  PlacementCost compact = own;
  for (const std::optional<PlacementCost>& cost : {of_coolest, of_compact}) {
    if (!cost.has_value()) continue;
    if (cost->heat.peak_inlet_c < coolest.heat.peak_inlet_c) coolest = *cost;
    if (cost->pairwise_total < compact.pairwise_total) compact = *cost;
  }
  const auto hops = [](const PlacementCost& cost) {
    return static_cast<std::int64_t>(cost.pairwise_total);
  };
  trace.Note("pairwise_total", hops(own));
  if (of_coolest.has_value()) {
    NoteRounded("coolest_peak_inlet_c", coolest.heat.peak_inlet_c, trace);
    NoteRounded("coolest_cooling_added_w", coolest.heat.cooling_added_w, trace);
    trace.Note("coolest_pairwise_total", hops(coolest));
  }
  if (of_compact.has_value()) {
    NoteRounded("compact_peak_inlet_c", compact.heat.peak_inlet_c, trace);
    NoteRounded("compact_cooling_added_w", compact.heat.cooling_added_w, trace);
    trace.Note("compact_pairwise_total", hops(compact));
  }
  if (budget.exhausted()) trace.Note("compared", "no time");
}

}  // namespace coolspan
