// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "core/decision/segments.h"
#include "core/heat/heat_cost.h"
#include "core/heat/job_load.h"
#include "core/spec/spec_options.h"

namespace coolspan {
namespace {

// Part of the budget for the policy; the redline guard gets the rest.
constexpr double kPolicyShare = 0.75;

bool IsSizeOf(const NodeSet& set, NodeCount nodes) {
  return set.size() == 0 || set.size() == nodes;
}

// The reason to reject a request without asking the policy; empty if the policy
// is to be asked.
std::string_view ReasonNotToAsk(const Machine& machine, const Request& request,
                                const NodeSet& available,
                                NodeCount available_count) {
  if (available_count < request.demand.min_nodes) {
    return "too few of the offered nodes are free";
  }
  if (request.required.size() != 0 && !request.required.IsSubsetOf(available)) {
    return "a required node is not free";
  }
  return request.segment_nodes == 0
             ? std::string_view()
             : ReasonAgainstSegments(machine.topology(), request);
}

std::optional<Allocation> Ask(const Policy& policy, const MachineView& view,
                              const Request& request, Budget& budget,
                              Trace& trace) {
  const bool only_segments =
      !request.spread_segments && !request.consolidate_segments &&
      (request.required.size() == 0 ||
       request.segment_nodes == request.demand.min_nodes);
  return request.segment_nodes == 0 ||
                 (only_segments && policy.PlacesSegments())
             ? policy.Place(view, request, budget, trace)
             : PlaceSegments(policy, view, request, budget, trace);
}

// Checks the contract of Policy, so that no policy can corrupt the ledger.
absl::Status CheckAnswer(const MachineView& view, const Request& request,
                         const Allocation& allocation) {
  const Demand& demand = request.demand;
  const auto violation = [](std::string_view how) {
    return absl::InternalError(
        fmt::format("the policy broke its contract: {}", how));
  };
  const std::size_t count = allocation.nodes.size();
  const NodeCount max_nodes =
      demand.units == 0 ? demand.min_nodes : demand.max_nodes;
  if (count < demand.min_nodes || count > max_nodes) {
    return violation("number of nodes");
  }
  std::uint64_t units = 0;
  NodeId next = 0;
  for (const NodeId node : allocation.nodes) {
    if (node < next) return violation("nodes not ascending");
    if (node >= view.available().size() || !view.available().Contains(node)) {
      return violation("a node that is not available");
    }
    next = node + 1;
    if (demand.units > 0) units += view.FreeUnits(node);
  }
  if (units < demand.units) return violation("too few units");
  if (request.required.size() != 0) {
    const auto required = static_cast<NodeCount>(std::count_if(
        allocation.nodes.begin(), allocation.nodes.end(),
        [&request](NodeId node) { return request.required.Contains(node); }));
    if (required < request.required.Count()) {
      return violation("a required node is missing");
    }
  }
  if (request.segment_nodes > 0 &&
      !AreSegments(*view.topology().blocks(), allocation.nodes, request)) {
    return violation("nodes that are no segments");
  }
  return absl::OkStatus();
}

// Builds one decision on one view of a snapshot.
class DecisionBuilder {
 public:
  // room_state: with the snapshot's loads; nullptr without a room.
  DecisionBuilder(const MachineView& view, const MachineSnapshot& snapshot,
                  const Request& request, RoomState* room_state)
      : view_(view),
        availability_(*snapshot.availability),
        request_(request),
        room_state_(room_state) {}

