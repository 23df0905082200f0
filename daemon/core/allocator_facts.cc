// SPDX-License-Identifier: GPL-3.0-or-later
// Allocator: events and Syncs of the resource manager.
#include <algorithm>

#include "core/allocator.h"

namespace coolspan {

bool Allocator::SeenLaterRun(JobKey job) const {
  const Answered* last = FindAnswered(job.job_id);
  const Holding* held = ledger_.Find(job.job_id);
  return (last != nullptr && last->restart > job.restart) ||
         (held != nullptr && held->job.restart > job.restart);
}

namespace {

// Whether a job on the nodes before may have shrunk to, or grown to, those
// after.
bool IsResized(const std::vector<NodeId>& before,
               const std::vector<NodeId>& after) {
  return std::includes(before.begin(), before.end(), after.begin(),
                       after.end()) ||
         std::includes(after.begin(), after.end(), before.begin(),
                       before.end());
}

}  // namespace

Holding Allocator::HoldingOfFact(Fact fact, const Holding* held) const {
  Holding holding;
  holding.job = fact.job;
  holding.committed = true;
  holding.whole = fact.whole;
  holding.suspended = fact.suspended;
  holding.nodes = std::move(fact.nodes);
  holding.units = std::move(fact.units);
  const Answered* last = FindAnswered(fact.job.job_id);
  const bool was_requested =
      last != nullptr && last->restart == fact.job.restart;
  if (fact.communication_share.has_value()) {
    holding.communication_share = fact.communication_share;
  } else if (held != nullptr && held->job == fact.job) {
    holding.communication_share = held->communication_share;
  } else if (was_requested && last->decision != nullptr) {
    holding.communication_share = last->decision->communication_share;
  }
  holding.expected_end_ms = std::max(fact.expected_end_ms, kUnknownEnd);
  if (fact.expected_end_ms == kUnknownEnd && held != nullptr &&
      held->job == fact.job) {
    holding.expected_end_ms = held->expected_end_ms;
  }
  if (was_requested) {
    holding.attempt = last->attempt;
    if (last->decision != nullptr && last->decision->placed &&
        last->decision->allocation.nodes == holding.nodes) {
      holding.decision_id = last->decision->id;
    }
  } else if (held != nullptr && held->job == fact.job) {
    holding.attempt = held->attempt;
  }
  if (held != nullptr && held->job == fact.job &&
      (held->committed ? IsResized(held->nodes, holding.nodes)
                       : held->nodes == holding.nodes)) {
    holding.decision_id = held->decision_id;
  }
  return holding;
}

// A run that has been committed before, or is known from a Sync, does not start
// again.
void Allocator::RememberStart(const Holding& holding, const Holding* held) {
  if (held != nullptr && held->committed && held->job == holding.job) return;
  RecentStart start{now_ms_, static_cast<NodeCount>(holding.nodes.size()), 0};
  if (holding.expected_end_ms != kUnknownEnd) {
    start.expected_run_ms =
        std::max<TimeMs>(holding.expected_end_ms - now_ms_, 0);
  }
  recent_starts_.Mutable().Add(start);
}

Allocator::CommitResult Allocator::Commit(Fact fact, TimeMs now_ms) {
  return RecordFact(std::move(fact), now_ms, true);
}

Allocator::CommitResult Allocator::Resize(Fact fact, TimeMs now_ms) {
  return RecordFact(std::move(fact), now_ms, false);
}

Allocator::CommitResult Allocator::RecordFact(Fact fact, TimeMs now_ms,
                                              bool may_start) {
  AdvanceTo(now_ms);
  if (SeenLaterRun(fact.job)) return {};
  const std::uint32_t job_id = fact.job.job_id;
  const Holding* const held = ledger_.Find(job_id);
  Holding holding = HoldingOfFact(std::move(fact), held);
  if (may_start) RememberStart(holding, held);
  CommitResult result;
  result.as_decided = !holding.decision_id.empty();
  result.disputed = ledger_.RecordCommitted(std::move(holding));
  return result;
}

std::vector<JobKey> Allocator::Suspend(JobKey job, bool suspended,
                                       TimeMs now_ms) {
  AdvanceTo(now_ms);
  const Holding* held = ledger_.Find(job.job_id);
  if (held == nullptr || held->job != job) return {};
  return ledger_.Suspend(job.job_id, suspended);
}

bool Allocator::Release(JobKey job, TimeMs now_ms) {
  AdvanceTo(now_ms);
  if (SeenLaterRun(job)) return false;
  if (deciding_ == job) deciding_.reset();
  const Holding* held = ledger_.Find(job.job_id);
  const auto last = answered_.find(job.job_id);
  if (last != answered_.end()) {
    last->second.decision = nullptr;
  } else if (held != nullptr) {
    Remember(held->job, held->attempt, nullptr);
  }
  return ledger_.Release(job.job_id);
}

std::vector<JobKey> Allocator::Sync(std::vector<Units> capacity,
                                    std::vector<Fact> facts, TimeMs now_ms) {
  AdvanceTo(now_ms);
  const std::vector<std::shared_ptr<const Holding>> before = ledger_.Holdings();
  const auto find_before = [&before](std::uint32_t job_id) -> const Holding* {
    const auto at = std::lower_bound(before.begin(), before.end(), job_id,
                                     [](const auto& holding, std::uint32_t id) {
                                       return holding->job.job_id < id;
                                     });
    return at != before.end() && (*at)->job.job_id == job_id ? at->get()
                                                             : nullptr;
  };

  SetCapacity(std::move(capacity));
  for (Fact& fact : facts) {
    const Holding* held = find_before(fact.job.job_id);
    // A controller that was killed may have lost the later run.
    if (const Answered* last = FindAnswered(fact.job.job_id);
        last != nullptr && last->restart > fact.job.restart) {
      answered_.erase(fact.job.job_id);
    }
    ledger_.RecordCommitted(HoldingOfFact(std::move(fact), held));
  }
  std::vector<JobKey> disagreed;
  for (const std::shared_ptr<const Holding>& held : before) {
    const Holding* now = ledger_.Find(held->job.job_id);
    if (held->committed) {
      if (now == nullptr || now->job != held->job ||
          now->nodes != held->nodes) {
        disagreed.push_back(held->job);
      }
      if (now == nullptr) Remember(held->job, held->attempt, nullptr);
    } else if (now == nullptr && ledger_.Fits(*held)) {
      ledger_.HoldTentatively(*held);
    }
  }
  return disagreed;
}

void Allocator::Restore(Holding holding) {
  if (holding.committed) {
    ledger_.RecordCommitted(std::move(holding));
  } else if (ledger_.Find(holding.job.job_id) == nullptr &&
             ledger_.Fits(holding)) {
    ledger_.HoldTentatively(std::move(holding));
  }
}

}  // namespace coolspan
