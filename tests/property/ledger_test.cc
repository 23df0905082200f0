// SPDX-License-Identifier: GPL-3.0-or-later
// Random histories of calls on an Allocator, beside a model that keeps nothing
// but a list of holdings.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/allocator.h"
#include "property/ledger_calls.h"
#include "property/ledger_model.h"
#include "unit/core/line_machine.h"

namespace coolspan {

namespace {

using Call = LedgerCall;
using Kind = Call::Kind;
constexpr NodeCount kNodes = Call::kNodes;

void CheckSameAvailability(const Availability& a, const Availability& b) {
  RC_ASSERT(a.free_whole == b.free_whole);
  RC_ASSERT(a.free_shared == b.free_shared);
  RC_ASSERT(a.free_whole_count == b.free_whole_count);
  RC_ASSERT(a.free_shared_count == b.free_shared_count);
  RC_ASSERT(a.free_units == b.free_units);
  RC_ASSERT(*a.capacity == *b.capacity);
  RC_ASSERT(a.total_units == b.total_units);
  RC_ASSERT(a.loads.size() == b.loads.size());
  for (std::size_t i = 0; i < a.loads.size(); ++i) {
    RC_ASSERT(std::bit_cast<std::uint32_t>(a.loads[i].compute) ==
              std::bit_cast<std::uint32_t>(b.loads[i].compute));
    RC_ASSERT(std::bit_cast<std::uint32_t>(a.loads[i].communicate) ==
              std::bit_cast<std::uint32_t>(b.loads[i].communicate));
  }
}

// An Allocator and the model, given the same calls.
class Pair {
 public:
  explicit Pair(std::vector<Units> capacity)
      : capacity_(std::move(capacity)),
        allocator_(machine_, capacity_),
        model_(machine_, policy_, capacity_) {}

  void Apply(const Call& call) {
    const TimeMs now_ms =
        std::max<TimeMs>(0, allocator_.now_ms() + call.wait_ms);
    switch (call.kind) {
      case Kind::kAllocate:
        asked_.push_back(AllocateCallOf(call));
        asked_.back().now_ms = now_ms;
        Allocate(asked_.back());
        break;
      case Kind::kRepeat:
        if (!asked_.empty()) {
          AllocateCall again = asked_[call.other_mask % asked_.size()];
          again.now_ms = now_ms;
          Allocate(again);
        }
        break;
      case Kind::kCommitAsDecided:
      case Kind::kCommit:
      case Kind::kResize:
        State(call, now_ms);
        break;
      case Kind::kRelease:
        RC_ASSERT(allocator_.Release(call.job(), now_ms) ==
                  model_.Release(call.job(), now_ms));
        break;
      case Kind::kSuspend:
        RC_ASSERT(allocator_.Suspend(call.job(), call.flag, now_ms) ==
                  model_.Suspend(call.job(), call.flag, now_ms));
        break;
      case Kind::kSync:
        Sync(call, now_ms);
        break;
      case Kind::kAdvance:
        RC_ASSERT(allocator_.AdvanceTo(now_ms) == model_.AdvanceTo(now_ms));
        break;
    }
    CheckSame();
    CheckInvariant(allocator_.ledger());
    CheckAvailabilityWithout(now_ms + call.wait_ms, call.job_id);
  }

  // The same holdings and free nodes in an Allocator that was told nothing but
  // what a store would keep.
  void CheckRestored() const {
    Allocator restored(machine_, capacity_);
    for (const auto& holding : allocator_.ledger().Holdings()) {
      restored.Restore(*holding);
    }
    RC_ASSERT(HoldingsOf(restored.ledger()) == HoldingsOf(allocator_.ledger()));
    RC_ASSERT(restored.ledger().free_whole() ==
              allocator_.ledger().free_whole());
    RC_ASSERT(restored.ledger().free_shared() ==
              allocator_.ledger().free_shared());
  }

 private:
  AllocateCall AllocateCallOf(const Call& from) const {
    AllocateCall call;
    call.job = from.job();
    call.attempt = from.attempt;
    Demand& demand = call.request.demand;
    demand = Demand::Nodes(from.count);
    call.request.whole = from.whole;
    if (from.units > 3) {
      demand.units = from.units;
      demand.max_nodes = kNodes;
    }
    if (from.units % 3 == 1) {
      call.candidates = NodeSet(kNodes, Call::NodesOf(from.nodes_mask));
    }
    if (from.units % 3 == 2) {
      call.excluded = NodeSet(kNodes, Call::NodesOf(from.nodes_mask));
      call.request.required =
          NodeSet(kNodes, Call::NodesOf(from.other_mask & ~from.nodes_mask));
    }
    return call;
  }

  static bool Passes(const AllocateCall& call) {
    const Demand& demand = call.request.demand;
    return call.request.required.Count() <=
           (demand.units == 0 ? demand.min_nodes : demand.max_nodes);
  }