  // Asks the policies; fills in allocation, reason, trace and heat.
  // Error: INTERNAL, the policy broke its contract.
  absl::Status Place(const DecidingPolicies& policies, Budget& budget,
                     Decision& decision) {
    const bool is_guarded =
        room_state_ != nullptr && policies.redline_fallback != nullptr;
    Budget policy_budget = budget.Part(is_guarded ? kPolicyShare : 1);
    std::optional<Allocation> allocation =
        Ask(policies.policy, view_, request_, policy_budget, decision.trace);
    budget.Take(policy_budget);
    decision.stopped_early = policy_budget.exhausted();
    if (!allocation.has_value()) {
      decision.reason = decision.stopped_early
                            ? "the budget ended before a place was found"
                            : "the policy found no place";
      return absl::OkStatus();
    }
    absl::Status status = CheckAnswer(view_, request_, *allocation);
    if (!status.ok()) return status;
    decision.placed = true;
    decision.allocation = *std::move(allocation);
    if (room_state_ != nullptr) {
      NoteHeat(policies.redline_fallback, budget, decision);
    }
    return absl::OkStatus();
  }

 private:
  // The room after the job has started on these nodes.
  RoomState::Forecast ForecastOf(const std::vector<NodeId>& nodes) {
    return room_state_->With(LoadOf(request_, room_state_->room(), nodes,
                                    availability_.free_units,
                                    *availability_.capacity));
  }

  RoomState::Forecast GuardRedline(const Policy* fallback,
                                   RoomState::Forecast proposed, Budget& budget,
                                   Decision& decision) {
    if (fallback == nullptr) return proposed;
    if (!budget.Spend(1)) {
      decision.trace.Note("redline_guard", "no time for cooler nodes");
      return proposed;
    }
    Trace why;
    Budget fallback_budget = budget.Part(1);
    std::optional<Allocation> alternative =
        Ask(*fallback, view_, request_, fallback_budget, why);
    budget.Take(fallback_budget);
    // An invalid allocation of the fallback is ignored: the job still starts.
    if (alternative.has_value() &&
        CheckAnswer(view_, request_, *alternative).ok()) {
      const RoomState::Forecast forecast = ForecastOf(alternative->nodes);
      if (forecast.peak_inlet_c < proposed.peak_inlet_c) {
        decision.allocation = *std::move(alternative);
        decision.trace = std::move(why);
        decision.trace.Note("redline_guard", "took cooler nodes");
        decision.trace.Note("chosen_by", fallback->name());
        NoteRounded("unguarded_peak_inlet_c", proposed.peak_inlet_c,
                    decision.trace);
        decision.guarded = true;
        decision.stopped_early = fallback_budget.exhausted();
        return forecast;
      }
    }
    decision.stopped_early |= fallback_budget.exhausted();
    decision.trace.Note("redline_guard", "found no cooler nodes");
    return proposed;
  }

  // Notes the effect on the room; the redline guard may replace the allocation.
  void NoteHeat(const Policy* fallback, Budget& budget, Decision& decision) {
    const RoomView& before = *view_.room();
    const Room& room = before.room();
    RoomState::Forecast after = ForecastOf(decision.allocation.nodes);
    if (after.peak_inlet_c > room.redline_c()) {
      after = GuardRedline(fallback, after, budget, decision);
    }
    Trace& trace = decision.trace;
    const HeatCost cost = HeatCostOf(before, after);
    if (request_.communication_share.has_value()) {
      NoteRounded("communication_share", *request_.communication_share, trace);
    }
    NoteRounded("peak_inlet_before_c", PeakInletC(before), trace);
    NoteRounded("peak_inlet_after_c", cost.peak_inlet_c, trace);
    decision.over_redline = after.peak_inlet_c > room.redline_c();
    if (decision.over_redline) {
      NoteRounded("over_redline_k", after.peak_inlet_c - room.redline_c(),
                  trace);
    }
    NoteRounded("cooling_added_w", cost.cooling_added_w, trace);
    if (before.version() != 0) {
      trace.Note("telemetry_version",
                 static_cast<std::int64_t>(before.version()));
    }
  }

