// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/job_load.h"

namespace coolspan {
namespace {

// Of the budget, where the answer may have to be held against the redline.
constexpr double kShareOfPolicy = 0.75;

std::string DecisionId(JobKey job, std::uint64_t attempt) {
  return fmt::format("{}.{}.{}", job.job_id, job.restart, attempt);
}

// The answer behind a holding, where the answer itself is no longer known.
Decision DecisionOf(const Holding& held, std::uint64_t ledger_version,
                    TimeMs now_ms) {
  Decision decision;
  decision.id = held.decision_id;
  decision.job = held.job;
  decision.attempt = held.attempt;
  decision.placed = true;
  decision.allocation.nodes = held.nodes;
  decision.is_repeat = true;
  decision.ledger_version = ledger_version;
  decision.decided_ms = now_ms;
  return decision;
}

bool IsSizeOf(const NodeSet& set, NodeCount nodes) {
  return set.size() == 0 || set.size() == nodes;
}

// Why no policy can place it now; empty if one may.
std::string_view WhyNotNow(const Request& request, const NodeSet& available,
                           NodeCount available_count) {
  if (available_count < request.demand.min_nodes) {
    return "too few of the offered nodes are free";
  }
  if (request.required.size() != 0 && !request.required.IsSubsetOf(available)) {
    return "a required node is not free";
  }
  return {};
}

}  // namespace

Allocator::Allocator(std::shared_ptr<const Machine> machine,
                     std::shared_ptr<const Policy> policy,
                     std::vector<Units> capacity)
    : machine_(std::move(machine)), policy_(std::move(policy)), ledger_({}) {
  if (const auto& room = machine_->room(); room != nullptr) {
    ledger_.TrackLoads(static_cast<float>(room->communication_share()));
    room_ = std::make_unique<RoomState>(room);
  }
  SetCapacity(std::move(capacity));
}

void Allocator::SetCapacity(std::vector<Units> capacity) {
  if (capacity.empty()) capacity.assign(machine_->node_count(), 1);
  for (Units& units : capacity) units = std::max<Units>(units, 1);
  total_units_ =
      std::accumulate(capacity.begin(), capacity.end(), std::uint64_t{0});
  ledger_.Reset(std::move(capacity));
}

void Allocator::UsePolicy(std::shared_ptr<const Policy> policy) {
  policy_ = std::move(policy);
}

void Allocator::CompareWith(ReferencePolicies reference_policies) {
  reference_policies_ = std::move(reference_policies);
}

std::vector<JobKey> Allocator::AdvanceTo(TimeMs now_ms) {
  now_ms_ = std::max(now_ms_, now_ms);
  while (!forgetting_.empty() && forgetting_.front().first <= now_ms_) {
    const auto found = answered_.find(forgetting_.front().second);
    if (found != answered_.end() && found->second.forget_ms <= now_ms_) {
      answered_.erase(found);
    }
    forgetting_.pop_front();
  }
  return ledger_.Expire(now_ms_);
}

void Allocator::SetClock(TimeMs now_ms) {
  now_ms_ = now_ms;
  ledger_.ExpireAtLatest(now_ms + kTentativeMs);
  const TimeMs forget_ms = now_ms + kRememberMs;
  for (auto& [job_id, answered] : answered_) {
    answered.forget_ms = std::min(answered.forget_ms, forget_ms);
  }
  for (auto& [when_ms, job_id] : forgetting_) {
    when_ms = std::min(when_ms, forget_ms);
  }
}

const Allocator::Answered* Allocator::FindAnswered(std::uint32_t job_id) const {
  const auto found = answered_.find(job_id);
  return found == answered_.end() ? nullptr : &found->second;
}

void Allocator::Remember(JobKey job, std::uint64_t attempt,
                         std::unique_ptr<const Decision> decision) {
  answered_.insert_or_assign(
      job.job_id, Answered{job.restart, attempt, 0, std::move(decision)});
  RememberLonger(job.job_id);
}

void Allocator::RememberLonger(std::uint32_t job_id) {
  Answered& answered = answered_.find(job_id)->second;
  answered.forget_ms = now_ms_ + kRememberMs;
  forgetting_.emplace_back(answered.forget_ms, job_id);
}

absl::Status Allocator::Check(const AllocateCall& call) const {
  const Request& request = call.request;
  const Demand& demand = request.demand;
  const NodeCount nodes = machine_->node_count();
  if (!IsSizeOf(call.candidates, nodes) || !IsSizeOf(call.excluded, nodes) ||
      !IsSizeOf(request.required, nodes)) {
    return absl::InvalidArgumentError(fmt::format(
        "a node set of another size; this machine has {} nodes", nodes));
  }
  if (demand.min_nodes == 0) {
    return absl::InvalidArgumentError("no nodes asked for; ask for at least 1");
  }
  if (demand.min_nodes > nodes) {
    return absl::InvalidArgumentError(fmt::format(
        "{} nodes asked for; this machine has {}", demand.min_nodes, nodes));
  }
  if (demand.max_nodes < demand.min_nodes) {
    return absl::InvalidArgumentError(fmt::format(
        "from {} to {} nodes asked for; the most cannot be below the least",
        demand.min_nodes, demand.max_nodes));
  }
  if (demand.units > total_units_) {
    return absl::InvalidArgumentError(fmt::format(
        "{} units asked for; this machine has {}", demand.units, total_units_));
  }
  if (request.required.size() == 0) return absl::OkStatus();
  if (call.excluded.size() != 0 && request.required.Intersects(call.excluded)) {
    return absl::InvalidArgumentError(
        "a node is both required and excluded; drop it from one");
  }
  const NodeCount required = request.required.Count();
  const NodeCount most =
      demand.units == 0 ? demand.min_nodes : demand.max_nodes;
  if (required > most) {
    return absl::InvalidArgumentError(
        fmt::format("{} nodes required and only {} asked for", required, most));
  }
  return absl::OkStatus();
}

absl::Status Allocator::CheckNotLate(const AllocateCall& call) const {
  const auto asked = std::pair(call.job.restart, call.attempt);
  const auto late = [&call](std::uint32_t restart, std::uint64_t attempt) {
    return absl::AbortedError(
        fmt::format("request {} is late: restart {} attempt {} was seen",
                    DecisionId(call.job, call.attempt), restart, attempt));
  };
  if (const Answered* last = FindAnswered(call.job.job_id);
      last != nullptr && asked < std::pair(last->restart, last->attempt)) {
    return late(last->restart, last->attempt);
  }
  if (const Holding* held = ledger_.Find(call.job.job_id);
      held != nullptr && asked < std::pair(held->job.restart, held->attempt)) {
    return late(held->job.restart, held->attempt);
  }
  return absl::OkStatus();
}

absl::StatusOr<Decision> Allocator::Allocate(const AllocateCall& call,
                                             Budget& budget) {
  AdvanceTo(call.now_ms);
  absl::Status status = Check(call);
  if (status.ok()) status = CheckNotLate(call);
  if (!status.ok()) return status;

  if (const Answered* last = FindAnswered(call.job.job_id);
      last != nullptr && last->restart == call.job.restart &&
      last->attempt == call.attempt) {
    if (last->decision != nullptr) return Repeat(call, *last->decision);
    return absl::AbortedError(fmt::format("the run of request {} is over",
                                          DecisionId(call.job, call.attempt)));
  }
  if (const Holding* held = ledger_.Find(call.job.job_id); held != nullptr) {
    if (held->job == call.job && held->attempt == call.attempt &&
        !held->decision_id.empty() && !held->disputed) {
      return DecisionOf(*held, ledger_.version(), now_ms_);
    }
    if (held->job == call.job && held->committed) {
      return absl::FailedPreconditionError(
          fmt::format("job {} holds nodes already, from attempt {}",
                      call.job.job_id, held->attempt));
    }
    ledger_.Release(call.job.job_id);
  }

  absl::StatusOr<Decision> decision = Decide(call, ledger_, *policy_, budget);
  if (!decision.ok()) return decision;
  if (decision->placed) {
    std::optional<Holding> holding = HoldingFor(call, *decision);
    if (!holding.has_value()) {
      return absl::InternalError("the policy's answer does not fit the ledger");
    }
    ledger_.HoldTentatively(*std::move(holding));
  }
  auto remembered = std::make_unique<Decision>(*decision);
  remembered->comparison = nullptr;  // it is large, and for once
  Remember(call.job, call.attempt, std::move(remembered));
  return decision;
}

absl::StatusOr<Decision> Allocator::Repeat(const AllocateCall& call,
                                           const Decision& decision) {
  if (!decision.placed || ledger_.Find(call.job.job_id) != nullptr) {
    Decision repeated = decision;
    repeated.is_repeat = true;
    return repeated;
  }
  std::optional<Holding> holding = HoldingFor(call, decision);
  if (!holding.has_value()) {
    return absl::AbortedError(fmt::format(
        "the nodes of request {} expired and others have them; ask again with "
        "a new attempt",
        decision.id));
  }
  ledger_.HoldTentatively(*std::move(holding));
  RememberLonger(call.job.job_id);
  return decision;
}

absl::StatusOr<Decision> Allocator::Preview(const AllocateCall& call,
                                            const Policy& policy,
                                            Budget& budget) const {
  if (absl::Status status = Check(call); !status.ok()) return status;
  const TimeMs now_ms = std::max(now_ms_, call.now_ms);
  const Holding* held = ledger_.Find(call.job.job_id);
  const bool replaces =
      held != nullptr &&
      (!held->committed || held->job.restart < call.job.restart);
  const std::optional<TimeMs> expiry_ms = ledger_.next_expiry_ms();
  if (!replaces && (!expiry_ms.has_value() || *expiry_ms > now_ms)) {
    return Decide(call, ledger_, policy, budget);
  }
  Ledger then = ledger_;
  then.Expire(now_ms);
  if (replaces) then.Release(call.job.job_id);
  return Decide(call, then, policy, budget);
}

absl::StatusOr<Decision> Allocator::Decide(const AllocateCall& call,
                                           const Ledger& ledger,
                                           const Policy& policy,
                                           Budget& budget) const {
  const Request& request = call.request;
  Decision decision;
  decision.id = DecisionId(call.job, call.attempt);
  decision.job = call.job;
  decision.attempt = call.attempt;
  decision.communication_share = request.communication_share;
  decision.policy = policy.name();
  decision.ledger_version = ledger.version();
  decision.decided_ms = std::max(now_ms_, call.now_ms);

  const NodeSet* available =
      request.whole ? &ledger.free_whole() : &ledger.free_shared();
  decision.available =
      request.whole ? ledger.free_whole_count() : ledger.free_shared_count();
  NodeSet offered;
  if (call.candidates.size() != 0 || call.excluded.size() != 0) {
    offered = *available;
    if (call.candidates.size() != 0) offered &= call.candidates;
    if (call.excluded.size() != 0) offered -= call.excluded;
    available = &offered;
    decision.available = offered.Count();
  }
  decision.reason = WhyNotNow(request, *available, decision.available);
  if (!decision.reason.empty()) return decision;

  std::optional<RoomView> room;
  if (room_ != nullptr) {
    room_->Follow(ledger.loads());
    room.emplace(room_->view());
  }
  const MachineView view(*machine_, *available, ledger.free_units(),
                         ledger.version(), room.has_value() ? &*room : nullptr);
  const bool is_guarded = room.has_value() && redline_fallback_ != nullptr;
  Budget policy_budget = budget.Part(is_guarded ? kShareOfPolicy : 1);
  std::optional<Allocation> allocation =
      policy.Place(view, request, policy_budget, decision.trace);
  budget.Take(policy_budget);
  decision.stopped_early = policy_budget.exhausted();
  if (!allocation.has_value()) {
    decision.reason = decision.stopped_early
                          ? "the budget ended before a place was found"
                          : "the policy found no place";
    return decision;
  }
  absl::Status status = CheckAnswer(view, request, *allocation);
  if (!status.ok()) return status;
  decision.placed = true;
  decision.allocation = *std::move(allocation);
  if (room.has_value()) MindHeat(view, request, ledger, budget, decision);
  return decision;
}

// What the Policy contract promises, so that no policy can break the ledger.
absl::Status Allocator::CheckAnswer(const MachineView& view,
                                    const Request& request,
                                    const Allocation& allocation) {
  const Demand& demand = request.demand;
  const auto broke = [](std::string_view how) {
    return absl::InternalError(
        fmt::format("the policy broke its contract: {}", how));
  };
  const std::size_t count = allocation.nodes.size();
  const NodeCount most =
      demand.units == 0 ? demand.min_nodes : demand.max_nodes;
  if (count < demand.min_nodes || count > most) return broke("number of nodes");
  std::uint64_t units = 0;
  NodeId next = 0;
  for (const NodeId node : allocation.nodes) {
    if (node < next) return broke("nodes not ascending");
    if (node >= view.available().size() || !view.available().Contains(node)) {
      return broke("a node that is not available");
    }
    next = node + 1;
    units += view.FreeUnits(node);
  }
  if (units < demand.units) return broke("too few units");
  if (request.required.size() != 0) {
    const auto required = static_cast<NodeCount>(std::count_if(
        allocation.nodes.begin(), allocation.nodes.end(),
        [&request](NodeId node) { return request.required.Contains(node); }));
    if (required < request.required.Count()) {
      return broke("a required node is missing");
    }
  }
  return absl::OkStatus();
}

std::optional<Holding> Allocator::HoldingFor(const AllocateCall& call,
                                             const Decision& decision) const {
  Holding holding;
  holding.job = call.job;
  holding.attempt = call.attempt;
  holding.whole = call.request.whole;
  holding.nodes = decision.allocation.nodes;
  holding.expires_ms = now_ms_ + kTentativeMs;
  holding.decision_id = decision.id;
  holding.communication_share = decision.communication_share;
  holding.units = UnitsTaken(call.request, holding.nodes, ledger_.free_units());
  if (!holding.whole &&
      std::accumulate(holding.units.begin(), holding.units.end(),
                      std::uint64_t{0}) < call.request.demand.units) {
    return std::nullopt;
  }
  if (!ledger_.Fits(holding)) return std::nullopt;
  return holding;
}

}  // namespace coolspan