  void Allocate(const AllocateCall& call) {
    if (std::uint64_t{call.request.demand.units} > TotalUnits()) return;
    if (!Passes(call)) {
      CheckRefused(call);
      return;
    }
    CheckPreview(call);

    const LedgerModel::Outcome wanted = model_.Allocate(call);
    Budget budget;
    const auto answer = allocator_.Allocate(call, {*policy_}, budget);
    RC_ASSERT(answer.status().code() == wanted.code);
    if (!answer.ok()) return;
    const Decision& decision = **answer;
    RC_ASSERT(decision.placed == wanted.placed);
    RC_ASSERT(decision.allocation.nodes == wanted.nodes);
    RC_ASSERT(decision.placed == decision.reason.empty());
  }

  void CheckRefused(const AllocateCall& call) {
    allocator_.AdvanceTo(call.now_ms);
    model_.AdvanceTo(call.now_ms);
    Budget budget;
    RC_ASSERT(absl::IsInvalidArgument(
        allocator_.Allocate(call, {*policy_}, budget).status()));
  }

  void CheckPreview(const AllocateCall& call) const {
    const std::vector<Holding> before = HoldingsOf(allocator_.ledger());
    const std::uint64_t version = allocator_.ledger().version();
    const TimeMs now_ms = allocator_.now_ms();
    Budget budget;
    const auto preview = allocator_.Preview(call, {*policy_}, budget);
    RC_ASSERT(preview.ok());
    const auto wanted = model_.Preview(call);
    RC_ASSERT(preview->placed == wanted.has_value());
    if (preview->placed) RC_ASSERT(preview->allocation.nodes == *wanted);
    RC_ASSERT(HoldingsOf(allocator_.ledger()) == before);
    RC_ASSERT(allocator_.ledger().version() == version);
    RC_ASSERT(allocator_.now_ms() == now_ms);
  }

  Allocator::Fact FactOf(const Call& call) const {
    Allocator::Fact fact;
    fact.job = call.job();
    fact.whole = call.whole;
    fact.nodes = Call::NodesOf(call.nodes_mask);
    fact.suspended = call.kind != Kind::kCommitAsDecided && call.flag;
    const auto held = model_.held().find(call.job_id);
    if (call.kind == Kind::kCommitAsDecided && held != model_.held().end()) {
      fact.job = held->second.holding.job;
      fact.whole = held->second.holding.whole;
      fact.nodes = held->second.holding.nodes;
      fact.units = held->second.holding.units;
    } else if (!fact.whole) {
      fact.units.assign(fact.nodes.size(), call.units);
    }
    return fact;
  }

  void State(const Call& call, TimeMs now_ms) {
    const Allocator::Fact fact = FactOf(call);
    const auto result = call.kind == Kind::kResize
                            ? allocator_.Resize(fact, now_ms)
                            : allocator_.Commit(fact, now_ms);
    const auto wanted = model_.Commit(fact, now_ms);
    RC_ASSERT(result.as_decided == wanted.as_decided);
    RC_ASSERT(result.disputed == wanted.disputed);
  }

  // Some jobs as they are, some changed, one perhaps new, some left out.
  void Sync(const Call& call, TimeMs now_ms) {
    std::vector<Allocator::Fact> facts;
    for (const auto& [job_id, held] : model_.held()) {
      if ((call.other_mask >> job_id & 1U) != 0) continue;
      Call as_it_is = call;
      as_it_is.kind = Kind::kCommitAsDecided;
      as_it_is.job_id = job_id;
      facts.push_back(FactOf(as_it_is));
      if (job_id == call.job_id)
        facts.back().nodes = Call::NodesOf(call.nodes_mask);
    }
    if (!model_.held().contains(call.job_id)) facts.push_back(FactOf(call));
    if (call.flag)
      std::rotate(capacity_.begin(), capacity_.begin() + 1, capacity_.end());
    RC_ASSERT(allocator_.Sync(capacity_, facts, now_ms) ==
              model_.Sync(capacity_, facts, now_ms));
  }

  std::uint64_t TotalUnits() const {
    std::uint64_t total = 0;
    for (const Units units : capacity_) total += units;
    return total;
  }

  static std::vector<Holding> HoldingsOf(const Ledger& ledger) {
    std::vector<Holding> holdings;
    for (const auto& holding : ledger.Holdings()) {
      holdings.push_back(*holding);
    }
    return holdings;
  }

  void CheckSame() const {
    std::vector<Holding> wanted;
    for (const auto& [job_id, held] : model_.held()) {
      wanted.push_back(held.holding);
    }
    RC_ASSERT(HoldingsOf(allocator_.ledger()) == wanted);
    RC_ASSERT(allocator_.now_ms() == model_.now_ms());
    for (NodeId node = 0; node < kNodes; ++node) {
      const Ledger& ledger = allocator_.ledger();
      RC_ASSERT(ledger.capacity(node) == model_.capacity(node));
      RC_ASSERT(ledger.free_units(node) == model_.FreeUnits(node));
      RC_ASSERT(ledger.free_whole().Contains(node) == model_.IsFreeWhole(node));
    }
  }