  const MachineView& view_;
  const Availability& availability_;
  const Request& request_;
  RoomState* const room_state_;
};

// Shortage::lacking_units, with units by NodeId. Of all sets of max_nodes nodes
// that include a node, the one with most units has the max_nodes - 1 other
// nodes with most units.
NodeCount CountLackingUnits(const Demand& demand, const NodeSet& available,
                            const UnitsByNode& units_of_node) {
  std::vector<std::uint64_t> units;
  available.ForEach([&](NodeId node) { units.push_back(units_of_node[node]); });
  // Nodes before `next` are the max_nodes - 1 with most units. Together with
  // `next` they are the best set for each of them, and the best set of all.
  const std::size_t most =
      std::min<std::size_t>(demand.max_nodes, units.size()) - 1;
  const auto next = units.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(units.begin(), next, units.end(), std::greater<>());
  const std::uint64_t units_of_most =
      std::accumulate(units.begin(), next, std::uint64_t{0});
  const auto too_few = [&](std::uint64_t node_units) {
    return units_of_most + node_units < demand.units;
  };
  if (too_few(*next)) return static_cast<NodeCount>(units.size());
  return static_cast<NodeCount>(std::count_if(next, units.end(), too_few));
}

// policy_asked: false if the request was rejected without asking the policy.
// stopped_early: the policy did not finish, so it rejected nothing.
Shortage ShortageOf(const AllocateCall& call, const NodeSet& available,
                    const UnitsByNode& units, NodeCount available_count,
                    bool policy_asked, bool stopped_early) {
  const NodeCount nodes = available.size();
  const Demand& demand = call.request.demand;
  const bool all_offered = call.candidates.size() == 0;
  const NodeCount offered = all_offered ? nodes : call.candidates.Count();
  Shortage shortage;
  shortage.not_offered = nodes - offered;
  if (call.excluded.size() != 0) {
    shortage.excluded = all_offered
                            ? call.excluded.Count()
                            : call.candidates.CountCommon(call.excluded);
  }
  shortage.busy = offered - shortage.excluded - available_count;
  if (!policy_asked) return shortage;
  if (demand.units > 0) {
    shortage.lacking_units = CountLackingUnits(demand, available, units);
  }
  if (stopped_early) return shortage;
  shortage.rejected = available_count - shortage.lacking_units;
  return shortage;
}

}  // namespace

std::string DecisionId(JobKey job, std::uint64_t attempt) {
  return fmt::format("{}.{}.{}", job.job_id, job.restart, attempt);
}

std::string WhyText(const Decision& decision, const Trace& trace) {
  const std::string_view policy = SpecName(decision.policy);
  if (decision.placed) return Describe(policy, trace);
  const Shortage& shortage = decision.shortage;
  const struct {
    NodeCount nodes;
    std::string_view word;
  } parts[] = {{shortage.not_offered, "not offered"},
               {shortage.excluded, "excluded"},
               {shortage.busy, "busy"},
               {shortage.lacking_units, "lacking units"},
               {shortage.rejected, "rejected by the policy"}};
  std::string counts;
  for (const auto& part : parts) {
    if (part.nodes == 0) continue;
    counts += fmt::format("{}{} {}", counts.empty() ? " (nodes: " : ", ",
                          part.nodes, part.word);
  }
  if (!counts.empty()) counts += ")";
  return fmt::format("{}: {}{}", policy, decision.reason, counts);
}

absl::Status CheckCall(const AllocateCall& call,
                       const Availability& availability) {
  const Request& request = call.request;
  const Demand& demand = request.demand;
  const NodeCount nodes = availability.free_whole.size();
  if (!IsSizeOf(call.candidates, nodes) || !IsSizeOf(call.excluded, nodes) ||
      !IsSizeOf(request.required, nodes) ||
      (!call.tiers.empty() && call.tiers.size() != nodes) ||
      (request.usable != nullptr && request.usable->size() != nodes)) {
    return absl::InvalidArgumentError(fmt::format(
        "node set, tiers or usable units of another size (expected {} nodes)",
        nodes));
  }
  if (demand.min_nodes == 0) {
    return absl::InvalidArgumentError(
        "0 nodes requested (expected at least 1)");
  }
  if (demand.min_nodes > nodes) {
    return absl::InvalidArgumentError(fmt::format(
        "{} nodes requested (expected at most {})", demand.min_nodes, nodes));
  }
  if (demand.max_nodes < demand.min_nodes) {
    return absl::InvalidArgumentError(fmt::format(
        "{} to {} nodes requested (expected a maximum of at least the minimum)",
        demand.min_nodes, demand.max_nodes));
  }
  if (request.usable == nullptr && demand.units > availability.total_units) {
    return absl::InvalidArgumentError(
        fmt::format("{} units requested (expected at most {})", demand.units,
                    availability.total_units));
  }
  if (request.required.size() == 0) return absl::OkStatus();
  if (call.excluded.size() != 0 && request.required.Intersects(call.excluded)) {
    return absl::InvalidArgumentError("nodes are both required and excluded");
  }
  const NodeCount required = request.required.Count();
  if (required > demand.max_nodes) {
    return absl::InvalidArgumentError(
        fmt::format("{} nodes required (expected at most the {} requested)",
                    required, demand.max_nodes));
  }
  return absl::OkStatus();
}

absl::StatusOr<Decision> Decide(const MachineSnapshot& snapshot,
                                const AllocateCall& call,
                                const DecidingPolicies& policies,
                                Budget& budget) {
  const Request& request = call.request;
  const Availability& availability = *snapshot.availability;
  Decision decision;
  decision.id = DecisionId(call.job, call.attempt);
  decision.job = call.job;
  decision.attempt = call.attempt;
  decision.communication_share = request.communication_share;
  decision.policy = policies.policy.spec();
  decision.ledger_version = snapshot.ledger_version;
  decision.decided_ms = std::max(snapshot.taken_ms, call.now_ms);

  const NodeSet* available = &FreeFor(request, availability);
  decision.available = request.whole ? availability.free_whole_count
                                     : availability.free_shared_count;
  NodeSet offered;
  if (call.candidates.size() != 0 || call.excluded.size() != 0) {
    offered = AvailableTo(call, availability);
    available = &offered;
    decision.available = offered.Count();
  }
  decision.reason = ReasonNotToAsk(*snapshot.machine, request, *available,
                                   decision.available);
  const bool may_fit = decision.reason.empty();
  std::optional<Question> question;
  if (may_fit) {
    std::optional<RoomStates::Lease> state;
    std::optional<RoomView> room;
    if (snapshot.room_states != nullptr) {
      state.emplace(
          snapshot.room_states->Take(availability.loads, snapshot.correction));
      room.emplace((*state)->view());
    }
    const auto ask = [&]() -> absl::Status {
      const MachineView view(
          *snapshot.machine,
          question.has_value() ? question->available : *available,
          question.has_value() ? &question->units : &availability.free_units,
          snapshot.ledger_version, room.has_value() ? &*room : nullptr,
          &availability.ends, decision.decided_ms, &*snapshot.recent_starts);
      DecisionBuilder builder(
          view, snapshot, question.has_value() ? question->request : request,
          state.has_value() ? &**state : nullptr);
      return builder.Place(policies, budget, decision);
    };
    if (!IsPlain(call)) question = QuestionOf(call, *available, availability);
    if (absl::Status status = ask(); !status.ok()) return status;
    if (!decision.placed && !call.tiers.empty() && request.segment_nodes > 0) {
      // No block has a segment of preferred nodes.
      AllocateCall any_tier = call;
      any_tier.tiers.clear();
      question = QuestionOf(any_tier, *available, availability);
      decision.trace.Clear();
      decision.reason = {};
      if (absl::Status status = ask(); !status.ok()) return status;
    }
    if (!call.tiers.empty()) {
      decision.trace.Note("preferred_nodes",
                          std::int64_t{question->available.Count()});
    }
  }
  if (!decision.placed) {
    decision.shortage = ShortageOf(
        call, *available,
        question.has_value() ? question->units : availability.free_units,
        decision.available, may_fit, decision.stopped_early);
  }
  return decision;
}

}  // namespace coolspan
