// SPDX-License-Identifier: GPL-3.0-or-later
// What an allocator's answers do to the room.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/allocator.h"

namespace coolspan {
namespace {

// Rounded, as people read it; cooling that no power can do is not noted.
void NoteRounded(std::string_view name, double value, Trace& trace) {
  constexpr double kDecimals = 1000;
  if (!std::isfinite(value)) return;
  trace.Note(name, std::round(value * kDecimals) / kDecimals);
}

double PeakOf(const RoomView& room) {
  return *std::max_element(room.inlet_c().begin(), room.inlet_c().end());
}

}  // namespace

// One unit of each node and the rest of the demand on the first that have it.
// Empty for whole nodes.
std::vector<Units> Allocator::UnitsTaken(const Request& request,
                                         std::span<const NodeId> nodes,
                                         std::span<const Units> free_units) {
  if (request.whole) return {};
  const std::size_t demanded = request.demand.units;
  std::size_t left = demanded > nodes.size() ? demanded - nodes.size() : 0;
  std::vector<Units> units(nodes.size(), 1);
  for (std::size_t i = 0; i < nodes.size() && left > 0; ++i) {
    const Units others = std::max<Units>(free_units[nodes[i]], 1) - 1;
    const auto more = static_cast<Units>(std::min<std::size_t>(left, others));
    units[i] += more;
    left -= more;
  }
  return units;
}

// With what the job will draw there.
RoomState::Outlook Allocator::OutlookOf(const Request& request,
                                        const Ledger& ledger,
                                        std::span<const NodeId> nodes) const {
  const auto share = request.communication_share.value_or(
      static_cast<float>(machine_->room()->communication_share()));
  const std::vector<Units> units =
      UnitsTaken(request, nodes, ledger.free_units());
  std::vector<RoomState::MoreLoad> more;
  more.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const float used = request.whole
                           ? 1
                           : static_cast<float>(units[i]) /
                                 static_cast<float>(ledger.capacity(nodes[i]));
    more.push_back({nodes[i], {used * (1 - share), used * share}});
  }
  return room_->With(more);
}

RoomState::Outlook Allocator::KeepRedline(
    const MachineView& view, const Request& request, const Ledger& ledger,
    RoomState::Outlook own, Budget& budget, Decision& decision) const {
  if (cooler_ == nullptr) return own;
  if (budget.exhausted()) {
    decision.trace.Note("redline_guard", "no time for cooler nodes");
    return own;
  }
  Trace why;
  std::optional<Allocation> cooler = cooler_->Place(view, request, budget, why);
  decision.stopped_early = budget.exhausted();
  // A guard that breaks the contract guards nothing, and stops no job.
  if (cooler.has_value() && CheckAnswer(view, request, *cooler).ok()) {
    const RoomState::Outlook outlook =
        OutlookOf(request, ledger, cooler->nodes);
    if (outlook.peak_inlet_c < own.peak_inlet_c) {
      decision.allocation = *std::move(cooler);
      decision.trace = std::move(why);
      decision.trace.Note("redline_guard", "took cooler nodes");
      NoteRounded("unguarded_peak_inlet_c", own.peak_inlet_c, decision.trace);
      decision.guarded = true;
      return outlook;
    }
  }
  decision.trace.Note("redline_guard", "found no cooler nodes");
  return own;
}

Allocator::Cost Allocator::CostOf(const RoomView& before,
                                  const RoomState::Outlook& after) {
  const Room& room = before.room();
  const double cooling_w =
      room.CoolingWatts(before.it_w(), room.SupplyMaxC(PeakOf(before)));
  const double cooling_after_w =
      room.CoolingWatts(after.it_w, room.SupplyMaxC(after.peak_inlet_c));
  return {.peak_inlet_c = after.peak_inlet_c,
          .cooling_added_w = cooling_after_w - cooling_w};
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
  const Cost own = CostOf(before, after);
  if (request.communication_share.has_value()) {
    NoteRounded("communication_share", *request.communication_share, trace);
  }
  NoteRounded("peak_inlet_before_c", PeakOf(before), trace);
  NoteRounded("peak_inlet_after_c", own.peak_inlet_c, trace);
  decision.over_redline = after.peak_inlet_c > room.redline_c();
  if (decision.over_redline) {
    NoteRounded("over_redline_k", after.peak_inlet_c - room.redline_c(), trace);
  }
  NoteRounded("cooling_added_w", own.cooling_added_w, trace);
  NoteAlternatives(view, request, ledger, own, budget, decision);
}

void Allocator::NoteAlternatives(const MachineView& view,
                                 const Request& request, const Ledger& ledger,
                                 Cost own, Budget& budget,
                                 Decision& decision) const {
  if (alternatives_.coolest == nullptr) return;
  const Topology& topology = machine_->topology();
  own.pairwise_total = topology.PairwiseTotal(decision.allocation.nodes);
  Cost coolest = own;
  Cost compact = own;
  for (const Policy* const policy :
       {alternatives_.coolest.get(), alternatives_.most_compact.get()}) {
    if (!budget.Spend(0)) break;  // a deadline has passed
    Trace aside;
    Budget its(kAlternativeWork);
    const std::optional<Allocation> choice =
        policy->Place(view, request, its, aside);
    if (!choice.has_value()) continue;
    Cost cost = CostOf(*view.room(), OutlookOf(request, ledger, choice->nodes));
    cost.pairwise_total = topology.PairwiseTotal(choice->nodes);
    if (cost.peak_inlet_c < coolest.peak_inlet_c) coolest = cost;
    if (cost.pairwise_total < compact.pairwise_total) compact = cost;
  }
  const auto hops = [](const Cost& cost) {
    return static_cast<std::int64_t>(cost.pairwise_total);
  };
  Trace& trace = decision.trace;
  trace.Note("pairwise_total", hops(own));
  NoteRounded("coolest_peak_inlet_c", coolest.peak_inlet_c, trace);
  NoteRounded("coolest_cooling_added_w", coolest.cooling_added_w, trace);
  trace.Note("coolest_pairwise_total", hops(coolest));
  NoteRounded("compact_peak_inlet_c", compact.peak_inlet_c, trace);
  NoteRounded("compact_cooling_added_w", compact.cooling_added_w, trace);
  trace.Note("compact_pairwise_total", hops(compact));
}

}  // namespace coolspan