  // From the holdings alone, whatever the model says.
  static void CheckInvariant(const Ledger& ledger) {
    NodeSet free_whole = NodeSet::All(kNodes);
    NodeSet free_shared = NodeSet::All(kNodes);
    for (NodeId node = 0; node < kNodes; ++node) {
      int whole = 0;
      int shared = 0;
      std::uint64_t units = 0;
      for (const auto& holding : ledger.Holdings()) {
        RC_ASSERT(std::is_sorted(holding->nodes.begin(), holding->nodes.end()));
        const auto at =
            std::find(holding->nodes.begin(), holding->nodes.end(), node);
        if (holding->suspended || at == holding->nodes.end()) continue;
        (holding->whole ? whole : shared) += 1;
        if (!holding->whole) {
          units += holding->units[static_cast<std::size_t>(
              at - holding->nodes.begin())];
        }
      }
      RC_ASSERT(whole <= 1);
      RC_ASSERT(whole == 0 || shared == 0);
      RC_ASSERT(units <= ledger.capacity(node));
      if (whole + shared > 0) free_whole.Erase(node);
      if (whole > 0 || units == ledger.capacity(node)) free_shared.Erase(node);
    }
    RC_ASSERT(ledger.free_whole() == free_whole);
    RC_ASSERT(ledger.free_shared() == free_shared);
    RC_ASSERT(ledger.availability()->free_whole_count == free_whole.Count());
    RC_ASSERT(ledger.availability()->free_shared_count == free_shared.Count());
  }

  // Is what a copy of the ledger has once it did the same, to the last bit.
  void CheckAvailabilityWithout(TimeMs now_ms, std::uint32_t job_id) const {
    const Ledger& ledger = allocator_.ledger();
    const Availability before = *ledger.availability();
    for (const std::optional<std::uint32_t> job :
         {std::optional<std::uint32_t>(), std::optional(job_id)}) {
      const CopyOnWrite<Availability> without =
          ledger.AvailabilityWithout(now_ms, job);
      Ledger copy = ledger;
      copy.Expire(now_ms);
      if (job.has_value()) copy.Release(*job);
      CheckSameAvailability(*without, *copy.availability());
      CheckSameAvailability(*ledger.availability(), before);
    }
  }

  std::shared_ptr<const Machine> machine_ = LineMachine(kNodes);
  std::shared_ptr<const Policy> policy_ = std::make_shared<LowestFree>();
  std::vector<Units> capacity_;
  Allocator allocator_;
  LedgerModel model_;
  std::vector<AllocateCall> asked_;
};

void CheckHistory(std::vector<Units> capacity) {
  const auto calls = *rc::gen::scale(
      4.0, rc::gen::container<std::vector<Call>>(AnyLedgerCall()));
  Pair pair(std::move(capacity));
  for (const Call& call : calls) pair.Apply(call);
  pair.CheckRestored();
}

RC_GTEST_PROP(LedgerProperty, HoldsWithOneUnitANode, ()) {
  CheckHistory(std::vector<Units>(kNodes, 1));
}

RC_GTEST_PROP(LedgerProperty, HoldsWithSharedNodes, ()) {
  CheckHistory(*rc::gen::container<std::vector<Units>>(
      kNodes, rc::gen::inRange<Units>(1, 6)));
}

// With loads, whose sums depend on the order of the terms.
RC_GTEST_PROP(LedgerProperty, AvailabilityWithoutIsExpireAndRelease, ()) {
  const auto number = [](std::uint32_t least, std::uint32_t below) {
    return *rc::gen::inRange<std::uint32_t>(least, below);
  };
  std::vector<Units> capacity;
  for (NodeId node = 0; node < kNodes; ++node) capacity.push_back(number(1, 9));
  Ledger ledger(capacity);
  ledger.TrackLoads(0.3F);
  const std::uint32_t jobs = number(0, 12);
  for (std::uint32_t job_id = 1; job_id <= jobs; ++job_id) {
    Holding holding;
    holding.job = {job_id, 0};
    holding.whole = number(0, 4) == 0;
    holding.nodes = Call::NodesOf(number(1, 1U << kNodes));
    if (!holding.whole) {
      for (std::size_t i = 0; i < holding.nodes.size(); ++i) {
        holding.units.push_back(number(1, 3));
      }
    }
    const std::uint32_t percent = number(0, 101);
    if (percent < 100) {
      holding.communication_share = static_cast<float>(percent) / 99.0F;
    }
    if (number(0, 3) == 0) {
      holding.suspended = number(0, 3) == 0;
      ledger.RecordCommitted(holding);
      continue;
    }
    holding.expires_ms = number(0, 5);
    for (std::size_t i = 0; i < holding.units.size(); ++i) {
      holding.units[i] = std::min(holding.units[i], capacity[holding.nodes[i]]);
    }
    if (ledger.Fits(holding)) ledger.HoldTentatively(holding);
  }
  const std::optional<std::uint32_t> job =
      number(0, 4) == 0 ? std::nullopt : std::optional(number(0, 14));
  const TimeMs now_ms = number(0, 6);
  const CopyOnWrite<Availability> without =
      ledger.AvailabilityWithout(now_ms, job);
  ledger.Expire(now_ms);
  if (job.has_value()) ledger.Release(*job);
  CheckSameAvailability(*without, *ledger.availability());
}

}  // namespace
}  // namespace coolspan
