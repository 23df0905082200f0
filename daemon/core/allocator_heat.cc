// SPDX-License-Identifier: GPL-3.0-or-later
// What an allocator's answers do to the room.
#include <memory>
#include <utility>

#include "core/allocator.h"
#include "core/heat_cost.h"
#include "core/job_load.h"

namespace coolspan {

// With what the job will draw there.
RoomState::Forecast Allocator::ForecastOf(const Request& request,
                                          const Ledger& ledger,
                                          std::span<const NodeId> nodes) const {
  return room_->With(LoadOf(request, *machine_->room(), nodes,
                            ledger.free_units(), ledger.capacity()));
}

RoomState::Forecast Allocator::KeepRedline(
    const MachineView& view, const Request& request, const Ledger& ledger,
    RoomState::Forecast own, Budget& budget, Decision& decision) const {
  if (redline_fallback_ == nullptr) return own;
  if (!budget.Spend(1)) {
    decision.trace.Note("redline_guard", "no time for cooler nodes");
    return own;
  }
  Trace why;
  Budget policy_budget = budget.Part(1);
  std::optional<Allocation> cooler =
      redline_fallback_->Place(view, request, policy_budget, why);
  budget.Take(policy_budget);
  // A guard that breaks the contract guards nothing, and stops no job.
  if (cooler.has_value() && CheckAnswer(view, request, *cooler).ok()) {
    const RoomState::Forecast forecast =
        ForecastOf(request, ledger, cooler->nodes);
    if (forecast.peak_inlet_c < own.peak_inlet_c) {
      decision.allocation = *std::move(cooler);
      decision.trace = std::move(why);
      decision.trace.Note("redline_guard", "took cooler nodes");
      decision.trace.Note("chosen_by", redline_fallback_->name());
      NoteRounded("unguarded_peak_inlet_c", own.peak_inlet_c, decision.trace);
      decision.guarded = true;
      decision.stopped_early = policy_budget.exhausted();
      return forecast;
    }
  }
  decision.stopped_early |= policy_budget.exhausted();
  decision.trace.Note("redline_guard", "found no cooler nodes");
  return own;
}

void Allocator::MindHeat(const MachineView& view, const Request& request,
                         const Ledger& ledger, Budget& budget,
                         Decision& decision) const {
  const RoomView& before = *view.room();
  const Room& room = before.room();
  RoomState::Forecast after =
      ForecastOf(request, ledger, decision.allocation.nodes);
  if (after.peak_inlet_c > room.redline_c()) {
    after = KeepRedline(view, request, ledger, after, budget, decision);
  }
  Trace& trace = decision.trace;
  const HeatCost own = HeatCostOf(before, after);
  if (request.communication_share.has_value()) {
    NoteRounded("communication_share", *request.communication_share, trace);
  }
  NoteRounded("peak_inlet_before_c", PeakInletC(before), trace);
  NoteRounded("peak_inlet_after_c", own.peak_inlet_c, trace);
  decision.over_redline = after.peak_inlet_c > room.redline_c();
  if (decision.over_redline) {
    NoteRounded("over_redline_k", after.peak_inlet_c - room.redline_c(), trace);
  }
  NoteRounded("cooling_added_w", own.cooling_added_w, trace);
  if (before.version() != 0) {
    trace.Note("telemetry_version",
               static_cast<std::int64_t>(before.version()));
  }
  if (reference_policies_.coolest == nullptr) return;
  decision.comparison = std::make_shared<Comparison>(
      reference_policies_, machine_, view, request, ledger, *room_,
      decision.allocation.nodes, own);
}

}  // namespace coolspan
