// SPDX-License-Identifier: GPL-3.0-or-later
// What an allocator's answers do to the room.
#include <memory>
#include <utility>

#include "core/allocator.h"
#include "core/heat_cost.h"
#include "core/job_load.h"

namespace coolspan {

// With what the job will draw there.
RoomState::Outlook Allocator::OutlookOf(const Request& request,
                                        const Ledger& ledger,
                                        std::span<const NodeId> nodes) const {
  return room_->With(LoadOf(request, *machine_->room(), nodes,
                            ledger.free_units(), ledger.capacity()));
}

RoomState::Outlook Allocator::KeepRedline(
    const MachineView& view, const Request& request, const Ledger& ledger,
    RoomState::Outlook own, Budget& budget, Decision& decision) const {
  if (cooler_ == nullptr) return own;
  if (!budget.Spend(1)) {
    decision.trace.Note("redline_guard", "no time for cooler nodes");
    return own;
  }
  Trace why;
  Budget its = budget.Part(1);
  std::optional<Allocation> cooler = cooler_->Place(view, request, its, why);
  budget.Take(its);
  // A guard that breaks the contract guards nothing, and stops no job.
  if (cooler.has_value() && CheckAnswer(view, request, *cooler).ok()) {
    const RoomState::Outlook outlook =
        OutlookOf(request, ledger, cooler->nodes);
    if (outlook.peak_inlet_c < own.peak_inlet_c) {
      decision.allocation = *std::move(cooler);
      decision.trace = std::move(why);
      decision.trace.Note("redline_guard", "took cooler nodes");
      decision.trace.Note("chosen_by", cooler_->name());
      NoteRounded("unguarded_peak_inlet_c", own.peak_inlet_c, decision.trace);
      decision.guarded = true;
      decision.stopped_early = its.exhausted();
      return outlook;
    }
  }
  decision.stopped_early |= its.exhausted();
  decision.trace.Note("redline_guard", "found no cooler nodes");
  return own;
}

void Allocator::MindHeat(const MachineView& view, const Request& request,
                         const Ledger& ledger, Budget& budget,
                         Decision& decision) const {
  const RoomView& before = *view.room();
  const Room& room = before.room();
  RoomState::Outlook after =
      OutlookOf(request, ledger, decision.allocation.nodes);
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
  if (alternatives_.coolest == nullptr) return;
  decision.comparison = std::make_shared<Comparison>(
      alternatives_, machine_, view, request, ledger, *room_,
      decision.allocation.nodes, own);
}

}  // namespace coolspan
