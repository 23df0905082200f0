// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison.h"

#include <optional>
#include <utility>

#include "core/job_load.h"

namespace coolspan {
namespace {

std::vector<Units> Copied(std::span<const Units> units) {
  return {units.begin(), units.end()};
}

}  // namespace

Comparison::Comparison(ReferencePolicies reference_policies,
                       std::shared_ptr<const Machine> machine,
                       const MachineView& view, const Request& request,
                       const Ledger& ledger, const RoomState& room,
                       std::vector<NodeId> nodes, HeatCost own)
    : reference_policies_(std::move(reference_policies)),
      machine_(std::move(machine)),
      request_(request),
      available_(view.available()),
      free_units_(Copied(ledger.free_units())),
      capacity_(Copied(ledger.capacity())),
      ledger_version_(ledger.version()),
      room_(room),
      nodes_(std::move(nodes)),
      own_(own) {}

std::optional<Comparison::Cost> Comparison::CostOf(const Policy& policy,
                                                   const MachineView& view,
                                                   Budget& budget) {
  if (!budget.Spend(0)) return std::nullopt;
  Trace aside;
  Budget policy_budget(kMaxWork,
                       [&budget] { return budget.Spend(0) ? 0.0 : 1.0; });
  const std::optional<Allocation> choice =
      policy.Place(view, request_, policy_budget, aside);
  // Its best so far, where the time ended, may be none of the best.
  if (!choice.has_value() || budget.exhausted()) return std::nullopt;
  return Cost{
      HeatCostOf(*view.room(),
                 room_.With(LoadOf(request_, room_.room(), choice->nodes,
                                   free_units_, capacity_))),
      machine_->topology().PairwiseTotal(choice->nodes)};
}

void Comparison::Note(Budget& budget, Trace& trace) {
  const RoomView before = room_.view();
  const MachineView view(*machine_, available_, free_units_, ledger_version_,
                         &before);
  const Cost own{own_, machine_->topology().PairwiseTotal(nodes_)};
  const std::optional<Cost> cool =
      CostOf(*reference_policies_.coolest, view, budget);
  const std::optional<Cost> near =
      CostOf(*reference_policies_.most_compact, view, budget);
  Cost coolest = own;
  Cost compact = own;
  for (const std::optional<Cost>& cost : {cool, near}) {
    if (!cost.has_value()) continue;
    if (cost->heat.peak_inlet_c < coolest.heat.peak_inlet_c) coolest = *cost;
    if (cost->pairwise_total < compact.pairwise_total) compact = *cost;
  }
  const auto hops = [](const Cost& cost) {
    return static_cast<std::int64_t>(cost.pairwise_total);
  };
  trace.Note("pairwise_total", hops(own));
  if (cool.has_value()) {
    NoteRounded("coolest_peak_inlet_c", coolest.heat.peak_inlet_c, trace);
    NoteRounded("coolest_cooling_added_w", coolest.heat.cooling_added_w, trace);
    trace.Note("coolest_pairwise_total", hops(coolest));
  }
  if (near.has_value()) {
    NoteRounded("compact_peak_inlet_c", compact.heat.peak_inlet_c, trace);
    NoteRounded("compact_cooling_added_w", compact.heat.cooling_added_w, trace);
    trace.Note("compact_pairwise_total", hops(compact));
  }
  if (budget.exhausted()) trace.Note("compared", "no time");
}

}  // namespace coolspan
